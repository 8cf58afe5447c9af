"""The one form every line is brought to: composed characters (NFC), white space folded to single spaces."""

import re
import unicodedata

# A Python string may hold half of a UTF-16 pair, which no UTF-8 file can; it becomes the replacement
# character.
_SURROGATE = re.compile("[\ud800-\udfff]")


def words_of(line: str) -> list[str]:
    """The white-space words of the normalised line: maximal runs of characters that are not white space.

    White space is what `str.isspace` says, so U+2028, U+0085, the no-break space and the ideographic space
    all part words, and `normalise(line).split(" ")` never disagrees with `normalise(line).split()`.
    """
    if line.isascii():
        return line.split()
    return _SURROGATE.sub("�", unicodedata.normalize("NFC", line)).split()


def normalise(line: str) -> str:
    """The line in NFC with white space folded: what a tokenizer's round trip gives back."""
    return " ".join(words_of(line))
