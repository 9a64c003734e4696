"""Requests that can never be served, and why."""

from sim.kernel.memory import blocks_for, promised_tokens
from sim.settings import KV_LAYOUTS, Settings


def blocks_needed(prompt_tokens: int, output_tokens: int, settings: Settings) -> int:
    """Return the blocks a request holds at its end, or from its start where they are reserved."""
    layout = KV_LAYOUTS.index(settings.kv_layout)
    tokens = promised_tokens(layout, prompt_tokens, output_tokens, settings.max_model_len)
    return blocks_for(tokens, settings.block_size)


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
