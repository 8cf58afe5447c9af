"""A vector for each sentence: the summary that the encoder gives to the decoder."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from jumok.data.sources import Tokens
from jumok.decoding.batches import by_length, pad_sources
from jumok.decoding.hypothesis import as_numpy
from jumok.decoding.run import Run
from jumok.errors import InputError

TOGETHER = 8_000
"""Source tokens that are encoded in one batch."""


@torch.inference_mode()
def encode_lines(run: Run, lines: Sequence[str]) -> NDArray[np.float32]:
    """The sentence vectors of lines, [N, D]."""
    sources = [run.source_tokenizer.encode(line)[: run.reach.source_tokens] for line in lines]
    if not all(sources):
        raise InputError(f"line {sources.index([]) + 1} is empty; an empty line has no sentence vector.")
    vectors: dict[int, NDArray[np.float32]] = {}
    for batch in by_length([len(source) + 1 for source in sources], TOGETHER):
        memory = run.model.encode(Tokens(*pad_sources([sources[n] for n in batch], run.model.device)))
        summary = as_numpy(memory.summary)
        vectors |= {number: summary[row] for row, number in enumerate(batch)}
    return np.stack([vectors[n] for n in range(len(lines))]) if lines else np.zeros((0, 0), np.float32)
