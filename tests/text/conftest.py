"""A small bilingual text and a tokenizer of every kind that is learned from it, byte fallback and sampling on."""

import pytest

from jumok.text import Tokenizer, TokenizerOptions, build_tokenizer

LINES = [
    "the old garden is behind the house .",
    "the new house is older than the garden wall .",
    "나는 오래된 정원을 좋아한다 .",
    "정원은 집 뒤에 있다 .",
    "le vieux jardin est derrière la maison .",
    "she walks, talks and walked; he talks & walks!",
    "un <unk> et un <s> ne font pas deux ▁ .",
] * 5
SIZES = {"bpe": 390, "unigram": 340, "words": None, "characters": None}
LEARNED = tuple(SIZES)
"""The kinds that are learned from text; pieces come with an imported model (tests/tasks/test_marian.py)."""


@pytest.fixture(scope="session")
def tokenizers() -> dict[str, Tokenizer]:
    options = TokenizerOptions(byte_fallback=True, sampling=0.3)
    return {kind: build_tokenizer(kind, LINES, size=SIZES[kind], options=options) for kind in LEARNED}
