"""Cuts the Hangul font of the package out of Nanum Gothic: every modern syllable, the letters and ASCII.

    python tools/hangul_font.py NanumGothic.ttf OFL.txt     (both are in Debian's package fonts-nanum)

The SIL Open Font License lets a part of a font be passed on under the same licence and another name: "Nanum" is
reserved. Hinting and layout tables are left out, which pictures and pages do without.
"""

import shutil
import sys
from pathlib import Path

from fontTools import subset

FOLDER = Path(__file__).resolve().parent.parent / "src" / "jumok" / "fonts"
FAMILY = "Jumok Hangul"
ASCII, LETTERS, SYLLABLES = range(0x20, 0x7F), range(0x3131, 0x318F), range(0xAC00, 0xD7A4)
# Family, unique name, full name, PostScript name; the others say who made the font and under which licence.
NAMES = {1: FAMILY, 3: "Jumok Hangul Regular", 4: FAMILY, 6: "JumokHangul"}
NAMES |= {13: "This Font Software is licensed under the SIL Open Font License, Version 1.1."}
NAMES |= {14: "https://openfontlicense.org"}


def cut(source: Path, licence: Path) -> Path:
    """Writes the font and its licence into the package."""
    options = subset.Options()
    options.hinting, options.recalc_timestamp, options.notdef_outline = False, False, True
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.drop_tables += ["FFTM", "GSUB", "GPOS", "GDEF", "TSI0", "TSI1", "TSI2", "TSI3", "TSI5"]
    font = subset.load_font(str(source), options)
    worker = subset.Subsetter(options)
    worker.populate(unicodes=[*ASCII, *LETTERS, *SYLLABLES])
    worker.subset(font)
    for record in list(font["name"].names):
        if record.nameID in NAMES and record.langID == 0x409:
            record.string = NAMES[record.nameID]
        elif record.nameID in NAMES:
            font["name"].removeNames(record.nameID, record.platformID, record.platEncID, record.langID)
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "JumokHangul.ttf"
    subset.save_font(font, str(path), options)
    shutil.copy(licence, FOLDER / "OFL.txt")
    return path


if __name__ == "__main__":
    made = cut(Path(sys.argv[1]), Path(sys.argv[2]))
    print(f"{made}: {made.stat().st_size:,} bytes")
