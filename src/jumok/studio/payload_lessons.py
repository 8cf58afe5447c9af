"""The contract of what lessons compute: averages over sentences, teacher forcing, gradients by path, looks."""

from pydantic import Field

from jumok.studio.payload import (
    MAX_TARGET_TOKENS,
    Answer,
    Candidate,
    Matrix,
    Part,
    Request,
    RunId,
    RunRef,
    Side,
    Text,
)
from jumok.studio.payload_views import ExamplePair

MAX_SENTENCES = 1000
MAX_STEPS = 100_000
MAX_RATE = 100.0

# ---------------------------------------------------------------- averages over many sentences


class ChancesRequest(Request):
    """The mean probability of the right words over test sentences of the phrasebook, for runs of one pair.

    Sentences with a word that one of the runs does not know are left out.
    """

    runs: list[RunId] = Field(min_length=1, max_length=4)
    sentences: int = Field(600, ge=50, le=MAX_SENTENCES)


class MeanPoint(Part):
    """A group of words: `at` is their sentences' mean length, or their place in the target from 1."""

    at: float
    count: int = Field(description="how many words were averaged")
    mean: float = Field(description="mean probability of the right word")


class RunChances(Part):
    """The averages of one run."""

    run: RunRef
    mean: float = Field(description="over all words")
    by_length: list[MeanPoint]
    by_place: list[MeanPoint]


class ChancesAnswer(Answer):
    """POST /api/v1/chances"""

    sentences: int
    runs: list[RunChances]
    examples: list[ExamplePair] = Field(description="one sentence of each length, in words, shortest first")


# ---------------------------------------------------------------- teacher forcing


class ForcingRequest(Request):
    """A sentence whose translation goes wrong at one place: the token `wrong` is said instead of the right one."""

    run: RunId
    text: Text
    target: Text
    at: int = Field(0, ge=0, le=MAX_TARGET_TOKENS)
    wrong: int | None = Field(None, ge=0, le=10_000_000, description="null: the likeliest wrong word")
    step: int | None = Field(None, ge=0)


class Heard(Part):
    """The target as the model predicts it after certain words; one entry for each token, `</s>` last."""

    heard: list[str] = Field(description="what was fed in before each token; `<s>` first")
    said: list[str] = Field(description="the likeliest token")
    right: list[float] = Field(description="the probability of the target's token")
    wrong: int = Field(description="how many of the likeliest tokens are not the target's, from `at` on")


class ForcingAnswer(Answer):
    """POST /api/v1/forcing: the same sentence with the right words fed in, and with the model's own."""

    run: RunRef
    source: Side
    target: Side
    at: int
    wrong: Candidate
    forced: Heard
    free: Heard


class ScheduleRequest(Request):
    """A schedule of `train.teacher_forcing`, such as `linear:1->0.5@2000`."""

    schedule: str = Field(min_length=1, max_length=80)
    steps: int = Field(2000, ge=1, le=MAX_STEPS)
    points: int = Field(101, ge=2, le=401)


class ScheduleAnswer(Answer):
    """POST /api/v1/schedule: the probability of feeding in the right word, as training uses it."""

    schedule: str
    points: list[tuple[int, float]]


# ---------------------------------------------------------------- backpropagation


class PathsRequest(Request):
    """The gradient of one target token, with an error seeded in the score of the source token `wrong`."""

    run: RunId
    text: Text
    target: Text
    at: int = Field(0, ge=0, le=MAX_TARGET_TOKENS)
    wrong: int = Field(0, ge=0, le=4096)
    share: float = Field(0.9, ge=0.01, le=0.99, description="the weight that the error gives to that token")
    rate: float = Field(0.1, ge=0.0, le=MAX_RATE, allow_inf_nan=False)
    step: int | None = Field(None, ge=0)


class LookAt(Part):
    """One step of writing."""

    weights: list[float] = Field(description="one for each source token")
    right: float = Field(description="the probability of the right token")
    top: list[Candidate]


class PathsAnswer(Answer):
    """POST /api/v1/paths. Norms are ‖∂loss/∂h_i‖ for each source token, where loss = −log p(right token)."""

    run: RunRef
    source: Side
    target: Side
    at: int
    own: LookAt = Field(description="without the error")
    wrong: LookAt = Field(description="with the error")
    updated: LookAt = Field(description="with the error, after one update")
    scores: list[float] = Field(description="∂loss/∂e_i: positive where the update lowers the score")
    through_weights: list[float]
    through_values: list[float]
    whole: list[float]
    gap: float = Field(description="largest |∂loss/∂h − (through weights + through values)|, a rounding error")


# ---------------------------------------------------------------- looks


class LooksRequest(Request):
    """How a run looks at each step of a given target."""

    run: RunId
    text: Text
    target: Text
    step: int | None = Field(None, ge=0)


class Window(Part):
    """A local scope: centres p_t counted from source token 0, the half-width D, and the Gaussian's σ."""

    centres: list[float]
    half: int
    sigma: float | None = Field(description="null: the window has no Gaussian")
    gaussian: Matrix | None = Field(description="[target, source]; 0 outside the window")


class LooksAnswer(Answer):
    """POST /api/v1/looks"""

    run: RunRef
    source: Side
    target: Side
    weights: Matrix = Field(description="[target tokens, source tokens]")
    drawn_from: Matrix | None = Field(description="hard attention: the probabilities that the position is drawn from")
    window: Window | None = Field(description="local attention: its window")
