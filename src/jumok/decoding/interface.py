"""What decoding asks of a model: a state that travels, and one step of it. Nothing else is known here.

A *row* is one hypothesis under way. Rows come and go (a beam is reordered, a finished sentence leaves), and
`state.select(rows)` is the only way they do.
"""

from typing import Any, Protocol, Self

from torch import Tensor

from jumok.models.contract import AttentionMaps


class State(Protocol):
    """A decoder's state over rows."""

    def select(self, index_N: Tensor, /, *, same_sources: bool = False) -> Self:
        """The state of the given rows, in that order; a row may be repeated or left out.

        With `same_sources` each row takes the place of a row of the same sentence, so that what belongs to the
        sentence need not be copied.
        """
        ...


class Output(Protocol):
    """What one step gives. The logits belong to the caller, who may write into them."""

    @property
    def logits_BV(self) -> Tensor:
        """One score a word of the vocabulary."""
        ...

    @property
    def attention(self) -> AttentionMaps:
        """The step's attention (T = 1), empty unless asked for."""
        ...


class Stepper(Protocol):
    """The part of a model, or of an ensemble of models, that search uses."""

    def init_state(self, memory: Any, /) -> Any:
        """The state before the first word, one row per sentence."""
        ...

    def step(self, previous_B: Tensor, state: Any, /, *, need_weights: bool = False) -> tuple[Any, Any]:
        """The `Output` for the next word after `previous_B`, and the `State` after it."""
        ...
