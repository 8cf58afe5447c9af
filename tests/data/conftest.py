"""A small parallel corpus on disk, checked and tokenised."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from jumok.data.corpus import Weighted, open_corpus
from jumok.data.prepare import CheckedText, prepare_text
from jumok.data.store import PairStore, build_store
from jumok.text import Tokenizer, TokenizerOptions, build_tokenizer

NOUNS = ["garden", "house", "old tree", "river", "blue door", "mountain", "window", "정원", "é́cole"]


def sentence(number: int) -> tuple[str, str, str]:
    """A source of 2 to 12 words, its words reversed and marked, and the links between them."""
    words = [
        f"{NOUNS[(number * 7 + k * 3) % len(NOUNS)]}{number % 23 if k == 0 else ''}" for k in range(1 + number % 6)
    ]
    source = " ".join(["the", *words]).split()
    target = [f"{word}'" for word in reversed(source)]
    links = " ".join(f"{i}-{len(source) - 1 - i}" for i in range(len(source)))
    return " ".join(source), " ".join(target), links


@dataclass(frozen=True)
class Small:
    """The parts of a prepared corpus."""

    text: CheckedText
    source: Tokenizer
    target: Tokenizer
    store: PairStore
    cache: Path


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Small:
    folder = tmp_path_factory.mktemp("corpus")
    rows = sorted({sentence(number) for number in range(331)})
    for column, name in enumerate(("train.en", "train.xx", "train.align")):
        (folder / name).write_text("".join(row[column] + "\n" for row in rows), encoding="utf-8")
    corpus = open_corpus(folder / "train.en", folder / "train.xx", alignment=folder / "train.align")
    cache = folder / "cache"
    text = prepare_text([Weighted(corpus)], cache, held_out=11)
    options = TokenizerOptions(sampling=0.2)
    source = build_tokenizer("unigram", text.train.sources(), options=options)
    target = build_tokenizer("bpe", text.train.targets(), size=331, options=options)
    return Small(text, source, target, build_store(text.train, source, target, cache), cache)
