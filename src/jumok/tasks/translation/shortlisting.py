"""The shortlist of a run, learned from its own training text or from other pairs: likely translations of each word."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from jumok.data.corpus import pairs_of
from jumok.engine.shortlist import Shortlist, learn_shortlist
from jumok.run.folder import read_translation_config, tokenizers_of
from jumok.shapes import EOS
from jumok.tasks.translation.prepare import open_corpora

LOOKED_AT = 1000
"""Pairs that are looked at again with their shortlists."""


@dataclass(frozen=True)
class LearnedShortlist:
    """A shortlist with its file, and how many of `of` pairs it learned from can be written with it."""

    path: Path
    shortlist: Shortlist
    writable: int
    of: int


def write_shortlist(
    run: Path,
    lines: Sequence[tuple[str, str]] | None = None,
    *,
    common: int = 100,
    each: int = 50,
    pairs: int = 200_000,
) -> LearnedShortlist:
    """Learns which words each word may become and keeps it with the run, for `jumok.load(run, shortlist=True)`.

    lines    pairs to learn from; the run's own training text if not given
    common   most frequent target tokens, allowed in every sentence
    each     likeliest target tokens of each source token
    pairs    number of pairs to read at most
    """
    config, (read, written) = read_translation_config(run), tokenizers_of(run)
    if lines is None:
        parts = open_corpora(config.data).train
        lines = [(one.source, one.target) for part in parts for one in islice(pairs_of(part.corpus), pairs)]
    ids = [(read.encode(one), written.encode(other)) for one, other in lines[:pairs]]
    found = learn_shortlist(ids, read.size, written.size, common=common, each=each)
    seen = [set(found.of([*one, EOS])).issuperset(other) for one, other in ids[:LOOKED_AT]]
    return LearnedShortlist(found.save(run), found, sum(seen), len(seen))
