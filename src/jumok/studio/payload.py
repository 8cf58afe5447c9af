"""The JSON contract between the studio's server and its page, version 1: every request and every answer.

Conventions, the same in every message:

- A *matrix* is `{shape, data}`: numbers row by row, rounded. Rows are what looks, columns what is looked at.
- Token lists end in `</s>`, so that token t is row t (target) or column t (source) of every token-level matrix. Column
  0 of the decoder's own attention is `<s>`, the input of the first step.
- A *link* is `[source word, target word]`; words are white-space words, counted from 0. A token of no word has word −1.
- Logarithms are natural. What is not finite is `null`.
- Requests with unknown keys are refused; a reader of answers must ignore keys it does not know.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

VERSION = 1

# What the studio takes at most. The page is told, see `Limits`.
MAX_CHARACTERS = 20_000
MAX_WORDS = 80
MAX_ARTICLE_WORDS = 400
MAX_TARGET_TOKENS = 160
MAX_BEAM = 12
MAX_RUNS = 8
MAX_FRAMES = 64
MAX_EDITS = 64
MAX_POINTS = 400
MAX_PICTURE_BYTES = 8_000_000
MAX_CELLS = 40_000
MAP_NUMBERS = 600_000
TERM_NUMBERS = 6_000
TOP = 10

Text = Annotated[str, Field(max_length=MAX_CHARACTERS)]
RunId = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[a-z0-9][a-z0-9.-]*$")]
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[a-z0-9-]+$")]
PictureId = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[a-z0-9-]+$")]
TokenIds = Annotated[list[Annotated[int, Field(ge=0, le=10_000_000)]], Field(max_length=MAX_TARGET_TOKENS)]
# Aliases of this kind keep their name in the OpenAPI document, and so in the page's contract.ts.
Link = TypeAliasType("Link", tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]])
MapKind = TypeAliasType("MapKind", Literal["cross", "encoder", "decoder"])
NoteCode = TypeAliasType(
    "NoteCode",
    Literal["source_cut", "target_cut", "given_target_cut", "maps_omitted", "unknown_words", "no_attention"],
)
MetricLine = TypeAliasType("MetricLine", dict[str, float | int | bool | str | None])
Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Number = Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]


class Request(BaseModel):
    """What the page sends: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid")


class AboutSource(Request):
    """What a model is asked about: `text`, or for a model that reads pictures the id of one (`POST /pictures`)."""

    text: Text = ""
    picture: PictureId | None = None


class Part(BaseModel):
    """A part of an answer: every key is always there."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class Answer(Part):
    """What the server sends back."""

    version: Literal[1] = VERSION


# ---------------------------------------------------------------- errors


class Problem(Part):
    """What went wrong, in one sentence for a person and one word for a program."""

    code: str = Field(examples=["unknown_run"])
    message: str = Field(examples=["There is no run 'x'; the studio was started with: demo."])


class ErrorAnswer(Answer):
    """Every answer with a status of 400 or more."""

    error: Problem


# ---------------------------------------------------------------- shared parts


class Matrix(Part):
    """Numbers of any shape, the last dimension running fastest."""

    shape: list[int]
    data: list[float | None]


class Formula(Part):
    """One formula twice: as text, and as a `<math>` element."""

    plain: str
    mathml: str


class Both(Part):
    """A text in both languages of the page."""

    en: str
    ko: str


class Mechanism(Part):
    """A mechanism of the catalogue with its three parts; formulas are those of the code."""

    name: str
    score: str
    scope: str
    align: str
    formulas: dict[Literal["score", "scope", "align"], Formula]
    paper: str
    good_for: Both
    options: dict[str, Any]


class Token(Part):
    """A token; `word` is the number of its white-space word, −1 for none."""

    id: int
    text: str
    word: int


class Side(Part):
    """A sentence; tokens end in `</s>`."""

    text: str
    words: list[str]
    tokens: list[Token]


class Candidate(Part):
    """A word that might come next."""

    id: int
    text: str
    log_prob: float | None


class Written(Part):
    """One step of writing: how likely the token was, its place in the distribution, and what else was likely."""

    log_prob: float | None
    rank: int = Field(description="0 for the likeliest word")
    entropy: float = Field(description="of the whole distribution, in nats")
    top: list[Candidate]


class Maps(Part):
    """Attention by layer, each [heads, rows, columns]; `omitted` names what would have been too large."""

    encoder: list[Matrix] = []
    decoder: list[Matrix] = []
    cross: list[Matrix] = []
    omitted: list[MapKind] = []


class Choice(Part):
    """Which cross attention is read as word alignment; with `shift`, at the step that takes the word in."""

    layer: int
    heads: list[int] | None
    shift: bool


class Alignment(Part):
    """The attention over words [target, source] and the link of each target word's largest weight.

    `end` is the weight of each target word on the source's `</s>`, which is no word: with it a row holds all of the
    attention, and sums to 1 unless the mechanism itself does not normalise.
    """

    weights: Matrix
    end: list[float]
    links: list[Link]
    choice: Choice


class LinkScore(Part):
    """Alignment error rate (0 is perfect), precision and recall against gold links."""

    aer: float
    precision: float
    recall: float


class Gold(Part):
    """The reference translation of a phrasebook sentence and its gold links.

    Links are between source and *reference*. `applies` says that the target shown is the reference, so that they can be
    drawn over it; `score` measures the model's links when it is made to write the reference.
    """

    reference: str
    links: list[Link]
    applies: bool
    score: LinkScore | None


class BeamNode(Part):
    """One hypothesis the search looked at."""

    id: int
    parent: int = Field(description="−1 for the root, which is `<s>`")
    step: int = Field(description="how many tokens the hypothesis has")
    token: int
    text: str
    log_prob: float
    token_log_prob: float
    score: float
    state: Literal["kept", "pruned", "finished"]


class Beam(Part):
    """The search as a tree; `best` is the winner's node and `path` the nodes that lead to it, the root first."""

    nodes: list[BeamNode]
    best: int
    path: list[int]


class RunRef(Part):
    """Which weights of which run gave an answer; `hash` names them in exports."""

    id: str
    name: str
    hash: str
    step: int | None = Field(description="null: the run's best weights")


class Note(Part):
    """Something the reader should know, such as a sentence that was cut."""

    code: NoteCode
    message: str
    count: int | None = Field(default=None, description="how many words are left of a sentence that was cut")
    words: list[str] = Field(default=[], description="the words a note is about")


class PictureRead(Part):
    """A picture as the model reads it, with what was erased; its regions lie in rows, from the top left."""

    id: str
    png: str = Field(description="a PNG file in base64")
    width: int
    height: int
    rows: int
    columns: int


class Copying(Part):
    """p = p_gen · p_vocab + (1 − p_gen) · Σα for each target token, `</s>` last, of a model that copies."""

    generate: list[float] = Field(description="p_gen")
    vocabulary: list[float] = Field(description="p_vocab of the token")
    attended: list[float] = Field(description="Σα over the source words that are the token")
    copied: list[float] = Field(description="share of the token's probability that was copied")
    sentences: list[int] = Field(description="for each source word the number of its sentence")


class Reading(Part):
    """A source, a target, and everything the model did while writing it.

    For a picture `source` has a word and a token for each region, and `picture` says how they lie.
    """

    run: RunRef
    source: Side
    picture: PictureRead | None = Field(default=None, description="null where a text was read")
    target: Side
    score: float | None = Field(description="the search's score (with length penalty); null for a given target")
    log_prob: float
    steps: list[Written] = Field(description="one for each target token, `</s>` last")
    attention: Maps
    alignment: Alignment | None
    copying: Copying | None = Field(description="null for a model that does not copy, and where weights were edited")
    notes: list[Note]


# ---------------------------------------------------------------- runs


class Stack(Part):
    """An encoder or decoder; `heads` and `layers` of its attention maps (0 heads: it has none of its own)."""

    kind: str
    cell: str | None
    size: int
    layers: int
    heads: int
    bidirectional: bool


class Saved(Part):
    """Weights of an earlier step."""

    step: int
    kind: Literal["snapshot", "checkpoint"]


class ScoreName(Part):
    """A score of the validation, in the lines of metrics as `valid_NAME`."""

    name: str
    label: str
    share: bool = Field(description="it lies between 0 and 1; drawn in per cent beside scores of 0 to 100")


class RunInfo(Part):
    """A run the studio was started with."""

    id: str
    name: str
    task: str = Field(description="what it learned, such as translation; nothing where its config cannot be read")
    hash: str | None
    state: Literal["ready", "empty", "broken", "gone"] = Field(
        description="empty: no weights yet; gone: its folder was deleted or moved"
    )
    message: str = Field(description="what is broken, or nothing")
    live: bool = Field(description="it is being trained now")
    job: str | None = Field(description="the studio's own job that trains it")
    shipped: bool = Field(description="a lesson's model that came with Jumok")
    stopped: bool = Field(description="its training ended before its own end and can be resumed")
    preset: str
    encoder: Stack | None
    decoder: Stack | None
    mechanism: Mechanism | None = Field(description="null: no attention between the two sides")
    source_language: str | None
    target_language: str | None
    label_smoothing: float = Field(description="of the training loss; the validation loss has none")
    scores: list[ScoreName] = Field(description="what the task is validated by, beside the loss")
    pair: str | None = Field(description="phrasebook pair, where its text came from there")
    tokenizer: str
    parameters: int | None
    steps: list[Saved]
    step: int | None = Field(description="the last step that was logged")
    max_steps: int | None


class Limits(Part):
    """What the studio takes at most; a longer sentence, or a longer text to be summarised, is cut, with a note."""

    characters: int = MAX_CHARACTERS
    words: int = MAX_WORDS
    article_words: int = MAX_ARTICLE_WORDS
    target_tokens: int = MAX_TARGET_TOKENS
    beam: int = MAX_BEAM
    runs: int = MAX_RUNS
    frames: int = MAX_FRAMES
    map_numbers: int = MAP_NUMBERS
    picture_bytes: int = MAX_PICTURE_BYTES


class RunsAnswer(Answer):
    """GET /api/v1/runs"""

    jumok: str
    runs: list[RunInfo]
    limits: Limits


class MetricsAnswer(Answer):
    """GET /api/v1/runs/{id}/metrics: lines of metrics.jsonl from `after` on; ask again with `next`.

    `reset` says that the file is shorter than it was (a run was resumed from an earlier step): drop what you have.
    """

    lines: list[MetricLine]
    next: int
    reset: bool
    live: bool


# ---------------------------------------------------------------- translate


class TranslateRequest(AboutSource):
    """A sentence to translate or a picture to describe.

    With `target` (text) or `target_ids` a given target is read and nothing is searched.
    `target_ids` may be any node of the beam tree: the ids of its path, without `<s>` and `</s>`.
    """

    run: RunId
    beam: int = Field(5, ge=1, le=MAX_BEAM)
    step: int | None = Field(None, ge=0)
    target: Text | None = None
    target_ids: TokenIds | None = None


class Other(Part):
    """Another finished hypothesis of the beam."""

    text: str
    ids: list[int]
    score: float
    log_prob: float


class SceneGold(Part):
    """The one caption of a drawn scene, and where the model looked when it is made to write it.

    `pointing` is the share of words about things whose largest weight lies on the thing, `energy` the share of their
    weight that lies on it; null for a model without attention.
    """

    reference: str
    applies: bool = Field(description="the target shown is the reference")
    pointing: float | None
    energy: float | None


class TranslateAnswer(Answer):
    """POST /api/v1/translate"""

    reading: Reading
    gold: Gold | None
    scene: SceneGold | None = Field(default=None, description="what is known of a drawn scene; null for others")
    beam: Beam | None
    alternatives: list[Other]
