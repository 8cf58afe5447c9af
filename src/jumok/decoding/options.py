"""How to translate: one value with every choice, checked when it is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from jumok.decoding.scoring import Scoring
from jumok.errors import InputError

Unknown = Literal["copy", "keep", "forbid"]


@dataclass(frozen=True)
class Sampling:
    """How words are drawn."""

    temperature: float = 1.0
    """Below 1 sharpens the distribution, above 1 flattens it."""
    top_k: int = 0
    """Draw among the k likeliest only; 0 is all."""
    top_p: float = 1.0
    """Draw among the fewest words that together have at least this probability (Holtzman et al. 2020)."""
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise InputError(f"the temperature must be above 0, not {self.temperature}.")
        if self.top_k < 0:
            raise InputError(f"top-k must be 0 (all) or more, not {self.top_k}.")
        if not 0 < self.top_p <= 1:
            raise InputError(f"top-p must be above 0 and at most 1, not {self.top_p}.")


@dataclass(frozen=True)
class Options:
    """The choices of a translation; the defaults are a good beam search."""

    beam: int = 5
    """How many hypotheses are followed; 1 is greedy."""
    nbest: int = 1
    """How many are returned, at most the beam (or that many draws)."""
    scoring: Scoring = field(default_factory=Scoring)
    sampling: Sampling | None = None
    """Draw instead of search."""
    min_length: int = 0
    max_length: int | None = None
    """In tokens; by default what the model was trained for, and not much more than the source."""
    no_repeat: int = 0
    """No n-gram of so many tokens twice; 0 is off."""
    forbid: tuple[str, ...] = ()
    """Words that must not stand in any output; a star at the end forbids all that begins so."""
    require: tuple[str, ...] = ()
    """Words that must stand in every output; a star at the end lets anything follow."""
    prefix: str = ""
    """What every output begins with."""
    unknown: Unknown = "copy"
    """An unknown word becomes the source word it looked at, or stays `<unk>`, or is not written at all."""
    lexicon: Mapping[str, str] | None = None
    """Translations of source words, used where an unknown word would be copied."""
    attention: bool = False
    """Return every layer and head."""
    alignment: bool = True
    """Return word links."""
    tree: bool = False
    """Return the whole beam."""
    budget: int = 12_000
    """Source tokens × hypotheses that are decoded together."""

    def __post_init__(self) -> None:
        if self.beam < 1:
            raise InputError(f"the beam must be at least 1, not {self.beam}.")
        if self.nbest < 1:
            raise InputError(f"at least 1 hypothesis must be returned, not {self.nbest}.")
        if self.sampling is None and self.nbest > self.beam:
            raise InputError(f"{self.nbest} best hypotheses cannot come from a beam of {self.beam}; raise the beam.")
        if self.min_length < 0 or (self.max_length is not None and self.max_length < max(1, self.min_length)):
            raise InputError(
                f"lengths from {self.min_length} to {self.max_length} tokens cannot be; max_length must be at least "
                "1 and not below min_length."
            )
        if self.no_repeat < 0:
            raise InputError(f"no_repeat must be 0 (off) or the size of an n-gram, not {self.no_repeat}.")
        if self.tree and (self.sampling is not None):
            raise InputError("there is no beam to show when words are drawn; leave out one of the two.")


def usual_options(
    beam: int,
    nbest: int,
    attention: bool,
    tree: bool,
    prefix: str | None,
    forbid: Sequence[str],
    require: Sequence[str],
) -> Options:
    """The options of a call that names only what is asked for most."""
    return Options(
        beam=max(beam, nbest),
        nbest=nbest,
        attention=attention,
        tree=tree,
        prefix=prefix or "",
        forbid=tuple(forbid),
        require=tuple(require),
    )
