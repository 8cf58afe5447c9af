"""How to translate: one value with every choice, checked when it is made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from jumok.arguments import (
    LARGEST_SEED,
    MOST_BEAM,
    MOST_TOKENS,
    check_finite,
    check_text,
    check_whole,
    check_words,
    shown,
)
from jumok.decoding.features import Feature
from jumok.decoding.length import Length
from jumok.decoding.scoring import Scoring
from jumok.errors import InputError

Unknown = Literal["copy", "keep", "forbid"]
UNKNOWN = ("copy", "keep", "forbid")


@dataclass(frozen=True, kw_only=True)
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
        check_finite("the temperature", self.temperature, 1e-6, 1e6)
        check_whole("top-k", self.top_k, 0, MOST_TOKENS)
        check_finite("top-p", self.top_p)
        check_whole("the seed", self.seed, -LARGEST_SEED, LARGEST_SEED)
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
    length: Length | None = None
    """Fewest and most words, or shares of the source's words."""
    no_repeat: int = 0
    """No n-gram of so many tokens twice; 0 is off."""
    repeatable: tuple[str, ...] = ()
    """Words that `no_repeat` leaves alone, such as punctuation and articles."""
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
        self._check_values()
        if self.sampling is None and self.nbest > self.beam:
            raise InputError(f"{self.nbest} best hypotheses cannot come from a beam of {self.beam}; raise the beam.")
        if self.max_length is not None and self.max_length < self.min_length:
            raise InputError(
                f"lengths from {self.min_length} to {self.max_length} tokens are not possible; max_length must be "
                "at least 1 and not below min_length."
            )
        if self.tree and (self.sampling is not None):
            raise InputError("there is no beam to show when words are sampled; leave out one of the two.")

    def needs(self) -> frozenset[Feature]:
        """What an engine must be able to do to translate so."""
        return needs_of(self)

    def _check_values(self) -> None:
        """Raises where a value is of the wrong kind or beyond its bounds."""
        check_beam(self.beam, self.nbest)
        check_whole("min_length", self.min_length, 0, MOST_TOKENS)
        if self.max_length is not None:
            check_whole("max_length", self.max_length, 1, MOST_TOKENS)
        check_whole("no_repeat", self.no_repeat, 0, MOST_TOKENS)
        check_whole("budget", self.budget, 1, 10**9)
        check_words("repeatable", self.repeatable)
        check_words("forbid", self.forbid)
        check_words("require", self.require)
        if self.length is not None and not isinstance(self.length, Length):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"length must be made with Length(…) or Length.parse(…), not {shown(self.length)}.")
        check_text("the prefix", self.prefix)
        if self.unknown not in UNKNOWN:
            raise InputError(f"unknown must be copy, keep or forbid, not {shown(self.unknown)}.")


Need = Callable[[Any], frozenset[Feature]]


def needs_of(choices: object) -> frozenset[Feature]:
    """The features that options, a scoring or a sampling need, by the rows of `NEEDS`."""
    rows = NEEDS[type(choices)]
    return frozenset[Feature]().union(*(row(getattr(choices, name)) for name, row in rows.items()))


def _needs(feature: Feature, asked: Callable[[Any], bool] = bool) -> Need:
    """The row of an option that needs a feature unless it is off."""
    return lambda value: frozenset({feature}) if asked(value) else frozenset()


def _needs_nothing(_: object) -> frozenset[Feature]:
    """The row of an option that no engine must know: it changes what is made of the hypotheses, or only the speed."""
    return frozenset()


def _more_than_one(number: int) -> bool:
    return number > 1


# What each option needs of an engine. An engine gets only options of which it declares all features, so an option
# that is added here under a new feature goes to the readable engine until another one declares that feature.
NEEDS: dict[type, dict[str, Need]] = {
    Options: {
        "beam": _needs(Feature.BEAM, _more_than_one),
        "nbest": _needs(Feature.NBEST, _more_than_one),
        "scoring": needs_of,
        "sampling": lambda sampling: frozenset() if sampling is None else needs_of(sampling),
        "min_length": _needs(Feature.LENGTH_LIMITS),
        "max_length": _needs(Feature.LENGTH_LIMITS),
        "length": _needs(Feature.WORD_LIMITS, lambda length: length is not None),
        "no_repeat": _needs(Feature.NO_REPEAT),
        "repeatable": _needs_nothing,  # no_repeat's
        "forbid": _needs(Feature.FORBIDDEN_WORDS),
        "require": _needs(Feature.REQUIRED_WORDS),
        "prefix": _needs(Feature.PREFIX),
        "unknown": _needs(Feature.UNKNOWN_WORDS, lambda unknown: unknown != "keep"),
        "lexicon": _needs_nothing,
        "attention": _needs(Feature.EVERY_HEAD),
        "alignment": _needs(Feature.ALIGNMENT),
        "tree": _needs(Feature.TREE),
        "budget": _needs_nothing,
    },
    Scoring: {
        "form": _needs(Feature.LENGTH_PENALTY, lambda form: form != "none"),
        "alpha": _needs_nothing,  # the form's
        "coverage": _needs(Feature.COVERAGE_PENALTY),
        "coverage_form": _needs_nothing,  # the coverage's
    },
    Sampling: dict.fromkeys(("temperature", "top_k", "top_p", "seed"), lambda _: frozenset({Feature.SAMPLING})),
}


def check_rows(kind: type, rows: Mapping[str, Need]) -> None:
    """Raises unless every option has a row: one without would be ignored by engines that do not know it."""
    if different := {one.name for one in fields(kind)} ^ set(rows):
        raise TypeError(f"NEEDS must have one row for each field of {kind.__name__}; see {', '.join(different)}.")


for _kind, _rows in NEEDS.items():
    check_rows(_kind, _rows)


def check_beam(beam: object, nbest: object) -> None:
    """Raises unless a beam and the number of hypotheses to return are whole numbers within their bounds."""
    check_whole("the beam", beam, 1, MOST_BEAM)
    check_whole("nbest", nbest, 1, MOST_BEAM)


def checked_options(options: Options | None) -> Options:
    """The given options, or the usual ones where none are given."""
    if options is not None and not isinstance(options, Options):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"options must be made with Options(…), not {shown(options)}.")
    return Options() if options is None else options


def chosen_options(
    options: Options | None,
    beam: int,
    nbest: int,
    attention: bool,
    tree: bool,
    prefix: str | None,
    forbid: Sequence[str],
    require: Sequence[str],
) -> Options:
    """The given options, or those of a call that names only what is asked for most."""
    if options is not None:
        return checked_options(options)
    check_beam(beam, nbest)
    check_words("forbid", forbid)
    check_words("require", require)
    return Options(
        beam=max(beam, nbest),
        nbest=nbest,
        attention=attention,
        tree=tree,
        prefix="" if prefix is None else prefix,
        forbid=tuple(forbid),
        require=tuple(require),
    )
