"""The Hangul font that comes with Jumok, for pictures and pages where none is installed.

It is cut from Nanum Gothic (`tools/hangul_font.py`) and stands under the SIL Open Font License, see OFL.txt beside it.
"""

from base64 import b64encode
from functools import lru_cache
from io import BytesIO
from pathlib import Path

FAMILY = "Jumok Hangul"
FILE = Path(__file__).resolve().parent / "JumokHangul.ttf"


def is_hangul(character: str) -> bool:
    """Whether the font is there for this character: a syllable or a letter of Hangul."""
    return "\uac00" <= character <= "\ud7a3" or "\u3131" <= character <= "\u318e"


@lru_cache(maxsize=64)
def font_face(characters: frozenset[str]) -> str:
    """A CSS rule that carries the glyphs of these characters, so that an SVG shows them wherever it is opened."""
    from fontTools import subset

    options = subset.Options(recalc_timestamp=False, notdef_outline=True, hinting=False)
    font = subset.load_font(str(FILE), options)
    worker = subset.Subsetter(options)
    worker.populate(unicodes=sorted(map(ord, characters)))
    worker.subset(font)
    packed = BytesIO()
    subset.save_font(font, packed, options)
    data = b64encode(packed.getvalue()).decode("ascii")
    return f'@font-face {{ font-family: "{FAMILY}"; src: url(data:font/ttf;base64,{data}) format("truetype"); }}'
