"""What a search gives: hypotheses, their attention, and the tree of a beam. Plain values; nothing here needs torch."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SentenceAttention:
    """The attention of one sentence, a list of layers each: encoder [H, S, S], decoder [H, T, T], cross [H, T, S].

    S counts the source's tokens and its EOS. Row t is the step that wrote token t; the last row wrote EOS. The
    decoder's own column t is its input at step t, so column 0 is BOS.
    """

    encoder: list[Weights]
    decoder: list[Weights]
    cross: list[Weights]


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One finished output of a search, with EOS counted in its log-probability but not among its ids."""

    ids: tuple[int, ...]
    log_prob: float
    score: float
    token_log_probs: tuple[float, ...]
    """One for each id and one for EOS; they add up to `log_prob`."""
    truncated: bool = False
    """EOS was forced because the longest allowed length was reached."""
    cross_TS: Weights | None = None
    """The cross attention that alignment reads, [len(ids) + 1, S]; None where it was not asked for."""
    attention: SentenceAttention | None = None


NodeState = Literal["kept", "pruned", "finished"]


@dataclass(frozen=True)
class BeamNode:
    """One hypothesis that the search looked at: its last token, and where it came from."""

    id: int
    parent: int
    """The id of the node it grew from; -1 for the root, which is BOS."""
    step: int
    """How many tokens the hypothesis has; 0 for the root."""
    token: int
    log_prob: float
    """Of the whole hypothesis up to here."""
    token_log_prob: float
    score: float
    """With the length penalty, and for finished hypotheses the coverage penalty."""
    state: NodeState


@dataclass(frozen=True)
class BeamTree:
    """Everything the search looked at for one sentence; `best` is the winner's node."""

    nodes: tuple[BeamNode, ...]
    best: int

    def path(self, node: int) -> list[BeamNode]:
        """The nodes from the root's first child to this one."""
        found: list[BeamNode] = []
        while node > 0:
            found.append(self.nodes[node])
            node = self.nodes[node].parent
        return found[::-1]
