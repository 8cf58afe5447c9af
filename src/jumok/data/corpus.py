"""Parallel corpora as streams of pairs: plain files, TSV, JSON lines, TMX; also packed (.gz), also generated.

Every reader gives one item for each line or unit, a `Pair` or the `Flaw` that stands in its place, and needs
memory for one item at a time.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from jumok.data.lines import FileFacts, Flaw, file_facts, read_lines, require_regular
from jumok.data.tmx import read_units
from jumok.errors import DataError


@dataclass(frozen=True, slots=True)
class Pair:
    """A source line, its target line, and the number of the line (from 1) or unit they stand in."""

    source: str
    target: str
    line: int
    alignment: str | None = None
    """Word links in Pharaoh form, `0-0 1-2`."""


class ParallelCorpus(Protocol):
    """Pairs of lines that can be read more than once."""

    @property
    def name(self) -> str:
        """What reports call the corpus."""
        ...

    def fingerprint(self) -> str:
        """A hash of the content; refuses the corpus if its files are missing or do not match."""
        ...

    def read(self) -> Iterator[Pair | Flaw]:
        """The pairs in order, flaws in their places."""
        ...


def pairs_of(corpus: ParallelCorpus) -> Iterator[Pair]:
    """The corpus's pairs; the first flaw is an error that names its file and line."""
    for item in corpus.read():
        if isinstance(item, Flaw):
            raise DataError(f"{item.where}: {item.reason}{f' ({item.detail})' if item.detail else ''}.")
        yield item


@dataclass(frozen=True)
class PlainCorpus:
    """Two files with the same number of lines."""

    source: Path
    target: Path

    @property
    def name(self) -> str:
        """Both files' names."""
        return f"{self.source.name} + {self.target.name}"

    def fingerprint(self) -> str:
        """The hash of both files, after their line counts have been compared."""
        source, target = file_facts(self.source), file_facts(self.target)
        _require_same(self.source, source, self.target, target)
        return _digest("plain", source.sha256, target.sha256)

    def read(self) -> Iterator[Pair | Flaw]:
        """Line i of one file with line i of the other."""
        for number, (source, target) in enumerate(_both(self.source, self.target), 1):
            if isinstance(source, Flaw):
                yield source
            elif isinstance(target, Flaw):
                yield target
            else:
                yield Pair(source, target, number)


@dataclass(frozen=True)
class TableCorpus:
    """One file with tab-separated columns; columns count from 0."""

    path: Path
    source_column: int = 0
    target_column: int = 1

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    def fingerprint(self) -> str:
        """The hash of the file and the columns."""
        return _digest("table", file_facts(self.path).sha256, self.source_column, self.target_column)

    def read(self) -> Iterator[Pair | Flaw]:
        """One pair per line."""
        needed = max(self.source_column, self.target_column)
        for number, line in enumerate(read_lines(self.path), 1):
            if isinstance(line, Flaw):
                yield line
                continue
            columns = line.split("\t")
            if len(columns) <= needed:
                detail = f"{len(columns)} of {needed + 1} columns"
                yield Flaw("missing column" if line.strip() else "empty", f"{self.path}:{number}", detail)
            else:
                yield Pair(columns[self.source_column], columns[self.target_column], number)


@dataclass(frozen=True)
class JsonLinesCorpus:
    """One JSON object per line; a key may be a path such as `translation.en`."""

    path: Path
    source_key: str = "source"
    target_key: str = "target"
    alignment_key: str = "alignment"

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    def fingerprint(self) -> str:
        """The hash of the file and the keys."""
        keys = (self.source_key, self.target_key, self.alignment_key)
        return _digest("jsonl", file_facts(self.path).sha256, *keys)

    def read(self) -> Iterator[Pair | Flaw]:
        """One pair per line."""
        for number, line in enumerate(read_lines(self.path), 1):
            yield line if isinstance(line, Flaw) else self._pair(line, number)

    def _pair(self, line: str, number: int) -> Pair | Flaw:
        where = f"{self.path}:{number}"
        if not line.strip():
            return Flaw("empty", where)
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            return Flaw("bad JSON", where)
        source, target = _at(row, self.source_key), _at(row, self.target_key)
        alignment = _at(row, self.alignment_key)
        if not isinstance(source, str) or not isinstance(target, str):
            missing = self.target_key if isinstance(source, str) else self.source_key
            return Flaw("missing key", where, f"no text at {missing!r}")
        try:
            (source + target).encode("utf-8")
        except UnicodeEncodeError:
            # JSON can write half of a UTF-16 pair, which is no character.
            return Flaw("bad UTF-8", where, "a lone surrogate")
        return Pair(source, target, number, alignment if isinstance(alignment, str) else None)


@dataclass(frozen=True)
class TmxCorpus:
    """A translation memory: the segments of two languages of each unit. `en` also finds `en-GB`."""

    path: Path
    source_language: str
    target_language: str

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    def fingerprint(self) -> str:
        """The hash of the file and the languages."""
        return _digest("tmx", file_facts(self.path, utf16=True).sha256, self.source_language, self.target_language)

    def read(self) -> Iterator[Pair | Flaw]:
        """One pair a unit; `line` counts units."""
        languages = (self.source_language, self.target_language)
        for number, (source, target) in enumerate(read_units(self.path, *languages), 1):
            if source is None or target is None:
                missing = languages[0] if source is None else languages[1]
                yield Flaw("missing language", f"{self.path}: unit {number}", f"no segment in {missing!r}")
            else:
                yield Pair(source, target, number)


@dataclass(frozen=True)
class GeneratedCorpus:
    """Pairs that a function makes, the same ones at each call; `identity` names what they depend on."""

    name: str
    identity: str
    generate: Callable[[], Iterable[Pair]]

    def fingerprint(self) -> str:
        """The hash of the identity."""
        return _digest("generated", self.name, self.identity)

    def read(self) -> Iterator[Pair | Flaw]:
        """The generated pairs."""
        yield from self.generate()


@dataclass(frozen=True)
class AlignedCorpus:
    """A corpus with a Pharaoh file of word links, one line for each of its lines or units."""

    corpus: ParallelCorpus
    path: Path

    @property
    def name(self) -> str:
        """The corpus's own name."""
        return self.corpus.name

    def fingerprint(self) -> str:
        """The hash of both, after their counts have been compared."""
        links = file_facts(self.path)
        if isinstance(self.corpus, PlainCorpus):
            _require_same(self.corpus.source, file_facts(self.corpus.source), self.path, links)
        return _digest("aligned", self.corpus.fingerprint(), links.sha256)

    def read(self) -> Iterator[Pair | Flaw]:
        """The pairs with their links."""
        lines = read_lines(self.path)
        number = 0
        for number, item in enumerate(self.corpus.read(), 1):
            links = next(lines, None)
            if links is None:
                raise DataError(
                    f"{self.path} has {number - 1} lines but {self.name} has more; give each pair a line of links."
                )
            if isinstance(item, Flaw):
                yield item
            elif isinstance(links, Flaw):
                yield links
            else:
                yield replace(item, alignment=links)
        if next(lines, None) is not None:
            raise DataError(f"{self.path} has more lines than the {number} pairs of {self.name}; they must match.")


@dataclass(frozen=True)
class Weighted:
    """A corpus among several, and how often its sentences are drawn in an epoch."""

    corpus: ParallelCorpus
    weight: float = 1.0


def open_corpus(
    source: str | Path,
    target: str | Path | None = None,
    *,
    alignment: str | Path | None = None,
    source_language: str | None = None,
    target_language: str | None = None,
) -> ParallelCorpus:
    """The corpus of two line-aligned files, or of one file of pairs by its ending (.tsv, .jsonl, .tmx)."""
    path = Path(source)
    for name in (path, *([Path(target)] if target else []), *([Path(alignment)] if alignment else [])):
        require_regular(name)
    corpus = PlainCorpus(path, Path(target)) if target else _one_file(path, source_language, target_language)
    return AlignedCorpus(corpus, Path(alignment)) if alignment else corpus


def _one_file(path: Path, source_language: str | None, target_language: str | None) -> ParallelCorpus:
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    if ending in (".tsv", ".tab"):
        return TableCorpus(path)
    if ending in (".jsonl", ".ndjson", ".jsonlines"):
        return _json_lines(path, source_language, target_language)
    if ending == ".tmx":
        if not source_language or not target_language:
            raise DataError(f"{path} holds several languages; set data.source_language and data.target_language.")
        return TmxCorpus(path, source_language, target_language)
    raise DataError(f"{path} needs a target file; files of pairs end in .tsv, .jsonl or .tmx (also .gz).")


def _json_lines(path: Path, source_language: str | None, target_language: str | None) -> JsonLinesCorpus:
    """The keys that the first row has: `source` and `target`, the languages, or `translation.<language>`."""
    first = next((line for line in read_lines(path) if isinstance(line, str) and line.strip()), "{}")
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        row = {}
    found: list[str] = []
    for plain, language in (("source", source_language), ("target", target_language)):
        keys = [plain] + ([language, f"translation.{language}"] if language else [])
        found.append(next((key for key in keys if isinstance(_at(row, key), str)), plain))
    return JsonLinesCorpus(path, *found)


def _at(row: Any, key: str) -> Any:
    """The value at a key, or at a path of keys with dots."""
    if isinstance(row, dict) and key in row:
        return row[key]
    for part in key.split("."):
        if not isinstance(row, dict):
            return None
        row = row.get(part)
    return row


def _both(first: Path, second: Path) -> Iterator[tuple[str | Flaw, str | Flaw]]:
    """The lines of two files side by side; both must end together."""
    left, right = read_lines(first), read_lines(second)
    for one in left:
        other = next(right, None)
        if other is None:
            _require_same(first, file_facts(first), second, file_facts(second))
            return
        yield one, other
    if next(right, None) is not None:
        _require_same(first, file_facts(first), second, file_facts(second))


def _require_same(first: Path, one: FileFacts, second: Path, other: FileFacts) -> None:
    if one.lines != other.lines:
        raise DataError(
            f"{first} has {one.lines} lines but {second} has {other.lines}; line n of one must belong to line n "
            "of the other (lines end with a newline only, not with U+2028 or the like)."
        )


def _digest(*parts: object) -> str:
    return sha256("\x1f".join(map(str, parts)).encode("utf-8")).hexdigest()
