"""The recurrent decoder, with attention before the step, after it, or not at all.

    before (Bahdanau et al. 2015)   c_t from s_{t−1},  s_t = f(s_{t−1}, [y_{t−1}; c_t]),
                                    t_t = tanh(U s_t + V y_{t−1} + C c_t)
    after  (Luong et al. 2015)      s_t = f(s_{t−1}, y_{t−1}),  c_t from s_t,
                                    s̃_t = tanh(W [c_t; s_t])
    input feeding                   the last t or s̃ joins the input of f
    gate (Xu et al. 2015)           c_t ← β_t c_t with β_t = σ(w·s + b), s the query

The query is the state of the top layer. A whole target takes one of two ways: where no step waits for an
attention, each layer runs as one call and all positions attend at once; otherwise a loop takes the steps, and
everything that does not wait (the words' share of gates and readout, the readout itself without input
feeding) is done for all of them at once. For one layer with softmax attention over all positions the loop is a
single operation with a gradient of its own (`whole_decoder.py`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import linear

from jumok.attention import Attended, Attention, MultiHead, Prepared
from jumok.attention.checks import check_numbers
from jumok.attention.step_kernels import StepForm
from jumok.models.cell_kernels import TAPES
from jumok.models.contract import (
    AttentionMaps,
    Decoded,
    Decoder,
    DecoderState,
    Memory,
    Selectable,
    Stepped,
    Wanted,
    select_layers,
)
from jumok.models.cross_attention import as_heads, entropy_BT, imposed, log_prob_BT, step_terms
from jumok.models.dropout import Dropout
from jumok.models.readout import BareState, Readout
from jumok.models.recurrent import LayerState, RecurrentStack, full_precision, xavier_linear
from jumok.models.start import BridgedStart, CopiedStart
from jumok.models.whole_decoder import Weights, run_whole

Order = Literal["before", "after"]


@dataclass(frozen=True)
class RecurrentState:
    """What a recurrent decoder remembers between two words."""

    layers: tuple[LayerState, ...]
    fed_BO: Tensor | None
    """The last readout, where it is fed back in."""
    attention: Tensor | None
    """The state of a mechanism that carries one."""

    @property
    def top_BD(self) -> Tensor:
        """s_t: the hidden state of the top layer."""
        return self.layers[-1][0]

    def select(self, index_N: Tensor) -> "RecurrentState":
        """The rows named by `index_N`."""
        return RecurrentState(
            select_layers(self.layers, index_N),
            None if self.fed_BO is None else self.fed_BO.index_select(0, index_N),
            None if self.attention is None else self.attention.index_select(0, index_N),
        )


@dataclass(frozen=True)
class InputWeights:
    """The input weights of the bottom layer, cut into what meets word, context and fed readout."""

    word: Tensor
    context: Tensor | None
    fed: Tensor | None


@dataclass(frozen=True)
class StepResult:
    """One step of the recurrence: the new state and what attention gave on the way."""

    state: RecurrentState
    query_BQ: Tensor
    attended: Attended | None
    context_BC: Tensor | None
    """c_t as the cell and the readout get it, where there is one."""
    output_BO: Tensor | None
    """The readout, where the recurrence needs it."""


class RNNDecoder(Decoder):
    """Recurrent layers over the target with any mechanism, or none, over the source."""

    def __init__(
        self,
        *,
        stack: RecurrentStack,
        start: CopiedStart | BridgedStart,
        attention: Attention | MultiHead | None,
        readout: Readout | BareState,
        order: Order,
        input_feeding: bool,
        word_size: int,
        context_size: int,
        output_size: int,
        dropout: float,
        gate: bool = False,
    ) -> None:
        super().__init__()
        self.stack = stack
        self.start_state = start
        self.attention = attention
        self.readout = readout
        self.before = attention is not None and order == "before"
        self.input_feeding = input_feeding
        self.input_sizes = [
            word_size,
            context_size if self.before else 0,
            output_size if input_feeding else 0,
        ]
        self.output_size = output_size
        self.gate = xavier_linear(stack.size, 1) if gate else None
        self.dropout = Dropout(dropout)

    def cross_attentions(self) -> list[Attention | MultiHead]:
        return [] if self.attention is None else [self.attention]

    def prepare(self, memory: Memory) -> list[Selectable]:
        if self.attention is None:
            return []
        with full_precision(memory.states_BSD):
            return [self.attention.prepare(memory.states_BSD, None, memory.mask_BS[:, None, :])]

    def start(self, memory: Memory) -> RecurrentState:
        with full_precision(memory.summary):
            layers = self.start_state(memory)
        fed_BO = layers[0][0].new_zeros(len(memory.mask_BS), self.output_size) if self.input_feeding else None
        keys = self._keys(memory)
        carried = None if self.attention is None or keys is None else self.attention.initial_state(keys)
        return RecurrentState(layers, fed_BO, carried)

    def step(self, words_BE: Tensor, state: DecoderState, wanted: Wanted) -> Stepped:
        with full_precision(words_BE):
            return self._step(words_BE, state, wanted)

    def _step(self, words_BE: Tensor, state: DecoderState, wanted: Wanted) -> Stepped:
        inner, keys = state.inner, self._keys(state.memory)
        assert isinstance(inner, RecurrentState)
        weights = self._input_weights()
        from_words = self.readout.of_words(words_BE)
        gates_BG = linear(words_BE, weights.word, self.stack.bottom.input_bias())
        position = torch.full((1, 1), state.step, device=words_BE.device)
        scales = [None if scale is None else scale[0] for scale in self._dropout_scales(1, words_BE)]
        taken = self._advance(
            gates_BG, from_words, inner, weights, keys, position, scales,
            need_weights=wanted.weights or wanted.terms, override=imposed(wanted.override, layers=1).get(0),
        )  # fmt: skip
        output_BO = taken.output_BO
        if output_BO is None:
            output_BO = self.readout(taken.state.top_BD, taken.context_BC, from_words)
        looks = [(taken.query_BQ, taken.attended)]
        terms = (
            step_terms(looks, taken.state.top_BD, output_BO, self._gate_of(taken.query_BQ)) if wanted.terms else None
        )
        maps = AttentionMaps(cross=cross_maps([taken]) if wanted.weights else [])
        return Stepped(self.dropout(output_BO), taken.state, maps, terms)

    def forward(self, words_BTE: Tensor, memory: Memory, need_weights: bool = False) -> Decoded:
        with full_precision(words_BTE):
            if not (self.before or self.input_feeding):
                return self._at_once(words_BTE, memory, need_weights)
            form = self._step_form(memory)
            if form is None:
                return self._in_steps(words_BTE, memory, need_weights)
            return self._whole(words_BTE, memory, need_weights, form)

    def _at_once(self, words_BTE: Tensor, memory: Memory, need_weights: bool) -> Decoded:
        """All positions in one call: no step waits for an attention."""
        start, keys = self.start(memory), self._keys(memory)
        states_BTD, _ = self.stack(words_BTE, start.layers)
        from_words = self.readout.of_words(words_BTE)
        if self.attention is None or keys is None:
            return Decoded(self.dropout(self.readout(states_BTD, None, from_words)), AttentionMaps(), None)
        attended: Attended = self.attention(states_BTD, keys, need_weights=need_weights, state=start.attention)
        outputs_BTO = self.readout(states_BTD, self._gated(attended.context, states_BTD), from_words)
        maps = AttentionMaps(cross=[as_heads(attended)] if need_weights else [])
        return Decoded(self.dropout(outputs_BTO), maps, log_prob_BT(attended), entropy_BT(attended))

    def _step_form(self, memory: Memory) -> StepForm | None:
        """The mechanism as the single operation wants it, where that is possible."""
        simple = len(self.stack.layers) == 1 and self.stack.cell in TAPES and isinstance(self.attention, Attention)
        if not simple or not bool(memory.mask_BS.any(-1).all()):
            return None
        assert isinstance(self.attention, Attention)
        return self.attention.step_form()

    def _whole(self, words_BTE: Tensor, memory: Memory, need_weights: bool, form: StepForm) -> Decoded:
        """The loop over the positions as one operation."""
        start, keys, weights = self.start(memory), self._keys(memory), self._input_weights()
        assert keys is not None
        bottom, readout = self.stack.bottom, self.readout
        words_TBE = words_BTE.transpose(0, 1).contiguous()
        gates_TBG = linear(words_TBE, weights.word, bottom.input_bias())
        from_words = readout.of_words(words_TBE)
        R_U = R_C = share_TBO = None
        if self.input_feeding:
            assert isinstance(readout, Readout)
            assert readout.C is not None
            R_U, R_C = readout.U.weight, readout.C.weight
            share_TBO = readout.U.bias.expand(*words_TBE.shape[:2], -1)
            share_TBO = share_TBO if from_words is None else from_words + readout.U.bias
        gate = (None, None) if self.gate is None else (self.gate.weight, self.gate.bias)
        matrices = Weights(bottom.U, bottom.state_bias(), weights.context, weights.fed, R_U, R_C, form, *gate)
        hidden_BS = None if bool(memory.mask_BS.all()) else ~memory.mask_BS
        whole = run_whole(
            self.stack.cell, self.before, gates_TBG, share_TBO, start.layers[0], keys.keys, keys.values, hidden_BS,
            matrices,
        )  # fmt: skip
        check_numbers(whole.weights_TBS)
        outputs_TBO = whole.readouts_TBO
        if outputs_TBO is None:
            outputs_TBO = readout(whole.states_TBD, whole.contexts_TBC, from_words)
        maps = AttentionMaps(cross=[whole.weights_TBS.transpose(0, 1)[:, None]] if need_weights else [])
        return Decoded(self.dropout(outputs_TBO.transpose(0, 1)), maps, None)

    def _in_steps(self, words_BTE: Tensor, memory: Memory, need_weights: bool) -> Decoded:
        """A loop over the positions, around what can be done for all of them at once."""
        state, keys, weights = self.start(memory), self._keys(memory), self._input_weights()
        # Time first, so that each step reads one contiguous block; unbound, so that the gradient is one stack.
        words_TBE = words_BTE.transpose(0, 1).contiguous()
        gates = linear(words_TBE, weights.word, self.stack.bottom.input_bias()).unbind(0)
        from_words = self.readout.of_words(words_TBE)
        fed_words = [None] * len(gates) if from_words is None else from_words.unbind(0)
        scales = self._dropout_scales(len(gates), words_TBE[0])
        positions = torch.arange(len(gates), device=words_BTE.device)
        taken: list[StepResult] = []
        for t, gates_BG in enumerate(gates):
            now = self._advance(
                gates_BG,
                fed_words[t],
                state,
                weights,
                keys,
                positions[t : t + 1, None],
                [None if scale is None else scale[t] for scale in scales],
                need_weights=need_weights,
            )
            taken.append(now)
            state = now.state
        outputs_TBO = self._outputs(taken, from_words)
        maps = AttentionMaps(cross=cross_maps(taken) if need_weights else [])
        outputs_BTO = self.dropout(outputs_TBO.transpose(0, 1))
        return Decoded(outputs_BTO, maps, joined(taken, log_prob_BT), joined(taken, entropy_BT))

    def _outputs(self, taken: list[StepResult], from_words: Tensor | None) -> Tensor:
        """The readouts [T, B, O] of a loop's steps, made at once where the loop did not need them."""
        if self.input_feeding:
            return torch.stack([now.output_BO for now in taken if now.output_BO is not None])
        states_TBD = torch.stack([now.state.top_BD for now in taken])
        contexts = [now.context_BC for now in taken]
        context_TBC = (
            torch.stack([context for context in contexts if context is not None]) if contexts[0] is not None else None
        )
        return self.readout(states_TBD, context_TBC, from_words)

    def _advance(
        self,
        gates_BG: Tensor,
        from_words: Tensor | None,
        state: RecurrentState,
        weights: InputWeights,
        keys: Prepared | None,
        position: Tensor,
        scales: list[Tensor | None],
        *,
        need_weights: bool,
        override: Tensor | None = None,
    ) -> StepResult:
        """One step, from the word's share of the bottom gates."""
        attended = context_BC = None
        if weights.fed is not None and state.fed_BO is not None:
            gates_BG = torch.addmm(gates_BG, state.fed_BO, weights.fed.t())
        query_BQ = state.top_BD
        if self.before:
            attended = self._attend(query_BQ, keys, state, position, need_weights, override)
            assert attended is not None
            assert weights.context is not None
            context_BC = self._gated(attended.context[:, 0], query_BQ)
            gates_BG = torch.addmm(gates_BG, context_BC, weights.context.t())
        layers = self.stack.advance(gates_BG, state.layers, scales)
        if not self.before:
            query_BQ = layers[-1][0]
            attended = self._attend(query_BQ, keys, state, position, need_weights, override)
            context_BC = None if attended is None else self._gated(attended.context[:, 0], query_BQ)
        output_BO = None
        if self.input_feeding:
            output_BO = self.readout(layers[-1][0], context_BC, from_words)
        carried = None if attended is None else attended.state
        return StepResult(RecurrentState(layers, output_BO, carried), query_BQ, attended, context_BC, output_BO)

    def _gate_of(self, query: Tensor) -> Tensor | None:
        """β_t [..., 1] of the query, where there is a gate."""
        return None if self.gate is None else torch.sigmoid(self.gate(query))

    def _gated(self, context: Tensor, query: Tensor) -> Tensor:
        """β_t c_t, or c_t without a gate."""
        beta = self._gate_of(query)
        return context if beta is None else beta * context

    def _attend(
        self,
        query_BQ: Tensor,
        keys: Prepared | None,
        state: RecurrentState,
        position: Tensor,
        need_weights: bool,
        override: Tensor | None,
    ) -> Attended | None:
        if self.attention is None or keys is None:
            return None
        return self.attention(
            query_BQ[:, None],
            keys,
            need_weights=need_weights,
            positions=position,
            state=state.attention,
            override=override,
        )

    def _keys(self, memory: Memory) -> Prepared | None:
        if self.attention is None:
            return None
        keys = memory.prepared[0]
        assert isinstance(keys, Prepared)
        return keys

    def _input_weights(self) -> InputWeights:
        word, context, fed = self.stack.bottom.split_inputs(self.input_sizes)
        return InputWeights(word, context if self.before else None, fed if self.input_feeding else None)

    def _dropout_scales(self, steps: int, words_BE: Tensor) -> list[Tensor | None]:
        return self.stack.dropout_scales(steps, len(words_BE), words_BE)


def cross_maps(taken: list[StepResult]) -> list[Tensor]:
    """The weights [B, H, T, S] of steps, as the one layer there is."""
    rows = [as_heads(now.attended) for now in taken if now.attended is not None]
    return [torch.cat(rows, dim=2)] if rows else []


def joined(taken: list[StepResult], part: Callable[[Attended], Tensor | None]) -> Tensor | None:
    """What hard attention says of its draws, [B, T] of all steps."""
    drawn = [part(now.attended) for now in taken if now.attended is not None]
    rows = [row for row in drawn if row is not None]
    return torch.cat(rows, dim=1) if rows else None
