"""The same two requests as each published format has them, and how to write and compare them."""

from pathlib import Path
from typing import Any

from sim import Trace

AZURE_2023 = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,374,44\r\n"
    "2023-11-16 18:17:04.0319600,396,109\r\n"
)
AZURE_2024 = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,374,44\n"
    "2024-05-10 00:00:00.061930+00:00,396,109\n"
)
BURSTGPT = (
    "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "7.0,a,1,GPT-4,374,44,418,API log\n7.052,b,1,ChatGPT,396,109,505,Conversation log\n"
)
BURSTGPT_V1 = (
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "7,GPT-4,374,44,418,API log\n7.052,ChatGPT,396,109,505,Conversation log\n"
)
MOONCAKE = (
    '{"timestamp": 500, "input_length": 374, "output_length": 44, "hash_ids": [1]}\n'
    '{"timestamp": 552, "input_length": 396, "output_length": 109, "hash_ids": [1]}\n'
)
VLLM = {
    "backend": "vllm",
    "request_rate": "inf",
    "max_concurrency": None,
    "completed": 2,
    "total_input_tokens": 770,
    "input_lens": [396, 374],
    "output_lens": [109, 44],
    "ttfts": [0.1, 0.2],
    "itls": [[0.01] * 108, [0.01] * 43],
    "start_times": [27536.0625, 27536.0105],
    "generated_texts": ["…", "…"],
    "errors": ["", ""],
}
PLAIN = "arrival_s,prompt_tokens,output_tokens\n0,374,44\n0.052,396,109\n"
TWO_REQUESTS = [(0.0, 374, 44), (0.052, 396, 109)]


def written(folder: Path, text: str | bytes) -> Path:
    """Return the path of a file with `text`; its name says nothing."""
    path = folder / "anything.bin"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def rows_of(trace: Trace) -> list[Any]:
    """Return (arrival_s, prompt_tokens, output_tokens) of every request."""
    columns = (trace.arrival_s, trace.prompt_tokens, trace.output_tokens)
    return list(zip(*(column.tolist() for column in columns), strict=True))
