"""Edits as the model meets them: a changed source, imposed weights, a forced beginning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from jumok.models.contract import DecoderState, Memory, StepOutput
from jumok.models.seq2seq import Seq2Seq
from jumok.shapes import BOS, EOS, PAD, UNK
from jumok.studio.cancelling import check_wanted
from jumok.studio.payload_steps import (
    BlankEdit,
    Edit,
    ForceEdit,
    PrefixEdit,
    TeacherEdit,
    WeightEdit,
    WeightsEdit,
)
from jumok.studio.problems import invalid
from jumok.studio.sessions import Session
from jumok.studio.sources import Source
from jumok.studio.targets import Target, check_length, read_target, whole_target

RowEdit = WeightEdit | WeightsEdit


@dataclass(frozen=True)
class Plan:
    """What a list of edits comes to."""

    source: Source
    rows: Mapping[int, Sequence[RowEdit]] = field(default_factory=dict)
    """Edits of weights by target step."""
    prefix: tuple[int, ...] = ()
    reference: Target | None = None
    """Given to the model word by word, instead of its own words."""
    first: int | None = None
    """The first step that an edit touches; None where nothing is edited."""


def plan(session: Session, source: Source, edits: Sequence[Edit], original: Sequence[int]) -> Plan:
    """The plan of the edits; `original` is what the model wrote without them."""
    check_agreement(session, edits)
    for edit in edits:
        if isinstance(edit, BlankEdit):
            source = source.without(edit.word, edit.how)
    reference = next((read_target(session, edit.reference) for edit in edits if isinstance(edit, TeacherEdit)), None)
    rows = plan_rows(session, source, edits, len(original if reference is None else reference.ids))
    prefix = plan_prefix(session, edits, original)
    if reference is not None and prefix:
        raise invalid("Teacher forcing gives the model every word; remove the forced words and the prefix.")
    first = min((first_step(edit) for edit in edits), default=None)
    if reference is None and first and len(prefix) < first:
        # What was written before the first edit stays, also where a wider beam would have gone another way.
        prefix = longer(prefix, tuple(original[:first]))
    return Plan(source, rows, prefix, reference, first)


def first_step(edit: Edit) -> int:
    """The first step that an edit can change."""
    return edit.at if isinstance(edit, WeightEdit | WeightsEdit | ForceEdit) else 0


def check_agreement(session: Session, edits: Sequence[Edit]) -> None:
    """Raises where an edit would undo an earlier one."""
    for number, later in enumerate(edits):
        for earlier in edits[:number]:
            if undoes(later, earlier, max(1, len(session.looks))):
                raise invalid(f"Two edits of kind '{later.kind}' change the same {_place(later)}; keep one of them.")


def undoes(later: Edit, earlier: Edit, layers: int) -> bool:
    """Whether nothing is left of the earlier edit after the later one."""
    match later, earlier:
        case ForceEdit(), ForceEdit():
            return later.at == earlier.at
        case BlankEdit(), BlankEdit():
            return later.word == earlier.word
        case TeacherEdit(), TeacherEdit():
            return True
        case ((WeightEdit() | WeightsEdit()), (WeightEdit() | WeightsEdit())):
            same_row = later.at == earlier.at and (later.layer - earlier.layer) % layers == 0
            if not same_row or later.head not in (None, earlier.head):
                return False
            if isinstance(later, WeightsEdit):
                return True
            return isinstance(earlier, WeightEdit) and later.source == earlier.source
    return False


def _place(edit: Edit) -> str:
    """What an edit changes, for a message."""
    match edit:
        case BlankEdit():
            return f"source word {edit.word}"
        case WeightEdit():
            return f"weight of source token {edit.source} at step {edit.at}"
        case WeightsEdit():
            return f"row of weights at step {edit.at}"
        case ForceEdit():
            return f"step {edit.at}"
    return "output"


def plan_rows(session: Session, source: Source, edits: Sequence[Edit], longest: int) -> dict[int, list[RowEdit]]:
    """The edits of weights by target step, checked against the sentence."""
    rows: dict[int, list[RowEdit]] = {}
    for edit in edits:
        if isinstance(edit, WeightEdit | WeightsEdit):
            check_row(session, source, edit, longest)
            rows.setdefault(edit.at, []).append(edit)
    return rows


def plan_prefix(session: Session, edits: Sequence[Edit], original: Sequence[int]) -> tuple[int, ...]:
    """What the output must begin with; between two forced words the original's stay."""
    prefix: tuple[int, ...] = ()
    for edit in edits:
        if isinstance(edit, PrefixEdit):
            prefix = longer(prefix, prefix_ids(session, edit))
    forces = [edit for edit in edits if isinstance(edit, ForceEdit)]
    for edit in sorted(forces, key=lambda one: one.at):
        if edit.at > len(original):
            raise invalid(f"The original has {len(original)} tokens; step {edit.at} is beyond its end.")
        check_tokens(session, [edit.token], end=False)
        prefix = longer(prefix, (*prefix[: edit.at], *original[len(prefix) : edit.at], edit.token))
    return prefix


def longer(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """The longer of two beginnings, which must agree."""
    shared = min(len(a), len(b))
    if a[:shared] != b[:shared]:
        raise invalid("Two edits force different words at the same step; keep one of them.")
    return a if len(a) >= len(b) else b


def prefix_ids(session: Session, edit: PrefixEdit) -> tuple[int, ...]:
    """The ids that an output must begin with."""
    if (edit.tokens is None) == (edit.text is None):
        raise invalid("A prefix is given as tokens or as text, one of the two.")
    if edit.tokens is not None:
        check_tokens(session, edit.tokens, end=False)
        check_length(session, edit.tokens)
        return tuple(edit.tokens)
    return whole_target(session, edit.text or "")


def check_tokens(session: Session, tokens: Sequence[int], *, end: bool) -> None:
    """Raises for ids that an output cannot hold."""
    never = {PAD, BOS} if end else {PAD, BOS, EOS}
    if not session.maker.knows_unknown:
        never.add(UNK)
    for token in tokens:
        if token >= session.target.size or token in never:
            raise invalid(f"The token {token} cannot be written; ids run up to {session.target.size - 1}.")


def check_row(session: Session, source: Source, edit: RowEdit, longest: int) -> None:
    """Raises where an edited row does not fit the sentence or the model."""
    layer = session.layer(edit.layer)
    heads = getattr(session.looks[layer], "heads", 1)
    if edit.head is not None and edit.head >= heads:
        raise invalid(f"There is no head {edit.head}; layer {layer} has {heads}, from 0.")
    if edit.at > longest:
        raise invalid(f"The output has {longest} tokens and `</s>`; step {edit.at} is beyond its end.")
    if isinstance(edit, WeightEdit) and edit.source >= source.width:
        raise invalid(f"The source has {source.width} tokens, from 0; {edit.source} is beyond its end.")
    if isinstance(edit, WeightsEdit) and len(edit.values) != source.width:
        raise invalid(f"A row needs one weight for each of {source.width} source tokens, not {len(edit.values)}.")
    weighed = [edit.source] if isinstance(edit, WeightEdit) else [n for n, value in enumerate(edit.values) if value]
    for place in weighed:
        if place not in source.columns or place in source.hidden:
            raise invalid(f"Source token {place} is removed by another edit, so its weight cannot be set.")


class EditedModel:
    """A model with weights imposed at some steps, for the search and for replaying."""

    def __init__(self, model: Seq2Seq, plan: Plan) -> None:
        self.model, self.plan = model, plan

    def init_state(self, memory: Memory, /) -> DecoderState:
        """The state before the first word."""
        return self.model.init_state(memory)

    def step(
        self, previous_B: Tensor, state: DecoderState, /, *, need_weights: bool = False, need_terms: bool = False
    ) -> tuple[StepOutput, DecoderState]:
        """The model's step, with the edited rows of this step imposed."""
        check_wanted()  # between any two steps of a search or replay
        override: dict[int, Tensor] | None = None
        if rows := self.plan.rows.get(state.step):
            override = imposed_rows(self.model, previous_B, state, rows, self.plan.source)
        return self.model.step(
            previous_B, state, need_weights=need_weights, need_terms=need_terms, override=override
        )  # fmt: skip


def imposed_rows(
    model: Seq2Seq, previous_B: Tensor, state: DecoderState, rows: Sequence[RowEdit], source: Source
) -> dict[int, Tensor]:
    """The weights [B, H, 1, S] of each edited layer: the model's own with the edits made.

    Layers are taken from below, because what a layer looks at by itself depends on the edits under it.
    """
    given: dict[int, Tensor] = {}
    layers: dict[int, list[RowEdit]] = {}
    own: Any = model.step(previous_B, state, need_weights=True)[0].attention.cross
    for row in rows:
        layers.setdefault(row.layer % len(own), []).append(row)
    for layer in sorted(layers):
        output, _ = model.step(previous_B, state, need_weights=True, override=given or None)
        weights = output.attention.cross[layer].clone()
        for row in layers[layer]:
            heads = slice(None) if row.head is None else slice(row.head, row.head + 1)
            weights[:, heads] = edited(weights[:, heads], row, source)
        given[layer] = weights
    return given


def edited(weights_BH1S: Tensor, edit: RowEdit, source: Source) -> Tensor:
    """The weights with one edit made; positions that were removed from the source are left out."""
    if isinstance(edit, WeightsEdit):
        row = torch.tensor(edit.values, dtype=weights_BH1S.dtype, device=weights_BH1S.device)
        return row[list(source.columns)].expand_as(weights_BH1S)
    place = source.columns.index(edit.source)
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
