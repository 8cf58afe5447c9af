"""How sure a model is of a translation, as a whole and word by word.

    sentence   exp(1/(m+1) Σ_t log p(y_t | y_<t, x)), EOS counted: the geometric mean of the token probabilities
    word       Π_t p(y_t | y_<t, x) over the tokens of the word

These are what the model believes. A calibration (`jumok run calibrate`) turns them into how often it is right.
"""

import math
from dataclasses import dataclass

from jumok.decoding.translation import Translation
from jumok.run.calibration import Calibration
from jumok.text.tokenizer import Tokenizer

LOWEST = -700.0
"""The smallest logarithm whose exponential is not 0."""


@dataclass(frozen=True)
class Confidence:
    """How sure a model is of a sentence and of each of its words; None where the engine does not tell tokens apart."""

    sentence: float
    words: tuple[float, ...] | None
    calibrated: bool = False

    def calibrate(self, calibration: Calibration | None) -> "Confidence":
        """The same as rates of being right; as it is where there is no calibration."""
        if calibration is None:
            return self
        words = None if self.words is None else tuple(map(calibration.word, self.words))
        return Confidence(calibration.sentence(self.sentence), words, calibrated=True)


def believed(found: Translation, target: Tokenizer) -> Confidence:
    """What the model itself believes of a translation."""
    return Confidence(sentence_belief(found), word_beliefs(found, target))


def sentence_belief(found: Translation) -> float:
    """The geometric mean of the token probabilities, EOS counted."""
    return math.exp(max(LOWEST, found.log_prob / (len(found.ids) + 1)))


def word_beliefs(found: Translation, target: Tokenizer) -> tuple[float, ...] | None:
    """The product of the token probabilities of each word; None where tokens or words are not told apart."""
    if len(found.token_log_probs) < len(found.ids):
        return None
    sums = [0.0] * len(found.target_words)
    for word, log_prob in zip(target.word_of_token(found.ids), found.token_log_probs, strict=False):
        if word >= len(sums):
            return None  # an unknown word was replaced by several or by none
        if word >= 0:
            sums[word] += log_prob
    return tuple(math.exp(max(LOWEST, one)) for one in sums)
