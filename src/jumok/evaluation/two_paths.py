"""Backpropagation through one look at the source, before and after one update.

The context c_t = Σ_i α_{t,i} h_i depends on a source state h_i in two ways, so the gradient of loss_t has two paths:

    through the values    ∂c_t/∂h_i with the weights α held fixed: what is read at i changes
    through the weights   ∂c_t/∂h_i through α_{t,i} alone: where the decoder looks changes (h_i as key)

They add up to the whole direct gradient. To have something to correct, an error is seeded: a number is added to the
score of a wrong source position, e_{t,wrong} + push, so that it gets most of the attention; it stays in place while the
model takes one step of gradient descent on −log p(y*_t).
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from jumok.data.sources import Tokens
from jumok.errors import InputError
from jumok.evaluation.gradient_flow import two_lanes
from jumok.models.contract import DecoderState, Memory
from jumok.models.seq2seq import Seq2Seq
from jumok.shapes import BOS, EOS

Ids = Sequence[int]
LEAST = 1e-9


@dataclass(frozen=True)
class Question:
    """The right word at place `at` of a pair of ids (without BOS and EOS), and the error that is seeded there."""

    source: Ids
    target: Ids
    at: int
    wrong: int
    """The source position whose score is raised."""
    push: float = 0.0

    @property
    def right(self) -> int:
        """The id of the right word."""
        return [*self.target, EOS][self.at]


@dataclass(frozen=True)
class Look:
    """One step of writing: the weights over the source and the distribution of the next word."""

    weights_S: Tensor
    log_prob_V: Tensor


@dataclass(frozen=True)
class Paths:
    """Gradients of −log p(right word): of each source state by path [S, D], and of each score [S]."""

    weights_SD: Tensor
    values_SD: Tensor
    whole_SD: Tensor
    scores_S: Tensor


def look(model: Seq2Seq, asked: Question) -> Look:
    """The step as the model takes it."""
    with torch.no_grad():
        weights_S, log_prob_V = _seeded(model, _walked(model, asked), asked)
    return Look(weights_S, log_prob_V)


def push_for(weights_S: Tensor, wrong: int, share: float) -> float:
    """What to add to the score of a position so that its weight becomes `share`: logit(share) − logit(α_wrong)."""
    own = weights_S.double().clamp(LEAST, 1 - LEAST)[wrong]
    return float(torch.logit(torch.tensor(share, dtype=torch.float64)) - torch.logit(own))


def paths(model: Seq2Seq, asked: Question) -> Paths:
    """The gradients of the step alone: the state that asks is held fixed."""
    with torch.no_grad():
        state = _walked(model, asked)
    with torch.enable_grad():
        memory, leaves = two_lanes(model, state.memory)
        nudge_S = state.memory.states_BSD.new_zeros(state.memory.states_BSD.shape[1]).requires_grad_()
        loss = -_seeded(model, replace(state, memory=memory), asked, nudge_S)[1][asked.right]
        weights, values, scores_S = torch.autograd.grad(loss, [*leaves, nudge_S])
        memory, whole = _one_lane(model, state.memory)
        loss = -_seeded(model, replace(state, memory=memory), asked)[1][asked.right]
        (both,) = torch.autograd.grad(loss, [whole])
    return Paths(weights[0], values[0], both[0], scores_S)


def updated(model: Seq2Seq, asked: Question, rate: float) -> Seq2Seq:
    """A copy of the model after one step of gradient descent on −log p(right word), over every path there is."""
    copy = deepcopy(model).eval()
    with torch.enable_grad():
        for parameter in copy.parameters():
            parameter.requires_grad_()
        loss = -_seeded(copy, _walked(copy, asked), asked)[1][asked.right]
        loss.backward()
    with torch.no_grad():
        for parameter in copy.parameters():
            if parameter.grad is not None:
                parameter -= rate * parameter.grad
    return copy


def _walked(model: Seq2Seq, asked: Question) -> DecoderState:
    """The state after the right words before the place in question."""
    if len(model.decoder.cross_attentions()) != 1:
        raise InputError("the paths of a gradient are shown for models with one layer of attention over the source.")
    source_BS = torch.tensor([[*asked.source, EOS]], device=model.device)
    state = model.init_state(model.encode(Tokens(source_BS, torch.ones_like(source_BS, dtype=torch.bool))))
    for word in [BOS, *asked.target][: asked.at]:
        _, state = model.step(torch.tensor([word], device=model.device), state)
    return state


def _seeded(
    model: Seq2Seq, state: DecoderState, asked: Question, nudge_S: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """(weights [S], log-probabilities [V]) of the step, with the error in its scores.

    softmax(e + b) = softmax(log softmax(e) + b), so that the error can be added after the mechanism's own softmax.
    """
    previous_B = torch.tensor([[BOS, *asked.target][asked.at]], device=model.device)
    own_BHTS = model.step(previous_B, state, need_weights=True)[0].attention.cross[0]
    error_S = torch.zeros(own_BHTS.shape[-1], device=model.device, dtype=own_BHTS.dtype)
    error_S[asked.wrong] = asked.push
    error_S = error_S if nudge_S is None else error_S + nudge_S
    weights_BHTS = (own_BHTS.clamp_min(LEAST).log() + error_S).softmax(-1)
    output, _ = model.step(previous_B, state, override={0: weights_BHTS})
    return weights_BHTS[0].mean(0)[0], output.logits_BV[0].log_softmax(-1)


def _one_lane(model: Seq2Seq, memory: Memory) -> tuple[Memory, Tensor]:
    """The memory with keys and values made from one copy of the states."""
    leaf = torch.zeros_like(memory.states_BSD).requires_grad_()
    return model.prepare(replace(memory, states_BSD=memory.states_BSD + leaf)), leaf
