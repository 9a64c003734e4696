"""A recorded run of a real server: with unit costs fitted to it, the chunked rules reproduce its means."""

import json
from pathlib import Path

import pytest

from sim import ACCELERATORS, MODELS, Server, Settings, Trace, UnitCosts, simulate

RUN = Path(__file__).resolve().parents[3] / "shared/reference/measured/vllm_0.19_rtx4090_llama-3.1-8b"


@pytest.mark.skipif(not RUN.exists(), reason="the recorded run is not here")
def test_a_recorded_vllm_run_is_reproduced_within_two_percent():
    about = json.loads((RUN / "about.json").read_text(encoding="utf-8"))
    lines = (RUN / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    sent = [json.loads(line) for line in lines]
    first = min(one["queued_ts"] for one in sent)
    trace = Trace(
        [one["queued_ts"] - first for one in sent],
        [one["input_toks"] for one in sent],
        [one["output_toks"] for one in sent],
    )
    fitted = UnitCosts(pass_s=0.01637, token_s=9.57e-5, kv_token_s=1.01e-7, pair_s=5.9e-10)
    # only costs and blocks matter here: the accelerator of the run is not in the catalog
    server = Server(
        MODELS["llama-3.1-8b"],
        ACCELERATORS["a100-80gb"],
        costs=fitted,
        num_gpu_blocks=about["kv_cache"]["num_gpu_blocks"],
    )
    summary = simulate(trace, server, Settings(max_model_len=about["engine"]["max_model_len"])).summary()
    measured = about["measured"]
    assert summary["ttft_mean_s"] == pytest.approx(measured["ttft_mean_s"], rel=0.02)
    assert summary["tpot_mean_s"] * 1000 == pytest.approx(measured["tpot_mean_ms"], rel=0.015)
    assert summary["e2e_mean_s"] == pytest.approx(measured["e2e_mean_s"], rel=0.015)
