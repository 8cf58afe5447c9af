"""SVG that can stand inside an HTML page: its own ids, no scripts, and colours that follow light and dark."""

import re
from xml.etree import ElementTree

from jumok.figure import GRID, HEAT, INK, MUTED, PAPER

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
# These colours become variables of the page, which knows whether it is light or dark; the others serve both.
_VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--grid", PAPER: "--paper", HEAT: "--heat"}
_COLOUR = re.compile("|".join(_VARIABLES), re.IGNORECASE)
_DRAWN = "svg g defs path text tspan use clipPath rect image title desc line circle polyline polygon"
_KEPT = frozenset(f"{{{SVG}}}{name}" for name in _DRAWN.split())


def inline_svg(document: str, prefix: str, label: str) -> str:
    """An SVG document made by this project as an element for HTML, described to screen readers by `label`."""
    for name, space in (("", SVG), ("xlink", XLINK)):
        ElementTree.register_namespace(name, space)
    root = ElementTree.fromstring(document.encode("utf-8"))
    _drop_foreign(root)
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            element.set(name, _attribute(name, value, prefix))
    root.set("role", "img")
    root.set("aria-label", label)
    # These two stood in the style sheet of the document, which would have reached over the whole page.
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt; max-width: 100%; height: auto")
    return ElementTree.tostring(root, encoding="unicode")


def _drop_foreign(parent: ElementTree.Element) -> None:
    """Leaves out metadata, style sheets and anything else that is not drawn."""
    for child in list(parent):
        if child.tag in _KEPT:
            _drop_foreign(child)
        else:
            parent.remove(child)


def _attribute(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}-{value}"
    if name in ("href", f"{{{XLINK}}}href") and value.startswith("#"):
        return f"#{prefix}-{value[1:]}"
    value = value.replace("url(#", f"url(#{prefix}-")
    if name == "style":
        return _COLOUR.sub(lambda found: f"var({_VARIABLES[found[0].lower()]}, {found[0]})", _with_ink(value))
    return value


def _with_ink(style: str) -> str:
    """Black is matplotlib's unwritten default for text; written, it can follow the page."""
    return f"{style}; fill: {INK}" if "font" in style and "fill:" not in style else style
