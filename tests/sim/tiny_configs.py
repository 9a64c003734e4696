"""One small config.json for each family, and its parameters counted by hand: width 8, 10 words, 3 layers."""

from typing import Any

from sim import ModelShape

SIZES = {"vocab_size": 10, "hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4}
GROUPED = SIZES | {"num_key_value_heads": 2, "intermediate_size": 16}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 6, "decoder_sparse_step": 2}
QWEN3 = GROUPED | {"head_dim": 3, "attention_bias": True}
SIGLIP = {
    "hidden_size": 4,
    "intermediate_size": 5,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 6,
    "patch_size": 2,
    "vision_use_head": False,
}
QWEN_IMAGES = {
    "depth": 2,
    "num_heads": 2,
    "hidden_size": 4,
    "intermediate_size": 5,
    "patch_size": 2,
    "out_hidden_size": 8,
    "num_position_embeddings": 9,
    "deepstack_visual_indexes": [0],
}

TINY: dict[str, dict[str, Any]] = {
    "opt": SIZES | {"ffn_dim": 16, "max_position_embeddings": 6, "word_embed_proj_dim": 4},
    "gpt2": {"vocab_size": 10, "n_embd": 8, "n_layer": 3, "n_head": 4, "n_positions": 6},
    "gpt_neox": SIZES | {"intermediate_size": 16},
    "bloom": {"vocab_size": 10, "n_embed": 8, "n_layer": 3, "num_attention_heads": 4},
    "falcon": SIZES | {"num_kv_heads": 2, "new_decoder_architecture": True},
    "RefinedWebModel": {"vocab_size": 10, "hidden_size": 8, "n_layer": 3, "n_head": 4}
    | {"multi_query": True, "parallel_attn": True},
    "llama": GROUPED,
    "mistral": GROUPED | {"head_dim": 3, "sliding_window": 5},
    "phi3": GROUPED | {"sliding_window": 5, "attention_bias": True},
    "qwen2": GROUPED | {"tie_word_embeddings": True},
    "qwen3": QWEN3,
    "gemma2": GROUPED | {"head_dim": 3, "sliding_window": 5},
    "gemma3_text": GROUPED | {"head_dim": 3, "sliding_window": 5, "sliding_window_pattern": 2},
    "mixtral": GROUPED | {"num_local_experts": 4, "num_experts_per_tok": 1},
    "qwen3_moe": QWEN3 | EXPERTS | {"mlp_only_layers": [2]},
    "deepseek_v2": SIZES
    | {"intermediate_size": 16, "moe_intermediate_size": 6, "n_routed_experts": 4, "n_shared_experts": 2}
    | {"num_experts_per_tok": 3, "first_k_dense_replace": 1, "q_lora_rank": None, "kv_lora_rank": 5}
    | {"qk_nope_head_dim": 3, "qk_rope_head_dim": 2, "v_head_dim": 4},
    "gpt_oss": GROUPED
    | {"head_dim": 3, "num_local_experts": 4, "num_experts_per_tok": 1, "sliding_window": 5},
    "qwen3_vl": {"text_config": QWEN3, "vision_config": QWEN_IMAGES},
    "qwen3_vl_moe": {"text_config": QWEN3 | EXPERTS, "vision_config": QWEN_IMAGES},
    "gemma3": {
        "text_config": GROUPED | {"head_dim": 3, "sliding_window": 5},
        "vision_config": SIGLIP,
    },
}

# queries, keys and values, then output; grouped halves keys and values; norms of a head; feed-forward; norms
QWEN3_ATTENTION = 24 * 9 + 8 * 13 + 2 * 3
QWEN3_LAYER = QWEN3_ATTENTION + 3 * 128 + 2 * 8
SIGLIP_LAYER = 4 * (16 + 4) + (20 + 5) + (20 + 4) + 2 * 8

PARAMS: dict[str, int] = {
    "opt": 10 * 4 + (6 + 2) * 8 + 2 * 4 * 8 + 3 * (4 * 72 + (128 + 16) + (128 + 8) + 2 * 16) + 16,
    "gpt2": 10 * 8 + 6 * 8 + 3 * (4 * 72 + (256 + 32) + (256 + 8) + 2 * 16) + 16,
    "gpt_neox": 2 * 80 + 3 * (4 * 72 + (128 + 16) + (128 + 8) + 2 * 16) + 16,
    "bloom": 80 + 16 + 3 * (4 * 72 + (256 + 32) + (256 + 8) + 2 * 16) + 16,
    "falcon": 80 + 3 * (8 * (8 + 2 * 4) + 64 + 2 * 256 + 2 * 16) + 16,
    "RefinedWebModel": 80 + 3 * (8 * (8 + 2 * 2) + 64 + 2 * 256 + 16) + 16,
    "llama": 2 * 80 + 3 * (8 * (8 + 2 * 4) + 64 + 3 * 128 + 2 * 8) + 8,
    "mistral": 2 * 80 + 3 * (8 * (12 + 2 * 6) + 96 + 3 * 128 + 2 * 8) + 8,
    "phi3": 2 * 80 + 3 * (8 * (8 + 2 * 4) + 64 + 3 * 128 + 2 * 8) + 8,
    "qwen2": 80 + 3 * (9 * (8 + 2 * 4) + 64 + 3 * 128 + 2 * 8) + 8,
    "qwen3": 2 * 80 + 3 * QWEN3_LAYER + 8,
    "gemma2": 80 + 3 * (8 * (12 + 2 * 6) + 96 + 3 * 128 + 4 * 8) + 8,
    "gemma3_text": 80 + 3 * (8 * (12 + 2 * 6) + 96 + 2 * 3 + 3 * 128 + 4 * 8) + 8,
    "mixtral": 2 * 80 + 3 * (8 * (8 + 2 * 4) + 64 + 4 * 8 + 4 * 3 * 128 + 2 * 8) + 8,
    # layer 1 has experts; layers 0 and 2 have none: the one by decoder_sparse_step, the other by both keys
    "qwen3_moe": 2 * 80 + 2 * QWEN3_LAYER + (QWEN3_ATTENTION + 4 * 8 + 4 * 3 * 48 + 2 * 8) + 8,
    # queries 8·20, latent and rotary key 8·7, norm 5, keys and values 5·28, output 16·8; one dense layer
    "deepseek_v2": 2 * 80 + 3 * (160 + 56 + 5 + 140 + 128 + 16) + 3 * 128 + 2 * (32 + (2 + 4) * 3 * 48) + 8,
    # biases everywhere, 4 sinks, experts of 2·(8·16 + 16) + (16·8 + 8)
    "gpt_oss": 2 * 80 + 3 * (9 * (12 + 2 * 6) + 8 * 13 + 4 + 4 * 9 + 4 * 424 + 2 * 8) + 8,
    "qwen3_vl": 2 * 80 + 3 * QWEN3_LAYER + 8,
    "qwen3_vl_moe": 2 * 80 + 2 * QWEN3_LAYER + (QWEN3_ATTENTION + 4 * 8 + 4 * 3 * 48 + 2 * 8) + 8,
    "gemma3": 80 + 3 * (8 * (12 + 2 * 6) + 96 + 2 * 3 + 3 * 128 + 4 * 8) + 8,
}

# patches and their places, layers, last norm; then what leads to the language model
VISION_PARAMS: dict[str, int] = {
    "gemma3": (3 * 4 + 1) * 4 + 9 * 4 + 2 * SIGLIP_LAYER + 8 + (4 * 8 + 4),
    "qwen3_vl": (3 * 2 * 4 + 1) * 4 + 9 * 4 + 2 * SIGLIP_LAYER + (8 + 272 + 136) + (32 + 272 + 136),
    "qwen3_vl_moe": (3 * 2 * 4 + 1) * 4 + 9 * 4 + 2 * SIGLIP_LAYER + (8 + 272 + 136) + (32 + 272 + 136),
}


def tiny(model_type: str, **changes: Any) -> dict[str, Any]:
    """Return the small config of a family, with some keys changed."""
    return {"model_type": model_type} | TINY[model_type] | changes


def shape_of(model_type: str, **changes: Any) -> ModelShape:
    """Return the shape of a family's small config, with some keys changed."""
    return ModelShape.from_config(tiny(model_type, **changes))
