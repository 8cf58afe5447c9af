"""HTML as blocks of text with inline tags; markup, scripts and comments stay as they are, and nothing is executed."""

import html
import re
from dataclasses import dataclass

from jumok.server.projection import Tag
from jumok.server.sentences import has_letter

# What is never closed ends with the document, as browsers read it: so no text is looked at twice.
# A value in quotation marks may have any sign in it; what was taken is not given back, so that looking takes no longer
# for being in vain.
_TOKEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<![^>]*(?:>|\Z)|<\?[^>]*(?:>|\Z)"
    r"|</?[A-Za-z](?:=[ \t\r\n]{0,9}\"[^\"]*\"|=[ \t\r\n]{0,9}'[^']*'|[^<>])*+>|</?[A-Za-z][^<>]*>",
    re.DOTALL,
)
_NAME = re.compile(r"</?([A-Za-z][\w:-]*)")
INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
        "kbd",
        "label",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "tt",
        "u",
        "var",
        "wbr",
        "x",
        "g",
        "ph",
    ]
)
VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr", "x", "ph"]
)
WHOLE = frozenset(["script", "style", "pre", "textarea", "noscript", "svg", "math"])
_KEPT = re.compile(r"""\btranslate\s*=\s*["']?no\b|\bclass\s*=\s*["'][^"']*\bnotranslate\b""", re.IGNORECASE)


@dataclass(frozen=True)
class Block:
    """Markup; with a text to translate, its entities resolved, and inline tags where it is not to stay as it is."""

    markup: str
    text: str | None = None
    tags: tuple[Tag, ...] = ()


def blocks(document: str) -> list[Block]:
    """The parts of a document, in order."""
    found: list[Block] = []
    text, tags, at, begun = "", list[Tag](), 0, 0

    def close(end: int) -> None:
        nonlocal text, tags
        if text or tags:
            whole = document[begun:end]
            found.append(Block(whole, text, tuple(tags)) if has_letter(text) else Block(whole))
        text, tags = "", []

    while match := _TOKEN.search(document, at):
        text += html.unescape(document[at : match.start()])
        at, tag = match.end(), match[0]
        named = _NAME.match(tag)
        name = named[1].lower() if named else ""
        if name in WHOLE or (named and not tag.startswith("</") and name not in VOID and _KEPT.search(tag)):
            close(match.start())
            at = begun = _end_of(document, name, at) if not tag.startswith("</") else at
            found.append(Block(document[match.start() : at]))
        elif name in INLINE:
            tags.append(Tag(len(text), tag, name, _kind(tag, name)))
        else:
            close(match.start())
            found.append(Block(tag))
            begun = at
    text += html.unescape(document[at:])
    close(len(document))
    return found


def _kind(tag: str, name: str) -> str:
    if tag.startswith("</"):
        return "close"
    return "alone" if name in VOID or tag.endswith("/>") else "open"


def _end_of(document: str, name: str, at: int) -> int:
    """Behind the end of an element that stays as it is, others of its name inside it counted."""
    depth = 1
    for match in re.finditer(rf"<(/?){re.escape(name)}\b[^<>]*>", document[at:], re.IGNORECASE):
        depth += -1 if match[1] else 1
        if not depth:
            return at + match.end()
    return len(document)
