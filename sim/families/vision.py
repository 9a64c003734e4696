"""Image towers that stand beside a language model: SigLIP (arXiv 2303.15343) and Qwen3-VL (arXiv 2511.21631)."""

from sim.config import Config
from sim.families.layers import layer_norm, linear, plain_feed_forward


def gemma3_vision(config: Config, text_width: int) -> int:
    """Return the numbers of Gemma 3's SigLIP tower and of the projection to the language model."""
    width, inner, patch = (config.whole(key) for key in ("hidden_size", "intermediate_size", "patch_size"))
    patches = (config.whole("image_size") // patch) ** 2
    embeddings = linear(config.whole("num_channels") * patch**2, width, True) + patches * width
    head = width + vision_layer(width, inner) - layer_norm(width)  # one probe token pools the patches
    tower = (
        embeddings
        + config.whole("num_hidden_layers") * vision_layer(width, inner)
        + layer_norm(width)
        + head * config.flag("vision_use_head")
    )
    return tower + linear(width, text_width) + width


def qwen3_vision(config: Config, text_width: int) -> int:
    """Return the numbers of Qwen3-VL's tower and of the mergers that feed it to the language model."""
    width, inner, patch = (config.whole(key) for key in ("hidden_size", "intermediate_size", "patch_size"))
    voxels = config.whole("in_channels") * config.whole("temporal_patch_size") * patch**2
    merged = width * config.whole("spatial_merge_size") ** 2
    merger = linear(merged, merged, True) + linear(merged, config.whole("out_hidden_size"), True)
    deep_mergers = len(config.wholes("deepstack_visual_indexes"))
    return (
        linear(voxels, width, True)
        + config.whole("num_position_embeddings") * width
        + config.whole("depth") * vision_layer(width, inner)
        + layer_norm(width)
        + merger
        + deep_mergers * (layer_norm(merged) + merger)
    )


def vision_layer(width: int, inner: int) -> int:
    """Return the numbers of a layer as GPT-2's: four square matrices, two around `inner`, two norms."""
    return 4 * linear(width, width, True) + plain_feed_forward(width, inner) + 2 * layer_norm(width)
