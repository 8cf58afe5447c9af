"""What if: edits of the source, of attention weights and of the output, and the model under them.

plan = plan_edits(inspector, sentence, [SetWeight(at=1, source=2, value=0.6)], original_ids)
found = inspector.search(plan, beam=5)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import torch
from torch import Tensor

from jumok.errors import InputError
from jumok.inspect.sentence import How, Subject
from jumok.models.contract import DecoderState, Memory, StepOutput
from jumok.models.seq2seq import Seq2Seq

if TYPE_CHECKING:
    from jumok.inspect.inspector import Inspector


@dataclass(frozen=True)
class SetWeight:
    """One weight set by hand; with `renormalise` the others keep their proportions and share the rest."""

    kind: ClassVar[str] = "weight"
    at: int
    """The target step, from 0."""
    source: int
    """The source token, from 0."""
    value: float
    layer: int = -1
    head: int | None = None
    """None: all heads of the layer."""
    renormalise: bool = True


@dataclass(frozen=True)
class SetWeights:
    """A whole row of weights, one for each source token, used as given."""

    kind: ClassVar[str] = "weights"
    at: int
    values: Sequence[float]
    layer: int = -1
    head: int | None = None


@dataclass(frozen=True)
class Erase:
    """A source word taken away."""

    kind: ClassVar[str] = "blank"
    word: int
    how: How = "remove"


@dataclass(frozen=True)
class Begin:
    """Tokens that the output must begin with."""

    kind: ClassVar[str] = "prefix"
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Force:
    """The token at one step; what the original wrote before it stays."""

    kind: ClassVar[str] = "force"
    at: int
    token: int


@dataclass(frozen=True)
class Teach:
    """Teacher forcing: the model is given these tokens instead of its own at every step."""

    kind: ClassVar[str] = "teacher_forcing"
    tokens: tuple[int, ...]


RowEdit = SetWeight | SetWeights
Edit = RowEdit | Erase | Begin | Force | Teach


@dataclass(frozen=True)
class Plan:
    """What a list of edits comes to."""

    sentence: Subject
    rows: Mapping[int, Sequence[RowEdit]] = field(default_factory=dict)
    """Edits of weights by target step."""
    prefix: tuple[int, ...] = ()
    reference: tuple[int, ...] | None = None
    """Given to the model word by word, instead of its own words."""
    first: int | None = None
    """The first step that an edit touches; None where nothing is edited."""


def plan_edits(inspector: "Inspector", sentence: Subject, edits: Sequence[Edit], original: Sequence[int]) -> Plan:
    """The plan of the edits; `original` is what the model wrote without them."""
    check_agreement(edits, max(1, len(inspector.looks)))
    for edit in edits:
        if isinstance(edit, Erase):
            sentence = sentence.without(edit.word, edit.how)
    reference = next((edit.tokens for edit in edits if isinstance(edit, Teach)), None)
    rows = _plan_rows(inspector, sentence, edits, len(original if reference is None else reference))
    prefix = _plan_prefix(inspector, edits, original)
    if reference is not None and prefix:
        raise InputError("Teacher forcing gives the model every word; remove the forced words and the prefix.")
    first = min((first_step(edit) for edit in edits), default=None)
    if reference is None and first and len(prefix) < first:
        # What was written before the first edit stays, also where a wider beam would have gone another way.
        prefix = _longer(prefix, tuple(original[:first]))
    return Plan(sentence, rows, prefix, reference, first)


def first_step(edit: Edit) -> int:
    """The first step that an edit can change."""
    return edit.at if isinstance(edit, SetWeight | SetWeights | Force) else 0


# ---------------------------------------------------------------- edits that fit together


def check_agreement(edits: Sequence[Edit], layers: int) -> None:
    """Raises where an edit would undo an earlier one."""
    for number, later in enumerate(edits):
        for earlier in edits[:number]:
            if undoes(later, earlier, layers):
                raise InputError(f"Two edits of kind '{later.kind}' change the same {_place(later)}; keep one of them.")


def undoes(later: Edit, earlier: Edit, layers: int) -> bool:
    """Whether nothing is left of the earlier edit after the later one."""
    match later, earlier:
        case Force(), Force():
            return later.at == earlier.at
        case Erase(), Erase():
            return later.word == earlier.word
        case Teach(), Teach():
            return True
        case ((SetWeight() | SetWeights()), (SetWeight() | SetWeights())):
            same_row = later.at == earlier.at and (later.layer - earlier.layer) % layers == 0
            if not same_row or later.head not in (None, earlier.head):
                return False
            if isinstance(later, SetWeights):
                return True
            return isinstance(earlier, SetWeight) and later.source == earlier.source
    return False


def _place(edit: Edit) -> str:
    """What an edit changes, for a message."""
    match edit:
        case Erase():
            return f"source word {edit.word}"
        case SetWeight():
            return f"weight of source token {edit.source} at step {edit.at}"
        case SetWeights():
            return f"row of weights at step {edit.at}"
        case Force():
            return f"step {edit.at}"
    return "output"


def _plan_rows(
    inspector: "Inspector", sentence: Subject, edits: Sequence[Edit], longest: int
) -> dict[int, list[RowEdit]]:
    """The edits of weights by target step, checked against the sentence."""
    rows: dict[int, list[RowEdit]] = {}
    for edit in edits:
        if isinstance(edit, SetWeight | SetWeights):
            _check_row(inspector, sentence, edit, longest)
            rows.setdefault(edit.at, []).append(edit)
    return rows


def _plan_prefix(inspector: "Inspector", edits: Sequence[Edit], original: Sequence[int]) -> tuple[int, ...]:
    """What the output must begin with; between two forced words the original's stay."""
    prefix: tuple[int, ...] = ()
    for edit in edits:
        if isinstance(edit, Begin):
            prefix = _longer(prefix, edit.tokens)
    forces = [edit for edit in edits if isinstance(edit, Force)]
    for edit in sorted(forces, key=lambda one: one.at):
        if edit.at > len(original):
            raise InputError(f"The original has {len(original)} tokens; step {edit.at} is beyond its end.")
        inspector.check_tokens([edit.token])
        prefix = _longer(prefix, (*prefix[: edit.at], *original[len(prefix) : edit.at], edit.token))
    return prefix


def _longer(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The longer of two beginnings, which must agree."""
    shared = min(len(a), len(b))
    if a[:shared] != b[:shared]:
        raise InputError("Two edits force different words at the same step; keep one of them.")
    return a if len(a) >= len(b) else b


def _check_row(inspector: "Inspector", sentence: Subject, edit: RowEdit, longest: int) -> None:
    """Raises where an edited row does not fit the sentence or the model."""
    layer = inspector.layer(edit.layer)
    heads = inspector.heads(layer)
    if edit.head is not None and edit.head >= heads:
        raise InputError(f"There is no head {edit.head}; layer {layer} has {heads}, from 0.")
    if edit.at > longest:
        raise InputError(f"The output has {longest} tokens and `</s>`; step {edit.at} is beyond its end.")
    if isinstance(edit, SetWeight) and edit.source >= sentence.width:
        raise InputError(f"The source has {sentence.width} tokens, from 0; {edit.source} is beyond its end.")
    if isinstance(edit, SetWeights) and len(edit.values) != sentence.width:
        raise InputError(f"A row needs one weight for each of {sentence.width} source tokens, not {len(edit.values)}.")
    weighed = [edit.source] if isinstance(edit, SetWeight) else [n for n, value in enumerate(edit.values) if value]
    for place in weighed:
        if place not in sentence.columns or place in sentence.hidden:
            raise InputError(f"Source token {place} is removed by another edit, so its weight cannot be set.")


# ---------------------------------------------------------------- the model under a plan


class EditedModel:
    """A model with weights imposed at some steps, for the search and for replaying."""

    def __init__(self, model: Seq2Seq, plan: Plan, between: Callable[[], None]) -> None:
        self.model, self.plan, self.between = model, plan, between

    def init_state(self, memory: Memory, /) -> DecoderState:
        """The state before the first word."""
        return self.model.init_state(memory)

    def step(
        self, previous_B: Tensor, state: DecoderState, /, *, need_weights: bool = False, need_terms: bool = False
    ) -> tuple[StepOutput, DecoderState]:
        """The model's step, with the edited rows of this step imposed."""
        self.between()
        override: dict[int, Tensor] | None = None
        if rows := self.plan.rows.get(state.step):
            override = imposed_rows(self.model, previous_B, state, rows, self.plan.sentence)
        return self.model.step(
            previous_B, state, need_weights=need_weights, need_terms=need_terms, override=override
        )  # fmt: skip


def imposed_rows(
    model: Seq2Seq, previous_B: Tensor, state: DecoderState, rows: Sequence[RowEdit], sentence: Subject
) -> dict[int, Tensor]:
    """The weights [B, H, 1, S] of each edited layer: the model's own with the edits made.

    Layers are taken from below, because what a layer looks at by itself depends on the edits under it.
    """
    given: dict[int, Tensor] = {}
    layers: dict[int, list[RowEdit]] = {}
    own = model.step(previous_B, state, need_weights=True)[0].attention.cross
    for row in rows:
        layers.setdefault(row.layer % len(own), []).append(row)
    for layer in sorted(layers):
        output, _ = model.step(previous_B, state, need_weights=True, override=given or None)
        weights = output.attention.cross[layer].clone()
        for row in layers[layer]:
            heads = slice(None) if row.head is None else slice(row.head, row.head + 1)
            weights[:, heads] = edited(weights[:, heads], row, sentence)
        given[layer] = weights
    return given


def edited(weights_BH1S: Tensor, edit: RowEdit, sentence: Subject) -> Tensor:
    """The weights with one edit made; positions that were removed from the source are left out."""
    if isinstance(edit, SetWeights):
        row = torch.tensor(edit.values, dtype=weights_BH1S.dtype, device=weights_BH1S.device)
        return row[list(sentence.columns)].expand_as(weights_BH1S)
    place = sentence.columns.index(edit.source)
    others = weights_BH1S.clone()
    others[..., place] = 0.0
    if edit.renormalise:
        # w_j ← w_j (1 − v) / Σ_{k≠i} w_k; where the others had nothing, they share the rest evenly.
        total = others.sum(-1, keepdim=True)
        even = torch.ones_like(others)
        even[..., place] = 0.0
        shares = torch.where(
            total > 1e-9, others / total.clamp_min(1e-9), even / even.sum(-1, keepdim=True).clamp_min(1)
        )
        others = shares * (1.0 - edit.value)
    others[..., place] = edit.value
    return others
