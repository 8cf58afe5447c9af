"""Both directions of a bitext: fitted, aligned, made into one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import torch

from jumok.aligner.bitext import Bitext
from jumok.aligner.choose import Matrix, consensus, most_likely_links
from jumok.aligner.fit import EpochDone, Settings, attention_of, fit
from jumok.alignment import Link, symmetrize, transpose
from jumok.arguments import pairs_of
from jumok.threads import threads_for, torch_threads

Direction = Literal["forward", "backward"]
Listener = Callable[[Direction, EpochDone], None]

CONSENSUS = "consensus"
"""The name of our own way to make one alignment of two, beside those of `jumok.alignment.METHODS`."""


@dataclass(frozen=True)
class AlignedBitext:
    """The attention of both directions over every pair, as matrices [target, source]."""

    forward: list[Matrix]
    """Rows are distributions (with null) over the source: which source word wrote this target word?"""
    backward: list[Matrix]
    """Columns are distributions (with null) over the target."""

    @property
    def forward_links(self) -> list[list[Link]]:
        """At most one source word for each target word."""
        return most_likely_links(self.forward)

    @property
    def backward_links(self) -> list[list[Link]]:
        """At most one target word for each source word."""
        return [transpose(links) for links in most_likely_links([weights.T for weights in self.backward])]

    def links(self, method: str = CONSENSUS) -> list[list[Link]]:
        """The links of each pair by `consensus`, `forward`, `backward` or a method of `jumok.alignment.METHODS`."""
        if method == CONSENSUS:
            return consensus(self.forward, self.backward)
        if method == "forward":
            return self.forward_links
        if method == "backward":
            return self.backward_links
        both = zip(self.forward_links, self.backward_links, strict=True)
        return [symmetrize(method, forward, backward) for forward, backward in both]


def align_bitext(
    pairs: Sequence[tuple[str, str]],
    settings: Settings | None = None,
    listen: Listener | None = None,
    *,
    threads: int = 0,
) -> AlignedBitext:
    """Learns both directions from the pairs alone and aligns them.

    pairs      a source and a target sentence each
    settings   size, seed, epochs and more (`jumok.aligner.Settings`)
    listen     called with `forward` or `backward` and what came of an epoch, after each epoch
    threads    of torch; 0: as many as speed it up
    """

    def hear(direction: Direction, done: EpochDone) -> None:
        if listen is not None:
            listen(direction, done)

    ahead = Bitext.of(pairs_of(pairs))
    back = ahead.reversed()
    with torch_threads(threads_for("aligner", threads, torch.get_num_threads())):
        forward = attention_of(fit(ahead, settings, partial(hear, "forward")), ahead)
        backward = attention_of(fit(back, settings, partial(hear, "backward")), back)
    return AlignedBitext(forward, [weights.T for weights in backward])
