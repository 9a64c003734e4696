"""KV memory in blocks: how many a server has, and how many a request is promised.

Paged blocks and the three reservations: arXiv 2309.06180 (PagedAttention), §4 and §6.1.
"""

from sim.settings import Settings


def blocks_for(tokens: int, block_size: int) -> int:
    """Return the whole blocks that hold `tokens` tokens."""
    return -(-tokens // block_size)


def blocks_needed(prompt_tokens: int, output_tokens: int, settings: Settings) -> int:
    """Return the blocks a request holds at its end, or from its start where they are reserved.

    The last token of a reply is never fed back, so that it takes no room.
    """
    at_the_end = prompt_tokens + output_tokens - 1
    promised = {
        "paged": at_the_end,
        "reserve-exact": at_the_end,
        "reserve-max": settings.max_model_len,
        "reserve-pow2": min(prompt_tokens + next_power_of_two(output_tokens), settings.max_model_len),
    }
    return blocks_for(promised[settings.kv_layout], settings.block_size)


def next_power_of_two(count: int) -> int:
    """Return the smallest power of two that is at least `count` (count ≥ 1)."""
    return 1 << (count - 1).bit_length()


def reason_to_reject(
    prompt_tokens: int, output_tokens: int, settings: Settings, num_blocks: int
) -> str | None:
    """Return why a request can never be served, with the numbers, or None when it can."""
    total = prompt_tokens + output_tokens
    if total > settings.max_model_len:
        return (
            f"prompt {prompt_tokens:,} + reply {output_tokens:,} = {total:,} tokens, "
            f"above max_model_len {settings.max_model_len:,}"
        )
    blocks = blocks_needed(prompt_tokens, output_tokens, settings)
    if blocks > num_blocks:
        return f"needs {blocks:,} blocks of {settings.block_size:,} tokens, the server has {num_blocks:,}"
    return None
