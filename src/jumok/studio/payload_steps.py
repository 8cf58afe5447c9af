"""The contract for looking into a step and changing it: edits, one step's arithmetic, what-ifs, measured effects."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from jumok.studio.payload import (
    MAX_BEAM,
    MAX_EDITS,
    MAX_TARGET_TOKENS,
    AboutSource,
    Answer,
    Both,
    Candidate,
    Formula,
    Matrix,
    Mechanism,
    Note,
    Part,
    Reading,
    Request,
    RunId,
    RunRef,
    Share,
    Side,
    Text,
    TokenIds,
)

BlankHow = TypeAliasType("BlankHow", Literal["remove", "mask", "unknown"])


# ---------------------------------------------------------------- step


class WeightEdit(Request):
    """One weight set by hand; with `renormalise` the others keep their proportions and share the rest."""

    kind: Literal["weight"]
    at: int = Field(ge=0, le=MAX_TARGET_TOKENS, description="target step, from 0")
    layer: int = Field(-1, ge=-64, le=63)
    head: int | None = Field(None, ge=0, le=255, description="null: all heads of the layer")
    source: int = Field(ge=0, le=4096, description="source token")
    value: Share
    renormalise: bool = True


class WeightsEdit(Request):
    """A whole row of weights, one for each source token, used as given."""

    kind: Literal["weights"]
    at: int = Field(ge=0, le=MAX_TARGET_TOKENS)
    layer: int = Field(-1, ge=-64, le=63)
    head: int | None = Field(None, ge=0, le=255)
    values: list[Share] = Field(min_length=1, max_length=4096)


class BlankEdit(Request):
    """A source word taken away: `remove` leaves it out, `mask` hides it from cross attention only, `unknown` puts
    `<unk>` in its place. A region of a picture is painted over, hidden from cross attention, or blurred."""

    kind: Literal["blank"]
    word: int = Field(ge=0, le=4096)
    how: BlankHow = "remove"


class PrefixEdit(Request):
    """How the output must begin: `tokens` as ids or `text`."""

    kind: Literal["prefix"]
    tokens: TokenIds | None = None
    text: Text | None = None


class ForceEdit(Request):
    """The token at step `at` is this one; what the original wrote before it stays."""

    kind: Literal["force"]
    at: int = Field(ge=0, le=MAX_TARGET_TOKENS)
    token: int = Field(ge=0, le=10_000_000)


class TeacherEdit(Request):
    """Teacher forcing: the model is given the reference's words instead of its own at every step. Source words can be
    blanked and weights moved at the same time; words cannot be forced."""

    kind: Literal["teacher_forcing"]
    reference: Text


Edit = TypeAliasType(
    "Edit",
    Annotated[WeightEdit | WeightsEdit | BlankEdit | PrefixEdit | ForceEdit | TeacherEdit, Field(discriminator="kind")],
)
Edits = Annotated[list[Edit], Field(max_length=MAX_EDITS)]


class StepRequest(AboutSource):
    """The step that comes after `prefix` (target ids, without `<s>`), in the given layer; `edits` as in a what-if."""

    run: RunId
    prefix: TokenIds = Field(default_factory=list)
    layer: int = Field(-1, ge=-64, le=63)
    step: int | None = Field(None, ge=0)
    edits: Edits = Field(default_factory=list)


class Term(Part):
    """A named number, vector or matrix of the code, such as `W_q q`.

    `axes` says what each dimension runs over. Where `shown` is smaller than `shape`, the last dimension was cut.
    """

    name: str
    label: str
    axes: list[Literal["head", "source", "unit"]]
    shape: list[int]
    shown: list[int]
    data: list[float | None]


class Stage(Part):
    """One step of the arithmetic: formula, meaning, sums written out, and the numbers by name."""

    id: Literal[
        "project", "score", "scope", "align", "gaussian", "alignment", "context", "decoder", "words"
    ]  # fmt: skip
    title: Both
    formula: Formula
    text: Both
    worked: list[str]
    terms: list[Term]


class StepAnswer(Answer):
    """POST /api/v1/step"""

    run: RunRef
    position: int
    previous: Candidate = Field(description="the token that was taken in; its log_prob is null")
    source: Side
    layer: int
    layers: int
    heads: int
    mechanism: Mechanism | None
    scores: Matrix | None = Field(description="[heads, source]; null where a position may not be looked at")
    weights: Matrix | None = Field(description="[heads, source]")
    stages: list[Stage]
    top: list[Candidate]


# ---------------------------------------------------------------- what if, effects


class WhatIfRequest(AboutSource):
    """The sentence or picture decoded again with edits. What the original wrote before the first edited step stays."""

    run: RunId
    edits: Edits
    beam: int = Field(1, ge=1, le=MAX_BEAM)
    step: int | None = Field(None, ge=0)


class Change(Part):
    """The difference at one place: tokens that stayed, went or came."""

    kind: Literal["same", "removed", "added"]
    tokens: list[str]
    original_at: int
    edited_at: int


class WhatIfAnswer(Answer):
    """POST /api/v1/whatif. All matrices keep the columns of the original source; what was removed has weight 0.

    `change_of_edited` is log P(edited target | edited model) − log P(edited target | model as it is), and
    `change_of_original` the same for the original target.
    """

    original: Reading
    edited: Reading
    forced: Reading | None = Field(
        description="with teacher forcing: the reference as the model reads it without other edits"
    )
    same: bool = Field(description="the edited target is the original one")
    difference: list[Change]
    from_step: int = Field(description="the first step that was free to change")
    change_of_edited: float | None
    change_of_original: float | None


class EffectsRequest(AboutSource):
    """The measured effect of each source word (or region) on a target: `target_ids`, `target` (text), or its own."""

    run: RunId
    target: Text | None = None
    target_ids: TokenIds | None = None
    how: BlankHow = "remove"
    beam: int = Field(5, ge=1, le=MAX_BEAM)
    step: int | None = Field(None, ge=0)


class EffectsAnswer(Answer):
    """POST /api/v1/effects. effects[t, i] = log p(y_t | all words) − log p(y_t | without source word i): positive where
    the word helped."""

    run: RunRef
    source: Side
    target: Side
    effects: Matrix = Field(description="[target tokens, source words]")
    words: Matrix = Field(description="[target words, source words]: sums over the tokens of a word")
    log_probs: list[float] = Field(description="log p(y_t | all words)")
    totals: list[float] = Field(description="for each source word, summed over the target")
    notes: list[Note]
