"""Training a GPT-2 model with PyTorch and Hugging Face's transformers, which the app never imports.

AdamW (Loshchilov & Hutter 2019, arXiv 1711.05101), a linear warm-up, then half a cosine.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional
from transformers import GPT2Config, GPT2LMHeadModel

from larkspur.batches import PAD, Ids, batches
from larkspur.config import Config
from larkspur.forward import Array
from larkspur.tokenizer import END_OF_TEXT_ID

WEIGHT_DECAY = 0.01
INITIAL_SPREAD = 0.1  # narrow models start better from wider weights than GPT-2's 0.02
BETAS = (0.9, 0.98)
LARGEST_GRADIENT_NORM = 1.0
LOGIT_PENALTY = 1e-4  # on their mean square: float32 rounds large logits coarsely, here and in PyTorch
WARMUP_STEPS = 100
STEPS_A_REPORT = 500


@dataclass(frozen=True)
class Recipe:
    """Which shape is trained, for how long, on how many tokens a step, how fast, from which seed."""

    config: Config
    n_steps: int
    tokens_per_step: int
    learning_rate: float
    seed: int

    def __post_init__(self) -> None:
        if self.n_steps <= WARMUP_STEPS or self.tokens_per_step < self.config.n_ctx:
            raise ValueError(
                f"expected over {WARMUP_STEPS} steps of at least {self.config.n_ctx} tokens, "
                f"got {self.n_steps} of {self.tokens_per_step}; raise them"
            )


def train(recipe: Recipe, documents: Sequence[Ids]) -> dict[str, Array]:
    """Return weights under GPT-2's names, trained on documents of ids from start to end marker."""
    # One thread: matrices this small gain little from more, and the order of sums stays the same.
    torch.set_num_threads(1)
    torch.manual_seed(recipe.seed)
    model = new_model(recipe.config)
    optimizer = new_optimizer(model, recipe.learning_rate)
    stream = batches(documents, recipe.tokens_per_step, recipe.config.n_ctx, recipe.seed)
    report(
        recipe, (train_step(model, optimizer, step, recipe, next(stream)) for step in range(recipe.n_steps))
    )
    return weights(model)


def new_model(config: Config) -> GPT2LMHeadModel:
    """Return an untrained model; PyTorch's own tanh GELU is the same function as gelu_new, only faster."""
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.n_vocab,
            n_positions=config.n_ctx,
            n_embd=config.n_embd,
            n_layer=config.n_layer,
            n_head=config.n_head,
            layer_norm_epsilon=config.layer_norm_epsilon,
            activation_function="gelu_pytorch_tanh",
            attn_pdrop=0.0,
            embd_pdrop=0.0,
            resid_pdrop=0.0,
            initializer_range=INITIAL_SPREAD,
            bos_token_id=END_OF_TEXT_ID,
            eos_token_id=END_OF_TEXT_ID,
        )
    )


def new_optimizer(model: GPT2LMHeadModel, learning_rate: float) -> torch.optim.Optimizer:
    """Return AdamW with weight decay on matrices alone."""
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": vectors, "weight_decay": 0.0}],
        lr=learning_rate,
        betas=BETAS,
        fused=True,
    )


def train_step(
    model: GPT2LMHeadModel, optimizer: torch.optim.Optimizer, step: int, recipe: Recipe, batch: Ids
) -> float:
    """Take one step on a batch and return its loss in nats a token."""
    for group in optimizer.param_groups:
        group["lr"] = learning_rate(step, recipe)
    rows = torch.from_numpy(batch)
    logits = model(rows[:, :-1].clamp(min=0), use_cache=False).logits  # [n_rows, n_tokens, n_vocab]
    loss = functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten(), ignore_index=PAD)
    optimizer.zero_grad()
    (loss + LOGIT_PENALTY * logits.square().mean()).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), LARGEST_GRADIENT_NORM)
    optimizer.step()
    return float(loss.item())


def learning_rate(step: int, recipe: Recipe) -> float:
    """Return the rate of a step: a linear warm-up, then half a cosine down to nothing."""
    if step < WARMUP_STEPS:
        return recipe.learning_rate * (step + 1) / WARMUP_STEPS
    done = (step - WARMUP_STEPS) / (recipe.n_steps - WARMUP_STEPS)
    return recipe.learning_rate * 0.5 * (1 + math.cos(math.pi * done))


def report(recipe: Recipe, losses: Iterator[float]) -> None:
    """Run through the losses and print the mean of each few hundred."""
    start_s, recent = time.perf_counter(), []
    for step, loss in enumerate(losses, start=1):
        recent.append(loss)
        if step % STEPS_A_REPORT == 0 or step == recipe.n_steps:
            elapsed_s = time.perf_counter() - start_s
            print(
                f"step {step:>6,} of {recipe.n_steps:,}   training perplexity "
                f"{math.exp(float(np.mean(recent))):7.3f}   {elapsed_s:4.0f} s",
                flush=True,
            )
            recent.clear()


def weights(model: GPT2LMHeadModel) -> dict[str, Array]:
    """Return the weights under GPT-2's names; the output embedding is tied, so not repeated."""
    state = model.transformer.state_dict()
    return {name: np.ascontiguousarray(tensor.numpy()) for name, tensor in state.items()}
