"""Training of Larkspur's tokenizer: byte-level BPE (Sennrich et al. 2016, arXiv 1508.07909)."""

from collections.abc import Iterable

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from larkspur.tokenizer import END_OF_TEXT

N_VOCAB = 544


def train_tokenizer(texts: Iterable[str]) -> Tokenizer:
    """Return a tokenizer of 544 tokens, id 0 the start and end marker; the same texts give the same bytes."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=N_VOCAB,
            special_tokens=[END_OF_TEXT],
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{END_OF_TEXT} $A", special_tokens=[(END_OF_TEXT, tokenizer.token_to_id(END_OF_TEXT))]
    )
    return tokenizer
