"""Every picture of the project gets its style, its fonts and its file here; matplotlib is loaded when first
used.

SVG keeps text as text, with a list of fonts that covers Hangul on every system and the glyphs of its own Hangul
inside, so a browser shows it whatever is installed. PNG needs real glyphs: an installed font that has them is looked
for, Hangul has the package's own font to fall back on, and for other scripts without a font the picture is still made
and a note says which characters are missing and what to install.

The same figure gives the same bytes: no dates, no version, fixed ids. What a caller writes into a picture is
data: `$x$` is not mathematics, `<b>` is not markup, and control characters are shown, not obeyed.
"""

import logging
import re
import threading
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jumok.durable import replace_file
from jumok.errors import InputError
from jumok.fonts import FAMILY, FILE, font_face, is_hangul
from jumok.fonts.choice import FontChoice
from jumok.output import MAKER, SVG_MARK, require_picture_place

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from numpy.typing import NDArray

INK = "#1f2933"
MUTED = "#66717e"
GRID = "#dfe3e8"
PAPER = "#ffffff"
HEAT = "#0072b2"
GOLD = "#d55e00"
# Colours that stay apart for colour-blind readers (Okabe and Ito 2008), without the yellow lost on white.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1f2933")
# A second sign beside colour, so that a grey print can be read too.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")

KOREAN_FONTS = (
    "Noto Sans KR",
    "Noto Sans CJK KR",
    "Apple SD Gothic Neo",
    "Malgun Gothic",
    "NanumGothic",
    "Nanum Gothic",
    "NanumBarunGothic",
    "UnDotum",
    "Baekmuk Gulim",
    "AppleGothic",
    "Gulim",
)
# Latin first, then Korean of each system, then the other scripts of East Asia.
SVG_FONTS = (
    "DejaVu Sans",
    "Noto Sans",
    "Segoe UI",
    "Helvetica Neue",
    "Arial",
    *KOREAN_FONTS[:6],
    "Noto Sans CJK JP",
    "PingFang SC",
    "Microsoft YaHei",
    FAMILY,
    "sans-serif",
)

_PNG_DPI = 160
_PNG_LARGEST_SIDE = 12_000
_drawing = threading.RLock()


class MissingGlyphs(UserWarning):
    """No installed font can draw some characters of a picture."""


# ---------------------------------------------------------------- text as data

_NOT_DRAWABLE = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\u202a-\u202e\u2066-\u2069\x80-\x9f]")
_SHOWN_BREAKS = {9: "⇥", 10: "↵", 13: "↵", 0x2028: "↵", 0x2029: "↵"}
_CONTROLS = dict.fromkeys([*range(32), 127], "\ufffd") | _SHOWN_BREAKS


def printable(text: str) -> str:
    """The text as it can stand in XML, a terminal or a picture: tab and newline become ⇥ and ↵.

    Composed (NFC), so that split-up Hangul finds its glyphs; what would reverse the text around it, and what
    is no character at all, becomes the replacement character.
    """
    composed = unicodedata.normalize("NFC", text)
    return _NOT_DRAWABLE.sub("\ufffd", composed.translate(_CONTROLS))


def _joins_previous(character: str) -> bool:
    """Whether the character is drawn onto the one before it."""
    return unicodedata.category(character) in ("Mn", "Me", "Mc") or character in "\u200d\u200c"


def clusters(text: str) -> list[str]:
    """The text cut where a reader would cut it: combining marks and joined signs stay with their base."""
    parts: list[str] = []
    for character in text:
        glued = bool(parts) and (_joins_previous(character) or parts[-1].endswith("\u200d"))
        if glued:
            parts[-1] += character
        else:
            parts.append(character)
    return parts


def cluster_cells(cluster: str) -> int:
    """Columns of a terminal a cluster takes: two for Hangul and other wide signs, none for what is
    invisible.
    """
    first = cluster[:1]
    if not first or unicodedata.category(first) in ("Mn", "Me", "Cf"):
        return 0
    # Middle and final letters of Hangul stand inside the syllable that their first letter has opened.
    if "\u1160" <= first <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(first) in "WF" or "\ufe0f" in cluster else 1


def cells(text: str) -> int:
    """Columns of a terminal that the text takes."""
    return sum(cluster_cells(cluster) for cluster in clusters(text))


def shorten(text: str, most: int) -> str:
    """The text, or its beginning and `…` where it takes more than `most` columns."""
    if cells(text) <= most:
        return text
    kept, used = "", 0
    for cluster in clusters(text):
        used += cluster_cells(cluster)
        if used > most - 1:
            break
        kept += cluster
    return kept + "…"


def text_width(text: str, size: float) -> float:
    """A safe width in inches of the text at `size` points, the same whatever fonts are installed."""
    ems = sum(_ems(cluster) for cluster in clusters(text))
    return (ems + 0.1) * size / 72


def _ems(cluster: str) -> float:
    """Wide signs fill their square, capitals and letters of unknown scripts most of it, Latin about half."""
    if cluster_cells(cluster) == 2:
        return 1.04
    broad = cluster.isupper() or (cluster[:1] > "\u0900" and unicodedata.category(cluster[0]) == "Lo")
    return (0.85 if broad else 0.58) * cluster_cells(cluster)


# ---------------------------------------------------------------- drawing


@contextmanager
def drawing() -> Iterator[None]:
    """The project's style for what is drawn inside; one thread at a time, since matplotlib's settings are
    global.
    """
    import matplotlib

    # matplotlib checks these names itself when they are set.
    style: Any = {
        "font.family": ["DejaVu Sans"],
        "font.size": 10.0,
        "text.color": INK,
        "text.parse_math": False,
        "text.usetex": False,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "axes.facecolor": "none",
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": False,
        "axes.axisbelow": True,
        "axes.unicode_minus": True,
        "grid.color": GRID,
        "grid.linewidth": 0.8,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "lines.linewidth": 1.8,
        "lines.markersize": 5.5,
        "legend.frameon": False,
        "figure.facecolor": PAPER,
        "svg.fonttype": "none",
        "svg.hashsalt": "jumok",
        "svg.image_inline": True,
    }
    with _drawing, matplotlib.rc_context(rc=style):
        yield


def blank(width: float, height: float) -> "Figure":
    """An empty figure of that many inches, outside pyplot: nothing stays behind when it is dropped."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def sheet(width: float, height: float) -> "tuple[Figure, Axes]":
    """A figure with one bare axes over all of it, measured in inches from the upper left corner."""
    page = blank(width, height)
    axes = page.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, width)
    axes.set_ylim(height, 0.0)
    axes.set_axis_off()
    return page, axes


def add_panel(page: "Figure", box: tuple[float, float, float, float]) -> "Axes":
    """Adds framed axes without ticks, in a box (left, top, width, height) of inches on the sheet."""
    width, height = page.get_size_inches()
    left, top, wide, high = box
    axes = page.add_axes((left / width, 1 - (top + high) / height, wide / width, high / height))
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set(visible=True, color=GRID)
    return axes


def add_heat(axes: "Axes", matrix: "NDArray[Any]") -> None:
    """Fills axes with a matrix of weights 0…1 as shades."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("jumok", [PAPER, HEAT])
    axes.imshow(matrix, cmap=shades, vmin=0.0, vmax=1.0, aspect="auto", interpolation="nearest")


def write(
    axes: "Axes",
    x: float,
    y: float,
    text: str,
    *,
    size: float = 10.0,
    rotation: float = 0.0,
    align: Literal["left", "center", "right"] = "left",
    vertical: Literal["center", "top", "bottom", "baseline"] = "center",
    color: str = INK,
    bold: bool = False,
) -> None:
    """Writes the text as data at a point of the axes, turned around its anchor."""
    axes.text(
        x, y, printable(text), size=size, rotation=rotation, rotation_mode="anchor", ha=align, va=vertical,
        color=color, weight="bold" if bold else "normal", clip_on=False, parse_math=False, usetex=False,
    )  # fmt: skip


# ---------------------------------------------------------------- fonts


def _needs_glyph(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cn", "Cs", "Zs", "Zl", "Zp") and not (
        "\ufe00" <= character <= "\ufe0f"
    )


@lru_cache(maxsize=512)
def _characters_of(path: str) -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    try:
        return frozenset(FT2Font(path).get_charmap())
    except (OSError, RuntimeError, ValueError):
        return frozenset()


@lru_cache(maxsize=1)
def _scan_system_fonts() -> None:
    """Adds fonts installed after matplotlib wrote its list of them."""
    from matplotlib import font_manager

    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    for path in sorted(set(font_manager.findSystemFonts()) - known):
        try:
            font_manager.fontManager.addfont(path)
        except (OSError, RuntimeError, ValueError):
            continue


@lru_cache(maxsize=1)
def _add_own_font() -> None:
    """Lets matplotlib draw with the font that comes with the package."""
    from matplotlib import font_manager

    font_manager.fontManager.addfont(str(FILE))


def _installed_fonts() -> list[tuple[str, str]]:
    """(family, file) of upright regular fonts, Korean ones first; never those that only draw placeholders."""
    from matplotlib import font_manager

    fonts = {
        entry.name: entry.fname
        for entry in font_manager.fontManager.ttflist
        if entry.style == "normal" and entry.weight in (400, "normal", "regular", "book", "medium", 500)
        and not entry.name.startswith((".", "Last", "STIX", "cm", "Noto Color"))
    }  # fmt: skip
    rank = {name: number for number, name in enumerate((*KOREAN_FONTS, *SVG_FONTS))}
    return sorted(fonts.items(), key=lambda font: (rank.get(font[0], len(rank)), font[0]))


def choose_fonts(text: str) -> FontChoice:
    """Installed fonts that together draw the text, as far as there are any; DejaVu Sans, always there,
    leads.
    """
    from matplotlib import font_manager

    base = font_manager.findfont("DejaVu Sans")
    families = ["DejaVu Sans"]
    missing = {character for character in text if _needs_glyph(character)}
    missing = {character for character in missing if ord(character) not in _characters_of(base)}
    for rescan in (False, True):
        if missing and rescan:
            _scan_system_fonts()
            _add_own_font()
        ours = [(FAMILY, str(FILE))] if rescan else []
        for name, path in [*_installed_fonts(), *ours] if missing else ():
            found = {character for character in missing if ord(character) in _characters_of(path)}
            if found:
                families.append(name)
                missing -= found
    return FontChoice(tuple(families), frozenset(missing))


# ---------------------------------------------------------------- saving


@contextmanager
def _quiet() -> Iterator[None]:
    """Silences matplotlib's own words about fonts and glyphs: ours say it once, with what to do."""
    logger = logging.getLogger("matplotlib.font_manager")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")
            yield
    finally:
        logger.setLevel(level)


def _texts(figure: "Figure") -> "list[Text]":
    from matplotlib.text import Text

    figure.draw_without_rendering()
    return [artist for artist in figure.findobj(Text) if isinstance(artist, Text)]


def _set_families(texts: "Sequence[Text]", families: Sequence[str]) -> None:
    import matplotlib

    # Ticks may be made again while drawing; they take the setting, the others take it from here.
    matplotlib.rcParams["font.family"] = list(families)
    for text in texts:
        text.set_fontfamily(list(families))


def to_svg(figure: "Figure") -> str:
    """The figure as one SVG document with text as text, byte for byte the same on every call."""
    import matplotlib

    with drawing(), _quiet():
        matplotlib.rcParams["font.sans-serif"] = []
        texts = _texts(figure)
        _set_families(texts, SVG_FONTS)
        buffer = BytesIO()
        nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(buffer, format="svg", metadata=nothing)
        svg = buffer.getvalue().decode("utf-8")
    hangul = frozenset(character for text in texts for character in text.get_text() if is_hangul(character))
    return svg.replace("<defs>", f"<defs>\n  <style>{font_face(hangul)}</style>", 1) if hangul else svg


def to_png(figure: "Figure") -> tuple[bytes, list[str]]:
    """The figure as PNG, and notes on what could not be drawn as it should be."""
    with drawing(), _quiet():
        texts = _texts(figure)
        written = "".join(text.get_text() for text in texts)
        choice = choose_fonts(written)
        _set_families(texts, choice.families)
        side = max(figure.get_size_inches())
        buffer = BytesIO()
        dpi = min(_PNG_DPI, _PNG_LARGEST_SIDE / side)
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": MAKER})
    notes = [choice.note(), _shaping_note(written)]
    return buffer.getvalue(), [note for note in notes if note is not None]


def _shaping_note(text: str) -> str | None:
    """Before 3.11 matplotlib lays letters out from left to right, unjoined, whatever the script."""
    import matplotlib

    right_to_left = any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
    if not right_to_left or tuple(int(part) for part in matplotlib.__version__.split(".")[:2]) >= (3, 11):
        return None
    return "right-to-left text needs matplotlib 3.11 to be drawn right in PNG: upgrade it or save as .svg"


def _marked(svg: str) -> str:
    """The document with the comment by which our pictures are told from others."""
    return svg.replace("<svg ", f"{SVG_MARK}\n<svg ", 1)


def save(figure: "Figure", path: str | Path) -> list[str]:
    """Saves as SVG or PNG by the suffix of the path; returns (and warns with) notes on what could not be
    drawn.
    """
    path = Path(path)
    require_picture_place(path)
    svg = path.suffix.lower() == ".svg"
    content, notes = (_marked(to_svg(figure)).encode("utf-8"), []) if svg else to_png(figure)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content)
    except OSError as error:
        raise InputError(f"cannot write the picture {path}: {error.strerror or error}") from None
    for note in notes:
        warnings.warn(f"{path.name}: {note}", MissingGlyphs, stacklevel=2)
    return notes
