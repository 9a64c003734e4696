"""KV memory in blocks: what a request needs, whether it fits, and who has to leave when it does not.

Paged blocks and the three reservations: arXiv 2309.06180 (PagedAttention), §4 and §6.1.
"""

from sim.kernel.records import NOBODY, PAGED, RESERVE_MAX, RESERVE_POW2, Seq, State


def blocks_for(tokens: int, block_size: int) -> int:
    """Return the whole blocks that hold `tokens` tokens."""
    return -(-tokens // block_size)


def next_power_of_two(count: int) -> int:
    """Return the smallest power of two that is at least `count` (count ≥ 1)."""
    power = 1
    while power < count:
        power *= 2
    return power


def promised_tokens(kv_layout: int, prompt_tokens: int, output_tokens: int, max_model_len: int) -> int:
    """Return the tokens a request holds at its end, or from its start where they are reserved.

    The last token of a reply is never fed back, so that it takes no room.
    """
    if kv_layout == RESERVE_MAX:
        return max_model_len
    if kv_layout == RESERVE_POW2:
        return min(prompt_tokens + next_power_of_two(output_tokens), max_model_len)
    return prompt_tokens + output_tokens - 1


def lowest_free_piece(state: State, seqs: list[Seq], placed: list[int], blocks: int) -> int:
    """Return the lowest address where `blocks` neighbors are free, or NOBODY.

    Starts after the places that are too tight, which it keeps: below them no free piece has `tight_blocks`.
    """
    if blocks > state.free_blocks:
        return NOBODY
    if state.tight_places == 0 or blocks < state.tight_blocks:
        state.tight_places, state.tight_blocks = 0, blocks
    address = 0
    if state.tight_places > 0:
        last = seqs[placed[state.tight_places - 1]]
        address = last.first_block + last.blocks
    for place in range(state.tight_places, state.num_running):
        seq = seqs[placed[place]]
        free = seq.first_block - address
        if free >= blocks:
            return address
        if free < state.tight_blocks and place == state.tight_places:
            state.tight_places += 1
        address = seq.first_block + seq.blocks
    return address if state.num_blocks - address >= blocks else NOBODY


def fits(state: State, seqs: list[Seq], placed: list[int], seq: Seq) -> bool:
    """Return whether there is memory for `seq` to enter."""
    if state.kv_layout != PAGED:
        return lowest_free_piece(state, seqs, placed, seq.final_blocks) != NOBODY
    if state.promises:
        return state.promised_blocks + seq.final_blocks <= state.num_blocks
    return blocks_for(seq.prompt_tokens + seq.written, state.block_size) <= state.free_blocks


def more_blocks(state: State, seq: Seq, tokens: int) -> int:
    """Return the blocks that `tokens` tokens of `seq` need beyond those it holds."""
    return blocks_for(tokens, state.block_size) - seq.blocks


def hold(state: State, seq: Seq, blocks: int) -> None:
    """Let `seq` hold so many blocks more."""
    seq.blocks += blocks
    state.free_blocks -= blocks


def take(state: State, seq: Seq, tokens: int) -> None:
    """Take the blocks that `tokens` tokens of `seq` need beyond those it holds, if any."""
    blocks = more_blocks(state, seq, tokens)
    if blocks > 0:
        hold(state, seq, blocks)


def reserve(state: State, seqs: list[Seq], placed: list[int], row: int) -> None:
    """Take one piece of neighboring blocks at the lowest address; `placed` stays in address order."""
    seq = seqs[row]
    seq.first_block = lowest_free_piece(state, seqs, placed, seq.final_blocks)
    hold(state, seq, seq.final_blocks)
    place = state.num_running
    while place > 0 and seqs[placed[place - 1]].first_block > seq.first_block:
        placed[place] = placed[place - 1]
        place -= 1
    placed[place] = row


def release(state: State, seq: Seq) -> None:
    """Give back all blocks of `seq`."""
    state.free_blocks += seq.blocks
    state.promised_blocks -= seq.final_blocks
    seq.blocks = 0


def forget_placed(state: State, seqs: list[Seq], placed: list[int], seated: int) -> None:
    """Drop from `placed` (of `seated` requests until now) those whose blocks were given back."""
    kept = 0
    for place in range(seated):
        if seqs[placed[place]].blocks > 0:
            placed[kept] = placed[place]
            kept += 1
    state.tight_places = 0


def preempt(state: State, seqs: list[Seq], running: list[int], aside: list[int]) -> None:
    """Set the last of the running aside, to the front of the queue; what it computed is moved out or lost."""
    state.num_running -= 1
    row = running[state.num_running]
    seq = seqs[row]
    release(state, seq)
    if state.swaps:
        state.moved_blocks += blocks_for(seq.computed, state.block_size)
    else:
        seq.computed = 0
    seq.preemptions += 1
    aside[state.num_aside] = row
    state.num_aside += 1
    state.victims += 1
    state.num_preemptions += 1


def grow(
    state: State, seqs: list[Seq], running: list[int], aside: list[int], place: int, tokens: int
) -> bool:
    """Take blocks for `tokens` more of the request at `place`; False if it had to leave itself."""
    seq = seqs[running[place]]
    if state.kv_layout != PAGED or seq.computed + tokens <= seq.blocks * state.block_size:
        return True
    wanted = more_blocks(state, seq, seq.computed + tokens)
    while wanted > state.free_blocks:
        preempt(state, seqs, running, aside)
        if state.num_running == place:
            return False
    hold(state, seq, wanted)
    return True
