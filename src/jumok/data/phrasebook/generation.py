"""Examples of a language pair: drawn from a seed, split by a stable hash, linked word by word, written to files."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from jumok.data.phrasebook import say_english, say_french, say_korean
from jumok.data.phrasebook.meaning import Sentence
from jumok.data.phrasebook.sampler import Sampler
from jumok.data.phrasebook.well_known import WELL_KNOWN
from jumok.errors import DataError, did_you_mean

DEFAULT_PAIR = "en-ko"
DEFAULT_SEED = 1
TREE = "en-tree"
# split → the fewest and most white-space words (leaves, for trees) of each side; of the source side alone for `long`
SPLITS: dict[str, tuple[int, int]] = {"train": (3, 20), "dev": (3, 20), "test": (3, 20), "long": (21, 40)}
CAPACITY = {"train": 5_000_000, "dev": 500_000, "test": 500_000, "long": 5_000_000}
PATIENCE = 100_000  # draws without a new sentence before we say that there are no more

Word = tuple[str, tuple[int, ...]]


class Example(NamedTuple):
    """A sentence in two languages; a link (i, j) joins source word i and target word j."""

    source: str
    target: str
    links: tuple[tuple[int, int], ...]
    possible: tuple[tuple[int, int], ...] = ()
    """Which of the links need not be found."""
    scored: frozenset[int] | None = None
    """The target words whose links are compared with these; None: all."""


class Side(NamedTuple):
    """A sentence in one language: its words, each with the numbers it links through, and how many words count."""

    words: list[Word]
    length: int


def languages() -> tuple[str, ...]:
    """The languages: en, ko, fr, and en-tree, the English sentence as a bracketed tree."""
    return ("en", "ko", "fr", TREE)


def pairs() -> tuple[str, ...]:
    """Every ordered pair of two different languages, as `source-target`."""
    return tuple(f"{source}-{target}" for source in languages() for target in languages() if source != target)


def pair_languages(pair: str) -> tuple[str, str]:
    """(source, target) of a pair such as `en-ko` or `en-en-tree`; plain `en-tree` is English to trees too."""
    if pair == TREE:
        return "en", TREE
    for source in languages():
        target = pair.removeprefix(source + "-")
        if target != pair and target in languages() and target != source:
            return source, target
    known = ", ".join(pairs())
    raise DataError(f"the phrasebook has no pair '{pair}'{did_you_mean(pair, pairs())}; it has {known}")


def generate(
    pair: str = DEFAULT_PAIR, split: str = "train", size: int = 30_000, seed: int = DEFAULT_SEED
) -> Iterator[Example]:
    """`size` different examples of a pair; the same arguments always give the same ones.

    A sentence's split is a hash of its English, so that no test sentence is ever a training sentence, whatever the
    sizes and seeds; a longer corpus of the same seed begins with the shorter one. The training split begins with
    the sentences of `well_known`.
    """
    source, target = pair_languages(pair)
    _check_split(split, size)
    return _generate(source, target, split, size, seed)


def _check_split(split: str, size: int) -> None:
    if split not in SPLITS:
        known = ", ".join(SPLITS)
        raise DataError(f"the phrasebook has no split '{split}'{did_you_mean(split, SPLITS)}; it has {known}")
    if size < 0:
        raise DataError(f"the size of a corpus cannot be negative; {size} was asked for")
    most = CAPACITY[split]
    if size > most:
        raise DataError(f"the split '{split}' of the phrasebook holds at most {most} sentences; {size} were asked for")


def _generate(source: str, target: str, split: str, size: int, seed: int) -> Iterator[Example]:
    sampler = Sampler(Random(f"phrasebook {split} {seed}"))
    # A Korean sentence has about two thirds of the words of the English one: it takes more clauses to be long.
    clauses = (0, 0) if split != "long" else (4, 7) if source == "ko" else (3, 5)
    meanings = chain(WELL_KNOWN, iter(lambda: sampler.sentence(*clauses), None))
    yield from islice(distinct(meanings, source, target, split), size)


def split_of(english: str) -> tuple[str, int]:
    """(train, dev or test; the hash) of an English sentence: one in ten is a dev and one in ten a test sentence."""
    digest = int.from_bytes(blake2b(english.encode(), digest_size=8).digest(), "big")
    return ("test", "dev", "train")[min(digest % 10, 2)], digest


def distinct(meanings: Iterable[Sentence], source: str, target: str, split: str) -> Iterator[Example]:
    """The examples of a split among the meanings, each sentence once."""
    low, high = SPLITS[split]
    seen: set[int] = set()
    barren = 0
    for meaning in meanings:
        barren += 1
        if barren > PATIENCE:
            raise DataError(f"only {len(seen)} different sentences of the split '{split}' were found; ask for fewer")
        items = say_english.say(meaning)
        english: list[Word] = [(word, ids) for word, ids in items if ids is not None]
        home, digest = split_of(" ".join([word for word, _ in english]))
        if (home != split and split != "long") or digest in seen:
            continue
        sides = {"en": Side(english, len(english))}
        here, there = (sides.get(name) or _say(name, meaning, items, english) for name in (source, target))
        if not low <= here.length <= high or (split != "long" and not low <= there.length <= high):
            continue
        seen.add(digest)
        barren = 0
        yield _example(here, there, source, target, items)


def _say(language: str, meaning: Sentence, items: list[say_english.Item], english: list[Word]) -> Side:
    if language == TREE:
        words = [(text, english[place][1]) for text, place in tree_words(items)]
        return Side(words, len(english))
    words = (say_korean if language == "ko" else say_french).say(meaning)
    return Side(words, len(words))


def tree_words(items: list[say_english.Item]) -> list[tuple[str, int]]:
    """The tree's tokens, each with the English word it belongs to: `(NP` to its first word, `)` to its last."""
    out: list[tuple[str, int]] = []
    word = 0
    for text, ids in items:
        out.append((text, word - 1 if text == ")" else word))
        word += ids is not None
    return out


def _example(here: Side, there: Side, source: str, target: str, items: list[say_english.Item]) -> Example:
    if {source, target} == {"en", TREE}:
        links = [(place, token) for token, (_, place) in enumerate(tree_words(items))]
        if source == TREE:
            links = sorted((token, place) for place, token in links)
        else:
            links.sort()
    else:
        links = _links(here.words, there.words)
    text = " ".join([word for word, _ in here.words]), " ".join([word for word, _ in there.words])
    return Example(*text, tuple(links))


def _links(here: list[Word], there: list[Word]) -> list[tuple[int, int]]:
    places: dict[int, list[int]] = {}
    for j, (_, ids) in enumerate(there):
        for number in ids:
            places.setdefault(number, []).append(j)
    found: list[tuple[int, int]] = []
    for i, (_, ids) in enumerate(here):
        if len(ids) == 1:
            found += [(i, j) for j in places.get(ids[0], ())]
        elif ids:
            found += [(i, j) for j in sorted({j for number in ids for j in places.get(number, ())})]
    return found


def write(
    folder: Path | str, pair: str = DEFAULT_PAIR, split: str = "train", size: int = 30_000, seed: int = DEFAULT_SEED
) -> tuple[Path, Path, Path]:
    """The paths of the three files written, such as `train.en`, `train.ko` and `train.align` (links `i-j`).

    The files appear together when all is done, or not at all.
    """
    folder = Path(folder)
    source, target = pair_languages(pair)
    examples = generate(pair, split, size, seed)
    names = (f"{split}.{source}", f"{split}.{target}", f"{split}.align")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".phrasebook-", dir=folder) as draft:
            _write_lines([Path(draft) / name for name in names], examples)
            for name in names:
                _require_earlier(folder / name, Path(draft) / name)
            for name in names:
                os.replace(Path(draft) / name, folder / name)
    except OSError as error:
        raise DataError(f"the phrasebook cannot be written to {folder}: {error.strerror or error}") from error
    return folder / names[0], folder / names[1], folder / names[2]


def _require_earlier(old: Path, new: Path) -> None:
    """Raises unless the old file is the beginning of the new one, or missing: nothing else may be replaced."""
    try:
        kept = old.read_bytes()
    except FileNotFoundError:
        return
    with new.open("rb") as file:
        if file.read(len(kept)) != kept:
            raise DataError(f"{old} has other lines and would be lost; name another folder with --out, or move it away")


def _write_lines(paths: list[Path], examples: Iterable[Example]) -> None:
    with ExitStack() as stack:
        writers: list[Callable[[str], int]] = []
        for path in paths:
            writers.append(stack.enter_context(path.open("w", encoding="utf-8", newline="\n")).write)
        for one in examples:
            writers[0](one.source + "\n")
            writers[1](one.target + "\n")
            writers[2](" ".join([f"{i}-{j}" for i, j in one.links]) + "\n")
