"""A small bilingual text and a tokenizer of every kind learned from it, byte fallback and sampling on."""

import pytest

from jumok.text import KINDS, Tokenizer, TokenizerOptions, build_tokenizer

LINES = [
    "the old garden is behind the house .",
    "the new house is older than the garden wall .",
    "나는 오래된 정원을 좋아한다 .",
    "정원은 집 뒤에 있다 .",
    "le vieux jardin est derrière la maison .",
    "she walks, talks and walked; he talks & walks!",
    "un <unk> et un <s> ne font pas deux ▁ .",
] * 5


@pytest.fixture(scope="session")
def tokenizers() -> dict[str, Tokenizer]:
    sizes = {"bpe": 390, "unigram": 340, "words": None, "characters": None}
    options = TokenizerOptions(byte_fallback=True, sampling=0.3)
    return {kind: build_tokenizer(kind, LINES, size=sizes[kind], options=options) for kind in KINDS}
