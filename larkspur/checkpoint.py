"""A model as a folder that Hugging Face's `from_pretrained` reads as it is."""

import json
from collections.abc import Mapping
from pathlib import Path

import tokenizers
from safetensors.numpy import save_file

from larkspur.config import Config
from larkspur.forward import Array
from larkspur.tokenizer import END_OF_TEXT, END_OF_TEXT_ID

READABLE_BY_ALL = 0o644
MAX_NEW_TOKENS = 64


def write_checkpoint(
    folder: Path, config: Config, params: Mapping[str, Array], tokenizer: tokenizers.Tokenizer
) -> None:
    """Write weights under GPT-2's names, shape, tokenizer and generation settings into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(dict(params), folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(folder / "config.json", model_table(config))
    write_json(folder / "tokenizer_config.json", tokenizer_table(config))
    write_json(folder / "generation_config.json", generation_table())
    for path in folder.iterdir():
        path.chmod(READABLE_BY_ALL)


def model_table(config: Config) -> dict[str, object]:
    """Return what `config.json` says."""
    return {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "activation_function": "gelu_new",
        "vocab_size": config.n_vocab,
        "n_positions": config.n_ctx,
        "n_embd": config.n_embd,
        "n_layer": config.n_layer,
        "n_head": config.n_head,
        "layer_norm_epsilon": config.layer_norm_epsilon,
        "attn_pdrop": 0.0,
        "embd_pdrop": 0.0,
        "resid_pdrop": 0.0,
        "tie_word_embeddings": True,
        "bos_token_id": END_OF_TEXT_ID,
        "eos_token_id": END_OF_TEXT_ID,
        "dtype": "float32",
    }


def tokenizer_table(config: Config) -> dict[str, object]:
    """Return what `tokenizer_config.json` says."""
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": END_OF_TEXT,
        "eos_token": END_OF_TEXT,
        "pad_token": END_OF_TEXT,
        "model_max_length": config.n_ctx,
        "clean_up_tokenization_spaces": False,
    }


def generation_table() -> dict[str, object]:
    """Return what `generation_config.json` says: greedy, the marker begins and ends."""
    return {
        "bos_token_id": END_OF_TEXT_ID,
        "eos_token_id": END_OF_TEXT_ID,
        "pad_token_id": END_OF_TEXT_ID,
        "do_sample": False,
        "max_new_tokens": MAX_NEW_TOKENS,
    }


def write_json(path: Path, table: Mapping[str, object]) -> None:
    """Write a table, one key a line."""
    path.write_text(json.dumps(table, indent=2) + "\n", "utf-8")
