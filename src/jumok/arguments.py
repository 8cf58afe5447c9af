"""Numbers and texts that a caller gives, checked where they come in: from Python, a config or the command line."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any, cast

from jumok.errors import InputError

# The most that an option which counts something may ask for: far above any use, and below what exhausts the machine
# before an error can be reported.
MOST_THREADS = 512
MOST_BEAM = 1000
MOST_TOKENS = 1_000_000
MOST_LINES = 1_000_000_000
LARGEST_SEED = 2**44 - 1
"""What a seed may be: random numbers are seeded with a million times as much, which must fit into 64 bits."""


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """Raises unless the value is a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} must be a whole number, not {shown(value)}.")
    if not least <= int(value) <= most:
        raise InputError(f"{name} must be from {least} to {most}, not {value}.")


def check_finite(name: str, value: object, least: float = -math.inf, most: float = math.inf) -> None:
    """Raises unless the value is an ordinary number, neither nan nor infinite, from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{name} must be a number, not {shown(value)}.")
    if not math.isfinite(value):
        raise InputError(f"{name} must be finite, not {value}.")
    if not least <= float(value) <= most:
        bounds = f"from {least:g} to {most:g}" if math.isfinite(most) else f"at least {least:g}"
        raise InputError(f"{name} must be {bounds}, not {value}.")


def check_text(name: str, value: object) -> None:
    """Raises unless the value is a text that can be written as UTF-8."""
    if isinstance(value, bytes | bytearray):
        raise InputError(f"{name} must be a text, not bytes; decode it first, such as with .decode('utf-8').")
    if not isinstance(value, str):
        raise InputError(f"{name} must be a text, not {shown(value)}.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name} has a lone surrogate at character {error.start + 1}; it is not Unicode text."
        ) from None


def check_folder(value: object) -> None:
    """Raises unless the value can name a run folder."""
    if not isinstance(value, str | PathLike):
        raise InputError(f"a run folder is named by a text or a Path, not by {shown(value)}.")


def check_words(name: str, value: object) -> None:
    """Raises unless the value is a list of texts; one text alone would be taken for a list of letters."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise InputError(f"{name} must be a list of words, such as ['word'], not {shown(value)}.")
    for word in cast("Sequence[object]", value):
        check_text(f"each word of {name}", word)


def lines_of(text: object) -> list[str]:
    """The lines of one text or of a list of texts, each of them checked."""
    if not isinstance(text, str | bytes | bytearray):
        return list(each_line(text))
    check_text("the text", text)
    return [cast("str", text)]


def each_line(lines: object) -> Iterator[str]:
    """The texts of a list or stream one by one, each checked when its turn comes."""
    if isinstance(lines, str | bytes | bytearray | Mapping) or not isinstance(lines, Iterable):
        raise InputError(f"texts are needed, such as a list of them, not {shown(lines)}.")
    for number, line in enumerate(cast("Iterable[Any]", lines), start=1):
        check_text(f"line {number}", line)
        yield line


def pairs_of(pairs: object) -> list[tuple[str, str]]:
    """Pairs of a source and a target text, each of them checked."""
    if isinstance(pairs, str | bytes | Mapping) or not isinstance(pairs, Iterable):
        raise InputError(f"a list of pairs is needed, such as [('source', 'target')], not {shown(pairs)}.")
    found: list[tuple[str, str]] = []
    for number, pair in enumerate(cast("Iterable[Any]", pairs), start=1):
        if not isinstance(pair, tuple | list) or len(cast("Sequence[Any]", pair)) != 2:
            raise InputError(f"pair {number} must be (source, target), two texts, not {shown(pair)}.")
        source, target = cast("tuple[Any, Any]", pair)
        check_text(f"the source of pair {number}", source)
        check_text(f"the target of pair {number}", target)
        found.append((source, target))
    return found


def shown(value: object) -> str:
    """A value as an error names it: short, and None or a number as it is written."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        text = repr(value)
        return text if len(text) <= 40 else f"{text[:37]}…"
    return f"a {type(value).__name__}"
