"""The glyphbook: characters of invented alphabets, drawn by an invented hand. Unlimited classes, all from a seed.

    draw(seed=1, class_number=7, drawing=3)          uint8 [28, 28], ink 255 on 0

A class is a glyph: a few strokes that never change. A drawing is the hand that writes it: it leans, shakes, presses and
places the glyph a little differently each time. `LETTERS` classes in a row make an alphabet, whose letters have a
style in common. The same numbers give the same pixels on every machine, in any order, without a file.
"""

from jumok.data.glyphbook.glyphs import LETTERS, Glyph, glyph, name_of
from jumok.data.glyphbook.hand import DEFAULT_SIZE, draw

__all__ = ["DEFAULT_SIZE", "LETTERS", "Glyph", "draw", "glyph", "name_of"]
