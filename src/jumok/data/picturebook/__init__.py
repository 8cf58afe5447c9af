"""The picturebook: drawn scenes with captions in English, Korean and French, and which pixels each word speaks of.

A scene (`scene`) is drawn at random by `sampler`, painted by `drawing` with numpy alone, and told by `telling`, whose
rule gives one caption per scene and language (`say_english`, `say_korean`, `say_french`):

1. Things that look the same are counted: `three small red stars`. Size, filling (unless plain), colour and shape are
   always said.
2. One kind of thing alone: `There is …`, `There are …`.
3. A thing in another: `A is inside B`.
4. Two kinds of things: `left of` or `above`, along the axis on which they are further apart; the left or upper one is
   the subject.
5. Three different things: the middle one is `between` the others, the left or upper one of which is named first.
6. Four different things stand in two rows: `A is left of B, and C is left of D`, the upper row first.

Splits: `train`, `dev` and `test` have different captions (by a hash of the English one) and never the combinations of
colour and shape in `HELD_OUT`; each scene of `compose` has at least one of these.
"""

from jumok.data.picturebook.drawing import SIDE, draw, number_map, outlines
from jumok.data.picturebook.generation import DEFAULT_SEED, SPLITS, caption_of, generate
from jumok.data.picturebook.scene import COLOURS, FILLINGS, HELD_OUT, SHAPES, SIZES, Look, Scene, Thing
from jumok.data.picturebook.telling import LANGUAGES, WORD_CLASSES, Caption
from jumok.data.picturebook.writing import write

__all__ = [
    "COLOURS",
    "DEFAULT_SEED",
    "FILLINGS",
    "HELD_OUT",
    "LANGUAGES",
    "SHAPES",
    "SIDE",
    "SIZES",
    "SPLITS",
    "WORD_CLASSES",
    "Caption",
    "Look",
    "Scene",
    "Thing",
    "caption_of",
    "draw",
    "generate",
    "number_map",
    "outlines",
    "write",
]
