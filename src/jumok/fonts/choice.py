"""Which fonts draw a text, and what to install for the characters that none of them has."""

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True)
class FontChoice:
    """The font families to use, first to last, and the characters that none of them has."""

    families: tuple[str, ...]
    missing: frozenset[str]

    def note(self) -> str | None:
        """What is missing and what to install, or nothing."""
        if not self.missing:
            return None
        shown = "".join(sorted(self.missing)[:12]) + ("…" if len(self.missing) > 12 else "")
        packages = " and ".join(sorted({_package_for(character) for character in self.missing}))
        count = f"{len(self.missing)} character{'s' if len(self.missing) > 1 else ''}"
        return (
            f"no installed font can draw {count} of this picture ({shown}): install a font that has them, "
            f"such as the package {packages}, or save as .svg, which needs none"
        )


def _package_for(character: str) -> str:
    name = unicodedata.name(character, "")
    if "HANGUL" in name:
        return "fonts-nanum"
    if name.startswith(("CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "FULLWIDTH", "BOPOMOFO")):
        return "fonts-noto-cjk"
    if ord(character) >= 0x1F000:
        return "fonts-symbola"
    return "fonts-noto-core"
