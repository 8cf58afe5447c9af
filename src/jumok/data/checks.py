"""What is looked at before training: rules for a pair, and a short report of what was dropped and why."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import Any

from jumok.data.corpus import Pair, ParallelCorpus
from jumok.data.lines import Flaw
from jumok.errors import DataError
from jumok.text.normal import normalise

EXAMPLES = 3
# Characters that other programs take for the end of a line. Here they are white space.
_FALSE_LINE_END = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_LINK = re.compile(r"(\d+)([-p?])(\d+)\Z")


@dataclass(frozen=True)
class Rules:
    """When a pair is dropped. None switches a rule off."""

    max_ratio: float | None = 9.0
    """Longer side over shorter side, in characters, 5 added to both so that short lines have some freedom."""
    max_words: int | None = 300
    """White-space words on either side."""
    max_characters: int | None = 3000
    """Characters on either side."""
    drop_duplicates: bool = True
    """Of equal pairs the first stays."""
    drop_overlap: bool = True
    """Training pairs whose source stands in the validation or test text go."""


@dataclass
class CorpusReport:
    """How many pairs were read and kept, what was dropped with first examples, and what was only noticed."""

    name: str
    read: int = 0
    kept: int = 0
    held_out: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    noticed: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def drop(self, reason: str, where: str, detail: str = "", count: int = 1) -> None:
        """Count a dropped pair."""
        self.dropped[reason] = self.dropped.get(reason, 0) + count
        self._example(reason, where, detail)

    def notice(self, reason: str, where: str, detail: str = "") -> None:
        """Count a pair that is odd but stays."""
        self.noticed[reason] = self.noticed.get(reason, 0) + 1
        self._example(reason, where, detail)

    def _example(self, reason: str, where: str, detail: str) -> None:
        examples = self.examples.setdefault(reason, [])
        if len(examples) < EXAMPLES:
            examples.append(f"{where}{f' ({detail})' if detail else ''}")

    def to_json(self) -> dict[str, Any]:
        """The report as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "CorpusReport":
        """The report of `to_json`."""
        return cls(**values)

    def summary(self) -> str:
        """How many pairs were read and dropped, in half a line."""
        dropped = ", ".join(f"{count} {reason}" for reason, count in self.dropped.items())
        return f"{self.name}: {self.read} pairs read, dropped {dropped or 'none'}"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.kept} of {self.read} pairs kept"]
        if self.held_out:
            lines[0] += f", {self.held_out} held out for validation"
        for reason, count in self.dropped.items():
            lines.append(f"  dropped {count}: {reason}, as in {self.examples[reason][0]}")
        for reason, count in self.noticed.items():
            lines.append(f"  noticed {count}: {reason}, as in {self.examples[reason][0]}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Clean:
    """A pair that passed, normalised, with hashes to find it again."""

    source: str
    target: str
    alignment: str | None
    line: int
    source_key: int
    pair_key: int


def text_key(text: str) -> int:
    """A 64-bit hash of a text."""
    return int.from_bytes(blake2b(text.encode("utf-8"), digest_size=8).digest(), "little")


def clean_pairs(
    corpus: ParallelCorpus, rules: Rules | None, report: CorpusReport, known_sources: set[int]
) -> Iterator[Clean]:
    """The pairs that pass the rules, normalised; all others are counted in the report.

    Without rules (validation and test text is never made easier) only what cannot be read or is empty goes.
    """
    for item in corpus.read():
        report.read += 1
        if isinstance(item, Flaw):
            report.drop(item.reason, item.where, item.detail)
            continue
        source, target = normalise(item.source), normalise(item.target)
        where = f"{corpus.name}:{item.line}"
        if _FALSE_LINE_END.search(item.source) or _FALSE_LINE_END.search(item.target):
            report.notice("stray line break inside a line, read as a space", where)
        if not source or not target:
            report.drop("empty", where, "both sides" if source == target else "one side")
            continue
        if rules is not None and (flaw := _broken_rule(source, target, rules)):
            report.drop(flaw[0], where, flaw[1])
            continue
        source_key = text_key(source)
        if source_key in known_sources:
            report.drop("source stands in the validation or test text", where)
            continue
        alignment = None if item.alignment is None else checked_links(item, source, target, where)
        report.kept += 1
        yield Clean(source, target, alignment, item.line, source_key, text_key(f"{source}\n{target}"))


def _broken_rule(source: str, target: str, rules: Rules) -> tuple[str, str] | None:
    shorter, longer = sorted((len(source), len(target)))
    if rules.max_characters is not None and longer > rules.max_characters:
        return "overlong", f"{longer} characters"
    if rules.max_words is not None and (words := max(source.count(" "), target.count(" ")) + 1) > rules.max_words:
        return "overlong", f"{words} words"
    if rules.max_ratio is not None and longer + 5 > rules.max_ratio * (shorter + 5):
        return "absurd length ratio", f"{shorter} to {longer} characters"
    return None


def parse_links(alignment: str, where: str) -> list[tuple[int, int, bool]]:
    """The links of a Pharaoh line as (source word, target word, sure); `i-j` is sure, `ipj` and `i?j`
    possible."""
    links: list[tuple[int, int, bool]] = []
    for text in alignment.split():
        link = _LINK.match(text)
        if link is None:
            raise DataError(f"{where}: {text!r} is not a word link; write i-j, ipj or i?j with numbers from 0.")
        links.append((int(link[1]), int(link[3]), link[2] == "-"))
    return links


def checked_links(pair: Pair, source: str, target: str, where: str) -> str:
    """The pair's links in one form, or an error if one points outside the sentence: then the files do not
    match."""
    words = (source.count(" ") + 1, target.count(" ") + 1)
    links = parse_links(pair.alignment or "", where)
    for i, j, _ in links:
        if i >= words[0] or j >= words[1]:
            raise DataError(
                f"{where}: link {i}-{j} points outside a pair of {words[0]} and {words[1]} words; check that "
                "the alignment file belongs to this text."
            )
    return " ".join(f"{i}{'-' if sure else 'p'}{j}" for i, j, sure in links)
