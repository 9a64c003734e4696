"""The figures that chapter 2's texts are filled with."""

from functools import cache

from larkspur import load
from pages.ui import mini_cache, numbers
from pages.ui.kv_card import parts_of, requests_that_fit, servers
from pages.ui.kv_factors import factors
from pages.ui.kv_lengths import no_gain_from, usual_tokens
from pages.ui.kv_seats import free_bytes, request_bytes
from pages.ui.kv_waste import paper_seats, paper_share
from pages.ui.monday_memory import (
    EDGE_S,
    LAYOUTS,
    done_s,
    mean_seated,
    monday_run,
    most_seated,
    num_blocks,
    rush_shares,
    seats_promised,
    started_over,
)
from pages.ui.served import server
from sim import ACCELERATOR_ENTRIES, MODEL_ENTRIES, QUOTED, Settings, monday

NEWER = "llama-3.1-8b"
ODD_CARD = "h200-141gb"  # its name counts more GB than its driver reports
SMALL_CARD, BIG_CARD = "a100-40gb", "a100-80gb"


@cache
def figures() -> dict[str, str]:
    """Return the figures of the chapter's texts."""
    return of_the_model() | of_the_card() | of_mini() | of_monday() | of_the_paper()


def of_the_model() -> dict[str, str]:
    """Return the figures of one token and one request."""
    model, newer = server().model, MODEL_ENTRIES[NEWER]
    longest = Settings().max_model_len
    return {
        "kv_token": numbers.memory(model.kv_bytes_per_token()),
        "kv_token_bytes": numbers.count(model.kv_bytes_per_token()),
        "kv_request": numbers.memory(request_bytes()),
        "longest": numbers.count(longest),
        "layers": numbers.count(model.num_layers),
        "heads": numbers.count(model.num_kv_heads),
        "head_dim": numbers.count(model.head_dim),
        "width": numbers.count(factors()[1][1]),
        "newer": newer.name,
        "newer_kv": numbers.memory(newer.shape.kv_bytes_per_token()),
        "newer_heads": numbers.count(newer.shape.num_heads),
        "newer_kv_heads": numbers.count(newer.shape.num_kv_heads),
        "kb": numbers.count(2**10),
    }


def of_the_card() -> dict[str, str]:
    """Return the figures of Larkspur's card and of two others."""
    small, big = (servers()[ACCELERATOR_ENTRIES[key].name] for key in (SMALL_CARD, BIG_CARD))
    odd = ACCELERATOR_ENTRIES[ODD_CARD]
    kv, ours = [parts_of(one, 16)["KV"] for one in (small, big)], parts_of(server(), 16)
    return {
        "free": numbers.memory(free_bytes()),
        "part": numbers.memory(server().accelerator.memory_bytes - ours["kept"]),
        "work": numbers.memory(ours["working room"]),
        "small_fit": numbers.count(requests_that_fit(small, 16)),
        "big_fit": numbers.count(requests_that_fit(big, 16)),
        "fit_times": f"{requests_that_fit(big, 16) / requests_that_fit(small, 16):.1f}",
        "weights": numbers.memory(server().model.weight_bytes()),
        "gpu_share": f"{server().gpu_memory_utilization:.0%}",
        "blocks": numbers.count(num_blocks()),
        "block_size": numbers.count(Settings().block_size),
        "rest": numbers.count(Settings().block_size - 1),
        "seats": numbers.count(seats_promised()),
        "seats_times_request": numbers.memory(seats_promised() * request_bytes()),
        "small_card": f"{small.accelerator.memory_bytes / 2**30:.0f} GB",
        "big_card": f"{big.accelerator.memory_bytes / 2**30:.0f} GB",
        "small_kv": numbers.memory(kv[0]),
        "big_kv": numbers.memory(kv[1]),
        "odd_card": odd.name,
        "odd_gb": f"{odd.accelerator.memory_bytes / 2**30:.1f} GB",
        "kv_times": f"{kv[1] / kv[0]:.1f}",
        "card_times": f"{big.accelerator.memory_bytes / small.accelerator.memory_bytes:.0f}",
    }


def of_mini() -> dict[str, str]:
    """Return the figures of mini's own cache."""
    config, table = load("mini").config, mini_cache.measured()
    last = table.iloc[-1]
    return {
        "mini_token": numbers.memory(config.kv_bytes_per_token),
        "mini_first_tokens": numbers.count(table["cached_tokens"].iloc[0]),
        "mini_tokens": numbers.count(last["cached_tokens"]),
        "mini_held": numbers.memory(last["cache_bytes"]),
        "mini_room": numbers.memory(mini_cache.room_bytes()),
        "mini_context": numbers.count(config.n_ctx),
        "mini_share": f"{last['cache_bytes'] / mini_cache.room_bytes():.0%}",
        "mini_times": numbers.count(server().model.kv_bytes_per_token() / config.kv_bytes_per_token),
    }


def of_monday() -> dict[str, str]:
    """Return the figures of Monday's rush under the layouts."""
    runs = {layout.lower(): monday_run(layout) for layout in LAYOUTS}
    told = {
        "pow2": "Pow2",
        "requests": numbers.count(len(monday())),
        "usual": numbers.count(usual_tokens()),
        "no_gain": numbers.count(no_gain_from()),
        "edge": f"{EDGE_S:.0f}",
        "set_aside": numbers.count(started_over()),
    }
    for layout in LAYOUTS:
        name, shares = layout.lower(), rush_shares(layout)
        told |= {
            f"{name}_text": f"{shares['holds text']:.0%}",
            f"{name}_never": f"{shares['never used']:.0%}",
            f"{name}_rest": f"{shares['rest of last blocks']:.1%}",
            f"{name}_free": f"{shares['free']:.0%}",
            f"{name}_most": numbers.count(most_seated(layout)),
            f"{name}_mean": f"{mean_seated(layout):.1f}",
            f"{name}_done": f"{done_s(layout):.1f} s",
            f"{name}_tpot": numbers.ms(runs[name].requests["tpot_s"].mean()),
            f"{name}_ttft": f"{runs[name].requests['ttft_s'].mean():.1f} s",
        }
    return told


def of_the_paper() -> dict[str, str]:
    """Return the paper's figures."""
    slots, seats = QUOTED["kv-slots-a100-40gb"].value, paper_seats("paged")
    told = {f"paper_{layout.lower()}": f"{paper_share(layout):g}%" for layout in LAYOUTS}
    told |= {f"paper_{layout.lower()}_seats": f"{paper_seats(layout):.2f}" for layout in LAYOUTS}
    return told | {
        "paper_tokens": numbers.count(round(slots / seats, -1)),
        "paper_slots": numbers.count(slots),
        "our_tokens": numbers.count(
            round(
                num_blocks()
                * Settings().block_size
                * rush_shares("paged")["holds text"]
                / mean_seated("paged"),
                -1,
            )
        ),
    }
