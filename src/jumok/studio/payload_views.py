"""The rest of the contract: comparing runs, watching one learn, examples, jobs, lessons, kernel regression, export."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from jumok.studio.payload import (
    MAX_BEAM,
    MAX_CELLS,
    MAX_FRAMES,
    MAX_POINTS,
    MAX_RUNS,
    AboutSource,
    Alignment,
    Answer,
    BeamNode,
    Both,
    Formula,
    Gold,
    Link,
    LinkScore,
    Matrix,
    Mechanism,
    Name,
    Note,
    Number,
    Part,
    PictureRead,
    Reading,
    Request,
    RunId,
    RunRef,
    Text,
)

# ---------------------------------------------------------------- compare


class Compared(Request):
    """One of the runs to compare, at an earlier step if one is named."""

    run: RunId
    step: int | None = Field(None, ge=0)


class CompareRequest(AboutSource):
    """One sentence or picture through several runs. Their difference maps need one target: `target`, else the
    reference, else what the first run wrote."""

    runs: list[Compared] = Field(min_length=1, max_length=MAX_RUNS)
    target: Text | None = None
    beam: int = Field(5, ge=1, le=MAX_BEAM)


class ComparedRun(Part):
    """A run's own translation, and its reading of the common target."""

    run: RunRef
    mechanism: Mechanism | None
    own: Reading
    text_is_reference: bool | None
    common_log_prob: float
    common: Alignment | None = Field(description="weights [common target words, source words]; null: no attention")
    difference: Matrix | None = Field(description="`common` minus that of the first run that has attention")
    score: LinkScore | None = Field(description="of `common` against the gold links")


class CompareAnswer(Answer):
    """POST /api/v1/compare"""

    source_words: list[str]
    target: str
    target_words: list[str]
    target_from: Literal["given", "reference", "first run"]
    gold: Gold | None
    runs: list[ComparedRun]
    notes: list[Note] = Field(description="about the sentence and the common target; those of a run are in `own`")


# ---------------------------------------------------------------- learn


class LearnRequest(AboutSource):
    """A fixed pair at several steps of a run; without `steps` all of them (thinned out to the limit)."""

    run: RunId
    target: Text | None = None
    steps: list[Annotated[int, Field(ge=0)]] | None = Field(None, max_length=MAX_FRAMES)


class Frame(Part):
    """The pair under the weights of one step, and what the model wrote by itself then (greedily)."""

    step: int | None = Field(description="null: the run's best weights")
    hash: str = Field(description="of these weights and the config")
    log_prob: float
    token_log_probs: list[float]
    alignment: Alignment | None
    score: LinkScore | None
    own: str


class LearnAnswer(Answer):
    """POST /api/v1/learn"""

    run: RunRef
    source_words: list[str]
    target_words: list[str]
    target: str
    gold: Gold | None
    frames: list[Frame]
    picture: PictureRead | None = Field(default=None, description="null where a text was read")
    notes: list[Note]


# ---------------------------------------------------------------- examples


class ExamplePair(Part):
    """A phrasebook sentence with its translation and gold links."""

    source: str
    target: str
    links: list[Link]


class ExamplesAnswer(Answer):
    """GET /api/v1/examples?pair=en-ko&n=8&split=test&seed=1"""

    pair: str
    pairs: list[str]
    examples: list[ExamplePair]


# ---------------------------------------------------------------- jobs, lessons


class JobRequest(Request):
    """Train the demo, or one of the lessons' models."""

    kind: Literal["demo", "lesson"]
    model: Name | None = Field(None, description="for a lesson: the id of one of its models")


class Job(Part):
    """Training in the background. Jobs run one after the other."""

    id: str
    kind: Literal["demo", "lesson"]
    model: str
    state: Literal["waiting", "preparing", "training", "done", "failed", "cancelled"]
    progress: float = Field(description="0 to 1")
    step: int
    max_steps: int
    loss: float | None
    seconds_left: float | None
    message: str
    run: str | None = Field(description="id of the run, once it can be asked")


class JobAnswer(Answer):
    """POST /api/v1/jobs, GET /api/v1/jobs/{id}, POST /api/v1/jobs/{id}/cancel"""

    job: Job


class JobsAnswer(Answer):
    """GET /api/v1/jobs"""

    jobs: list[Job]


class LessonModel(Part):
    """A small model that a lesson uses; POST /api/v1/jobs trains it here, and then it takes the shipped one's place."""

    id: str
    title: Both
    run: str | None
    state: Literal["missing", "training", "ready"]
    shipped: bool = Field(description="the run came with Jumok and was not trained here")
    job: str | None
    seconds: int = Field(description="about how long its training takes on two cores")


class Lesson(Part):
    """A lesson of the tour; its texts and its picture live in the page."""

    id: str
    models: list[str]
    sentence: str
    target: str
    formulas: dict[str, Formula]


class LessonsAnswer(Answer):
    """GET /api/v1/lessons"""

    lessons: list[Lesson]
    models: list[LessonModel]


# ---------------------------------------------------------------- kernel regression


Profile = TypeAliasType("Profile", Literal["gaussian", "boxcar", "epanechnikov", "triangular"])


class KernelRequest(Request):
    """Data points, a kernel, and where to predict."""

    x: list[Number] = Field(min_length=1, max_length=MAX_POINTS)
    y: list[Number] = Field(min_length=1, max_length=MAX_POINTS)
    bandwidth: float = Field(1.0, ge=1e-4, le=1e4, allow_inf_nan=False)
    profile: Profile = "gaussian"
    at: Number = Field(0.0, description="the query whose weights are shown")
    points: int = Field(120, ge=2, le=MAX_POINTS, description="points of the curves")


class KernelAnswer(Answer):
    """POST /api/v1/kernel: the three estimates of 1964 over a grid, and the look of one query.

    An estimate is null where a compact kernel sees no data.
    """

    grid: list[float]
    mean: list[float | None]
    unnormalised: list[float | None]
    normalised: list[float | None]
    scores: list[float | None]
    weights: list[float]
    prediction: float | None
    weights_grid: Matrix = Field(description="[grid, data], data in the order given")


# ---------------------------------------------------------------- export


class MatrixView(Request):
    """A heat map: rows × columns."""

    kind: Literal["matrix"]
    rows: list[Text] = Field(min_length=1, max_length=400)
    columns: list[Text] = Field(min_length=1, max_length=400)
    values: list[Number | None] = Field(max_length=MAX_CELLS)
    gold: list[Link] | None = Field(None, max_length=MAX_CELLS, description="[column, row] to outline")
    rtl: bool = Field(False, description="columns are drawn from right to left")


class TreeView(Request):
    """A beam tree, as in an answer."""

    kind: Literal["tree"]
    nodes: list[BeamNode] = Field(min_length=1, max_length=4000)
    path: list[int] = Field([], max_length=4000)


class TableView(Request):
    """Anything else, as the table that stands beside its picture."""

    kind: Literal["table"]
    columns: list[Text] = Field(min_length=1, max_length=100)
    rows: list[list[Text | Number | None]] = Field(max_length=4000)


ExportView = TypeAliasType("ExportView", Annotated[MatrixView | TreeView | TableView, Field(discriminator="kind")])


class ExportRequest(Request):
    """What to write, and the run and sentence it is of. A matrix can be drawn; a tree and a table cannot (422)."""

    run: RunId | None = Field(description="null: no model is involved, as in kernel regression")
    step: int | None = Field(None, ge=0)
    text: Text
    target: Text = ""
    title: Text = ""
    format: Literal["svg", "png", "csv", "json", "tex", "html"]
    view: ExportView


# The answer to an export is a file (Content-Disposition: attachment), not JSON of this contract; this is what the
# `json` format holds.
class ExportedJson(Answer):
    """The file that POST /api/v1/export with `format: json` gives."""

    model: RunRef
    text: str
    target: str
    title: str
    view: dict[str, Any]
