"""Translation memories (TMX), streamed: memory holds one unit, however large the file."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from jumok.data.lines import opened
from jumok.errors import DataError

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
# Inline codes of formatting whose content is no text of the segment; <hi> and <sub> are text.
_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})


def read_units(path: Path, source: str, target: str) -> Iterator[tuple[str | None, str | None]]:
    """The segments of the two languages of each unit, None where a unit has none."""
    with opened(path) as file:
        try:
            root: ET.Element | None = None
            # Entities are refused by the parser, so a file cannot blow itself up or read another one.
            for event, element in iterparse(file, events=("start", "end")):
                if root is None:
                    root = element
                elif event == "end" and _local(element.tag) == "tu":
                    yield _segment(element, source), _segment(element, target)
                    element.clear()
                    _forget(root)
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
    """The text of the unit's first variant in that language."""
    wanted = language.lower()
    for variant in unit:
        if _local(variant.tag) != "tuv":
            continue
        found = (variant.get(_LANGUAGE) or variant.get("lang") or "").lower().replace("_", "-")
        if found == wanted or found.startswith(wanted + "-"):
            for child in variant:
                if _local(child.tag) == "seg":
                    return "".join(_text(child))
    return None


def _text(element: ET.Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if _local(child.tag) not in _CODES:
            yield from _text(child)
        yield child.tail or ""


def _local(tag: str) -> str:
    return tag.rpartition("}")[2].lower()
