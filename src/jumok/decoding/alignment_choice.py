"""Which cross attention is read as the word alignment: layer, heads, and the step it is read at.

Row t of the attention belongs to the step that *writes* y_t. A recurrent decoder computes it to write y_t, and row t
aligns y_t. In a Transformer the step that takes y_t as its *input* often aligns it better: it knows the word it
looks for (Chen et al. 2020, "Accurate Word Alignment Induction from Neural Machine Translation"); that is the row
after, and `shift` reads it.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from jumok.alignment import merge_to_words
from jumok.config import SequenceConfig
from jumok.durable import write_file
from jumok.errors import RunError
from jumok.models.layout import Layout
from jumok.run.names import ALIGNMENT

SHALLOW = 3
FORMAT = 1


@dataclass(frozen=True)
class AlignmentChoice:
    """The mean over `heads` (all, if None) of one layer; with `shift`, at the step that takes the word in."""

    layer: int = -1
    heads: tuple[int, ...] | None = None
    shift: bool = False

    @classmethod
    def usual(cls, config: SequenceConfig) -> "AlignmentChoice":
        """What is read where nothing was searched for.

        Guided heads where the model was trained with them; the one matrix of a recurrent decoder. A deep Transformer
        aligns best in the layer below the top (Garg et al. 2019), shifted; a shallow one looks at the word it is about
        to write, in its top layer (on the phrasebook, two layers: AER 0.11, and 0.96 shifted).
        """
        decoder, train = config.model.decoder, config.train
        if not decoder.several_readings:
            return cls()
        if train.guided_alignment > 0:
            return cls(train.guided_layer, tuple(range(train.guided_heads)), shift=False)
        deep = decoder.layers > SHALLOW
        return cls(decoder.layers - (2 if deep else 1), None, shift=deep)

    def __str__(self) -> str:
        heads = "all heads" if self.heads is None else f"head {', '.join(map(str, self.heads))}"
        return f"layer {self.layer}, {heads}, {'shifted' if self.shift else 'unshifted'}"

    def rows(self, cross_TS: NDArray[np.floating]) -> NDArray[np.floating]:
        """The rows of y_1 … y_m, of the m + 1 rows that include EOS."""
        return cross_TS[1:] if self.shift else cross_TS[:-1]

    def words(self, cross_TS: NDArray[np.floating], source: Layout, target: Layout) -> NDArray[np.floating]:
        """The matrix over words [target, source] of the attention [tokens and EOS, source positions].

        Layouts say which word (or other unit) each position is part of; the target's has no EOS.
        """
        return merge_to_words(
            self.rows(cross_TS),
            source.unit_of_position,
            target.unit_of_position,
            source_count=len(source.units),
            target_count=len(target.units),
        )


def write_choice(folder: Path, choice: AlignmentChoice, found_by: str) -> None:
    """Keeps a choice with a run, which then reads its alignments from it.

    folder     the run folder
    choice     layer, heads and step
    found_by   by what it was judged: `gold`, `agreement` or `removal`
    """
    heads = None if choice.heads is None else list(choice.heads)
    content = {"format": FORMAT, **asdict(choice), "heads": heads, "found_by": found_by}
    write_file(folder / ALIGNMENT, (json.dumps(content, indent=2) + "\n").encode("utf-8"))


def found_by(folder: Path) -> str | None:
    """By what the choice that is kept with a run was found, or None where none is kept."""
    path = folder / ALIGNMENT
    return str(json.loads(path.read_text(encoding="utf-8"))["found_by"]) if path.is_file() else None


def read_choice(folder: Path) -> AlignmentChoice | None:
    """The choice that was kept with a run, or None."""
    path = folder / ALIGNMENT
    if not path.is_file():
        return None
    try:
        tree = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
        if tree["format"] != FORMAT:
            raise RunError(f"{path} has format {tree['format']!r}; this version of Jumok reads format {FORMAT}.")
        heads = tree["heads"]
        return AlignmentChoice(
            int(tree["layer"]), None if heads is None else tuple(int(head) for head in heads), bool(tree["shift"])
        )
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise RunError(f"{path} is damaged: {error}; remove it or search again.") from None


def choice_of(folder: Path, config: SequenceConfig) -> AlignmentChoice:
    """Which attention is read as the alignment: the stored choice, or the default; it must exist."""
    choice, decoder = read_choice(folder) or AlignmentChoice.usual(config), config.model.decoder
    if reason := reason_against(choice.layer, choice.heads, decoder.cross_layers, decoder.most_heads):
        raise RunError(f"{folder / ALIGNMENT} is damaged: {reason}")
    return choice


def reason_against(layer: int, heads: tuple[int, ...] | None, layers: int, count: int) -> str | None:
    """Why a decoder of so many layers with `count` heads each has no such attention; None where it has."""
    if not -layers <= layer < layers:
        return f"layer {layer} does not exist: the decoder has {layers}, from 0."
    if heads is not None and not (heads and all(0 <= head < count for head in heads)):
        return f"heads {heads} do not exist: the layer has {count}, from 0."
    return None
