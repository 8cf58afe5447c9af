"""Translation memories (TMX), streamed: memory holds one unit, however large the file."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from jumok.data.lines import opened
from jumok.errors import DataError

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# Inline codes of formatting whose content is not part of the text; <hi> and <sub> are text.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})
FAR = 4
LARGEST_UNIT = 1 << 24
"""Bytes between the ends of two units: a file with more was made to fill the memory."""


class _Bounded:
    """A file whose reader must finish a unit now and then."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path, self._read = file, path, 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes; refuses to read on where no unit has ended for too long."""
        block = self._file.read(size)
        self._read += len(block)
        if self._read > LARGEST_UNIT:
            raise DataError(
                f"{self._path} has more than {LARGEST_UNIT >> 20} MB without the end of a unit (<tu>); it is damaged, "
                "or not a TMX."
            )
        return block

    def unit_ended(self) -> None:
        """A unit was taken and forgotten."""
        self._read = 0


def read_units(path: Path, source: str, target: str) -> Iterator[tuple[str | None, str | None]]:
    """The segments of the two languages of each unit, None where a unit has none."""
    with opened(path) as file:
        try:
            root: ET.Element | None = None
            bounded = _Bounded(file, path)
            # Entities are refused by the parser, so a file cannot blow itself up or read another one.
            for event, element in iterparse(bounded, events=("start", "end")):
                if root is None:
                    root = element
                elif event == "end" and _local(element.tag) == "tu":
                    yield _segment(element, source), _segment(element, target)
                    element.clear()
                    _forget(root)
                    bounded.unit_ended()
        except DefusedXmlException as error:
            raise DataError(f"{path} declares XML entities, which are refused; write the characters out.") from error
        except RecursionError as error:
            raise DataError(f"{path} nests its elements too deeply to be a TMX.") from error
        except ET.ParseError as error:
            raise DataError(f"{path} is not well-formed TMX: {error}.") from error


def _forget(root: ET.Element) -> None:
    """Drop finished units, which the tree would keep."""
    for body in root:
        if _local(body.tag) == "body":
            body.clear()


def _segment(unit: ET.Element, language: str) -> str | None:
    """The text of the unit's variant in that language: `en-US` takes `en-US`, else `en`, else another English."""
    wanted = language.lower().replace("_", "-")
    variants = [variant for variant in unit if _local(variant.tag) == "tuv"]
    near = [variant for variant in variants if _distance(_code(variant), wanted) < FAR]
    for variant in sorted(near, key=lambda one: _distance(_code(one), wanted)):
        for child in variant:
            if _local(child.tag) == "seg":
                return "".join(_text(child))
    return None


def _code(variant: ET.Element) -> str:
    return (variant.get(_LANGUAGE) or variant.get("lang") or "").lower().replace("_", "-")


def _distance(found: str, wanted: str) -> int:
    """0 for the language itself, 1 for a region of it, 2 for it without the region, 3 for another region, else FAR."""
    base = wanted.partition("-")[0]
    kinds = (found == wanted, found.startswith(wanted + "-"), found == base, found.startswith(base + "-"))
    return kinds.index(True) if True in kinds else FAR


def _text(element: ET.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if _local(child.tag) not in _CODES:
            yield from _text(child)
        yield child.tail or ""


def _local(tag: str) -> str:
    return tag.rpartition("}")[2].lower()
