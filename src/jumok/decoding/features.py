"""What options may ask of an engine, one name for each thing that an engine can do or not do."""

from enum import Enum, auto


class Feature(Enum):
    """Something that an engine can do. What needs which of them stands in `options.NEEDS`."""

    BEAM = auto()
    """Follows several hypotheses at a time."""
    NBEST = auto()
    """Returns several of them."""
    LENGTH_PENALTY = auto()
    """Ranks by the log-probability over a power of the length."""
    COVERAGE_PENALTY = auto()
    """Ranks by how much of the source was looked at, too."""
    SAMPLING = auto()
    """Draws words instead of searching."""
    LENGTH_LIMITS = auto()
    """Keeps to a shortest and a longest output."""
    WORD_LIMITS = auto()
    """Keeps to a fewest and a most number of words."""
    NO_REPEAT = auto()
    """Writes no n-gram twice."""
    FORBIDDEN_WORDS = auto()
    REQUIRED_WORDS = auto()
    PREFIX = auto()
    """Begins each output with given words."""
    UNKNOWN_WORDS = auto()
    """Avoids the unknown word, or says where the model looked when it was written."""
    ALIGNMENT = auto()
    """Returns the attention that alignment reads."""
    EVERY_HEAD = auto()
    """Returns the attention of every layer and head."""
    TREE = auto()
    """Returns every hypothesis that the beam looked at."""


EVERYTHING = frozenset(Feature)
PLAIN_SEARCH = frozenset(
    {
        Feature.BEAM,
        Feature.NBEST,
        Feature.LENGTH_PENALTY,
        Feature.LENGTH_LIMITS,
        Feature.UNKNOWN_WORDS,
        Feature.ALIGNMENT,
    }
)
"""Greedy and beam search without constraints, and the links between words."""
