"""One path per sentence: at each step one next word is chosen, by argmax here, by a draw in `sampling`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from jumok.decoding.constraints import Rules
from jumok.decoding.hypothesis import Ends, History, Hypothesis, Keep, read_hypotheses
from jumok.decoding.interface import Output, State, Stepper
from jumok.decoding.lists import ints
from jumok.decoding.scoring import Scoring
from jumok.errors import InputError
from jumok.models.contract import AttentionMaps
from jumok.shapes import BOS, EOS

# choose(logits_NV with −∞ for what is not allowed, the rows' numbers at the start, step) -> tokens
Choose = Callable[[Tensor, Tensor, int], Tensor]


def likeliest(logits_NV: Tensor, _row_N: Tensor, _step: int) -> Tensor:
    """The word that each row thinks likeliest."""
    return logits_NV.argmax(dim=-1)


def one_path(
    model: Stepper,
    memory: Any,
    mask_BS: Tensor,
    rules: Rules,
    *,
    choose: Choose,
    scoring: Scoring | None = None,
    keep: Keep | None = None,
    encoder: list[Tensor] | None = None,
) -> list[Hypothesis]:
    """One hypothesis per sentence, each word chosen by `choose`; finished rows leave the batch."""
    scoring = scoring or Scoring()
    history = History(keep or Keep())
    need_weights = history.keep.any or scoring.coverage > 0
    state: State = model.init_state(memory)
    rule_state = rules.start()
    row_N = rule_state.sentence_N
    log_prob_N = torch.zeros(len(row_N), dtype=torch.float64, device=row_N.device)
    attended_NS = torch.zeros(mask_BS.shape, device=mask_BS.device)
    previous_N = torch.full_like(row_N, BOS)
    ends: list[Ends] = []
    step = 0
    while len(row_N):
        output: Output
        output, state = model.step(previous_N, state, need_weights=need_weights)
        norm_N = output.logits_BV.logsumexp(dim=-1)
        logits_NV = rules.restrict(output.logits_BV, rule_state, step)
        token_N = choose(logits_NV, row_N, step)
        gain_N = logits_NV.gather(1, token_N[:, None])[:, 0] - norm_N
        check_possible(gain_N, row_N)
        log_prob_N = log_prob_N + gain_N.double()
        if scoring.coverage > 0:
            attended_NS = attended_NS + attended_by(output.attention, attended_NS)
        ended_N = token_N == EOS
        ends.append(_ends(ended_N, row_N, step, log_prob_N, attended_NS, mask_BS, scoring, rules))
        left_N = (~ended_N).nonzero()[:, 0]
        history.add(left_N, token_N[left_N], log_prob_N[left_N], output.attention)
        if len(left_N) < len(row_N):
            state = state.select(left_N)
        rule_state = rules.advance(rule_state, left_N, token_N[left_N])
        row_N, log_prob_N, attended_NS = row_N[left_N], log_prob_N[left_N], attended_NS[left_N]
        previous_N = token_N[left_N]
        step += 1
    return _in_order(history, ends, encoder or [], mask_BS)


greedy = partial(one_path, choose=likeliest)
"""The path of likeliest next words for each sentence of the batch."""


def attended_by(attention: AttentionMaps, like_NS: Tensor) -> Tensor:
    """The step's attention [N, S] that coverage adds up: what a head copies by, else the mean of all layers and heads.

    Zeros like `like_NS` without any attention.
    """
    if attention.copied is not None:
        return attention.copied[:, 0]
    if not attention.cross:
        return torch.zeros_like(like_NS)
    return torch.stack([layer[:, :, 0].mean(dim=1) for layer in attention.cross]).mean(dim=0)


def check_possible(gain_N: Tensor, sentence_N: Tensor) -> None:
    """Raises where rules left a sentence nothing to write."""
    stuck = (gain_N == -torch.inf).nonzero()[:, 0]
    if len(stuck):
        number = int(sentence_N[stuck[0]]) + 1
        raise InputError(f"the constraints leave nothing to write for sentence {number} of the batch; relax them.")


def _ends(
    ended_N: Tensor,
    row_N: Tensor,
    step: int,
    log_prob_N: Tensor,
    attended_NS: Tensor,
    mask_BS: Tensor,
    scoring: Scoring,
    rules: Rules,
) -> Ends:
    """The paths that wrote EOS at this step."""
    at = ended_N.nonzero()[:, 0]
    sentence = row_N[at]
    step_M = torch.full_like(at, step)
    coverage = None
    if scoring.coverage > 0:
        coverage = scoring.coverage_of(attended_NS[at], mask_BS[sentence])
    score = scoring.score(log_prob_N[at], step_M + 1, coverage)
    return Ends(sentence, step_M, at, log_prob_N[at], score, step_M >= rules.max_length_B[sentence])


def _in_order(history: History, ends: list[Ends], encoder: list[Tensor], mask_BS: Tensor) -> list[Hypothesis]:
    """The hypotheses in the order of the sentences."""
    every = join_ends(ends)
    order = every.sentence_M.argsort()
    return read_hypotheses(history, every.select(order), encoder, ints(mask_BS.sum(dim=1)))


def join_ends(ends: list[Ends]) -> Ends:
    """Several groups of ends as one."""
    return Ends(*(torch.cat(column) for column in zip(*ends, strict=True)))
