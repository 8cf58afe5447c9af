"""Beam search over the rows of a whole batch at once: a loop over steps, none over hypotheses.

Each sentence has `beam` places. At every step the best one-word extensions of its rows take the places that are free;
an extension by EOS is finished and keeps its place, so the beam narrows as hypotheses end and the search is over
when all places are taken. It is over earlier when no row under way can still beat what is finished (`Scoring.bound`).
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from jumok.decoding.beam_tree import TreeRecorder
from jumok.decoding.constraints import Rules, RuleState
from jumok.decoding.greedy import attended_by, join_ends
from jumok.decoding.hypothesis import BeamTree, Ends, History, Hypothesis, Keep, read_hypotheses
from jumok.decoding.interface import Output, State, Stepper
from jumok.decoding.lists import ints
from jumok.decoding.scoring import Scoring
from jumok.errors import InputError
from jumok.shapes import BOS, EOS


@dataclass(frozen=True)
class Rows:
    """The hypotheses under way, those of a sentence side by side."""

    sentence_N: Tensor
    log_prob_N: Tensor
    previous_N: Tensor
    attended_NS: Tensor | None
    rules: RuleState


@dataclass(frozen=True)
class Candidates:
    """One-word extensions in a table [B, M], −∞ where there is none: M = beam × extensions of a row."""

    log_prob_BM: Tensor
    token_BM: Tensor
    row_BM: Tensor
    bank_BM: Tensor | None
    """How many tokens of its required words each has written; None where nothing is required."""


class Chosen(NamedTuple):
    """The candidates that got a place, by sentence and then by rank."""

    sentence_C: Tensor
    place_C: Tensor
    """The column of the candidate in the table."""
    row_C: Tensor
    token_C: Tensor
    log_prob_C: Tensor

    def select(self, index: Tensor) -> "Chosen":
        """The given ones."""
        return Chosen(*(column[index] for column in self))


@dataclass(frozen=True)
class Beams:
    """What a search found for each sentence: the best hypotheses, and the tree when asked for."""

    best: list[list[Hypothesis]]
    trees: list[BeamTree] | None


def beam_search(
    model: Stepper,
    memory: Any,
    mask_BS: Tensor,
    rules: Rules,
    *,
    beam: int = 5,
    nbest: int = 1,
    scoring: Scoring | None = None,
    keep: Keep | None = None,
    encoder: list[Tensor] | None = None,
    tree: bool = False,
) -> Beams:
    """The `nbest` highest-scoring hypotheses of each sentence that a beam of this width finds, best first."""
    if not 1 <= nbest <= beam:
        raise InputError(f"{nbest} best hypotheses cannot come from a beam of {beam}; raise the beam.")
    search = _Search(model, mask_BS, rules, beam, nbest, scoring or Scoring(), History(keep or Keep()), tree)
    state: State = model.init_state(memory)
    rows = search.first_rows()
    while len(rows.sentence_N):
        rows, state = search.step(rows, state)
    return search.result(encoder or [])


class _Search:
    """The search of one batch: what stays the same, and what is finished so far."""

    def __init__(
        self,
        model: Stepper,
        mask_BS: Tensor,
        rules: Rules,
        beam: int,
        nbest: int,
        scoring: Scoring,
        history: History,
        tree: bool,
    ) -> None:
        self.model, self.mask_BS, self.rules = model, mask_BS, rules
        self.beam, self.nbest, self.scoring, self.history = beam, nbest, scoring, history
        self.need_weights = history.keep.any or scoring.coverage > 0
        count, device = mask_BS.shape[0], mask_BS.device
        self.ends: list[Ends] = []
        self.ended_B = torch.zeros(count, dtype=torch.long, device=device)
        self.best_BR = torch.full((count, nbest), -torch.inf, dtype=torch.float64, device=device)
        self.number = 0
        self.recorder = TreeRecorder(count) if tree else None

    def first_rows(self) -> Rows:
        """One row a sentence, before the first word."""
        rules = self.rules.start()
        sentence = rules.sentence_N
        zeros = torch.zeros(len(sentence), dtype=torch.float64, device=sentence.device)
        attended = torch.zeros(self.mask_BS.shape, device=sentence.device) if self.scoring.coverage > 0 else None
        return Rows(sentence, zeros, torch.full_like(sentence, BOS), attended, rules)

    def step(self, rows: Rows, state: State) -> tuple[Rows, State]:
        """One word further: the rows that go on, and the state of the model for them."""
        output: Output
        output, state = self.model.step(rows.previous_N, state, need_weights=self.need_weights)
        candidates = self.extend(rows, output)
        free_B = self.beam - self.ended_B
        if candidates.bank_BM is None:
            chosen = take_best(candidates, self.beam, free_B)
        else:
            chosen = take_by_bank(candidates, candidates.bank_BM, self.beam, free_B)
        attended_NS = rows.attended_NS
        if attended_NS is not None:
            attended_NS = attended_NS + attended_by(output.attention, attended_NS)
        ended = chosen.token_C == EOS
        scores = self.finish(chosen.select(ended.nonzero()[:, 0]), attended_NS)
        going_on = chosen.select((~ended).nonzero()[:, 0])
        if self.recorder is not None:
            self.record(self.recorder, candidates, chosen, going_on, scores)
        going_on = going_on.select(self.worthwhile(going_on))
        self.history.add(going_on.row_C, going_on.token_C, going_on.log_prob_C, output.attention)
        same = torch.equal(going_on.sentence_C, rows.sentence_N)
        state = state.select(going_on.row_C, same_sources=same)
        self.number += 1
        return self.next_rows(rows, going_on, attended_NS), state

    def extend(self, rows: Rows, output: Output) -> Candidates:
        """The best extensions of each row, set into a table with a line for each sentence."""
        norm_N = output.logits_BV.logsumexp(dim=-1)
        logits_NV = self.rules.restrict(output.logits_BV, rows.rules, self.number)
        # The best `beam` of a sentence are among the best `beam` of each of its rows.
        value_NW, token_NW = logits_NV.topk(min(self.beam, logits_NV.shape[1]), dim=-1)
        bank_NW = None
        if self.rules.required is not None:
            value_NW, token_NW, bank_NW = self.add_required(rows, logits_NV, value_NW, token_NW)
        log_prob_NW = rows.log_prob_N[:, None] + (value_NW - norm_N[:, None]).double()
        return self.table(rows.sentence_N, log_prob_NW, token_NW, bank_NW)

    def add_required(
        self, rows: Rows, logits_NV: Tensor, value_NK: Tensor, token_NK: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Beside the best extensions, those that write the next token of a required word (Post and Vilar 2018)."""
        required, required_N = self.rules.required, rows.rules.required_N
        assert required is not None
        assert required_N is not None
        _, after_NC, now_N = required.rows(required_N)
        token_A = torch.tensor(required.tokens, dtype=torch.long, device=logits_NV.device)
        progress_NA = after_NC[:, : len(token_A)] < now_N[:, None]
        value_NA = logits_NV[:, token_A].masked_fill(~progress_NA, -torch.inf)
        column_NK = required.columns_V.to(token_NK.device)[token_NK]
        padded_NC = torch.nn.functional.pad(progress_NA, (0, after_NC.shape[1] - len(token_A)))
        value_NK = value_NK.masked_fill(padded_NC.gather(1, column_NK), -torch.inf)  # they come once, in the others
        needed_NW = torch.cat([after_NC.gather(1, column_NK), after_NC[:, : len(token_A)]], dim=1)
        all_N = required.needed(required.start_B.to(required_N.device))[rows.sentence_N]
        return (
            torch.cat([value_NK, value_NA], dim=1),
            torch.cat([token_NK, token_A.expand(len(value_NA), -1)], dim=1),
            (all_N[:, None] - needed_NW).clamp(min=0),
        )

    def table(self, sentence_N: Tensor, log_prob_NW: Tensor, token_NW: Tensor, bank_NW: Tensor | None) -> Candidates:
        """Rows of extensions as lines of sentences."""
        count, width = self.mask_BS.shape[0], log_prob_NW.shape[1]
        row_N = torch.arange(len(sentence_N), device=sentence_N.device)
        rows_B = torch.bincount(sentence_N, minlength=count)
        slot_N = row_N - (rows_B.cumsum(0) - rows_B)[sentence_N]
        most = int(rows_B.max())
        log_prob = log_prob_NW.new_full((count, most, width), -torch.inf)
        token = token_NW.new_zeros(count, most, width)
        row = token_NW.new_zeros(count, most, width)
        log_prob[sentence_N, slot_N] = log_prob_NW
        token[sentence_N, slot_N] = token_NW
        row[sentence_N, slot_N] = row_N[:, None].expand(-1, width)
        bank = None
        if bank_NW is not None:
            bank = bank_NW.new_zeros(count, most, width)
            bank[sentence_N, slot_N] = bank_NW
            bank = bank.flatten(1)
        return Candidates(log_prob.flatten(1), token.flatten(1), row.flatten(1), bank)

    def finish(self, ended: Chosen, attended_NS: Tensor | None) -> Tensor:
        """Notes the finished hypotheses; their scores."""
        sentence = ended.sentence_C
        step_M = torch.full_like(sentence, self.number)
        coverage = None
        if attended_NS is not None:
            mask = self.mask_BS[sentence]
            coverage = self.scoring.coverage_of(attended_NS[ended.row_C], mask)
        score_M = self.scoring.score(ended.log_prob_C, step_M + 1, coverage)
        if len(sentence):
            truncated = step_M >= self.rules.max_length_B[sentence]
            self.ends.append(Ends(sentence, step_M, ended.row_C, ended.log_prob_C, score_M, truncated))
            new_BM = score_M.new_full((len(self.ended_B), len(sentence)), -torch.inf)
            new_BM[sentence, torch.arange(len(sentence), device=sentence.device)] = score_M
            self.best_BR = torch.cat([self.best_BR, new_BM], dim=1).topk(self.nbest, dim=1).values
            self.ended_B += torch.bincount(sentence, minlength=len(self.ended_B))
        return score_M

    def worthwhile(self, going_on: Chosen) -> Tensor:
        """Those rows whose sentence has at least one that may still be among the `nbest`.

        A whole sentence stops or none of it: dropping single rows would give their places to worse ones.
        """
        sentence = going_on.sentence_C
        length = torch.full_like(sentence, self.number + 1)
        longest = self.rules.max_length_B[sentence] + 1
        bound_C = self.scoring.bound(going_on.log_prob_C, length, longest)
        bound_B = self.best_BR.new_full((len(self.ended_B),), -torch.inf)
        bound_B.scatter_reduce_(0, sentence, bound_C, "amax")
        return (bound_B > self.best_BR[:, -1])[sentence].nonzero()[:, 0]

    def next_rows(self, rows: Rows, going_on: Chosen, attended_NS: Tensor | None) -> Rows:
        """The rows after this step."""
        return Rows(
            going_on.sentence_C,
            going_on.log_prob_C,
            going_on.token_C,
            None if attended_NS is None else attended_NS[going_on.row_C],
            self.rules.advance(rows.rules, going_on.row_C, going_on.token_C),
        )

    def record(
        self, recorder: TreeRecorder, candidates: Candidates, chosen: Chosen, going_on: Chosen, scores: Tensor
    ) -> None:
        """Notes every candidate for the tree."""
        lengths = torch.full_like(candidates.token_BM, self.number + 1)
        score_BM = self.scoring.score(candidates.log_prob_BM, lengths)
        ended = chosen.select((chosen.token_C == EOS).nonzero()[:, 0])
        score_BM[ended.sentence_C, ended.place_C] = scores
        kept = going_on.select(self.worthwhile(going_on))
        recorder.add(
            (candidates.log_prob_BM, candidates.token_BM, candidates.row_BM, score_BM),
            finished=(ended.sentence_C, ended.place_C),
            kept=(going_on.sentence_C, going_on.place_C),
            rows=(kept.sentence_C, kept.place_C),
        )

    def result(self, encoder: list[Tensor]) -> Beams:
        """The best hypotheses of each sentence, read from the history."""
        count = len(self.ended_B)
        missing = (self.ended_B == 0).nonzero()[:, 0]
        if len(missing):
            number = int(missing[0]) + 1
            raise InputError(f"the constraints leave no output for sentence {number} of the batch; relax them.")
        ends = join_ends(self.ends)
        # By score, then (stably) by sentence: the first `nbest` of each sentence are its best.
        order = ends.score_M.argsort(descending=True, stable=True)
        order = order[ends.sentence_M[order].argsort(stable=True)]
        sorted_ends = ends.select(order)
        found_B = torch.bincount(sorted_ends.sentence_M, minlength=count)
        rank_M = torch.arange(len(order), device=order.device) - (found_B.cumsum(0) - found_B)[sorted_ends.sentence_M]
        wanted = sorted_ends.select((rank_M < self.nbest).nonzero()[:, 0])
        hypotheses = read_hypotheses(self.history, wanted, encoder, ints(self.mask_BS.sum(dim=1)))
        best: list[list[Hypothesis]] = [[] for _ in range(count)]
        for sentence, hypothesis in zip(ints(wanted.sentence_M), hypotheses, strict=True):
            best[sentence].append(hypothesis)
        return Beams(best, None if self.recorder is None else self.recorder.trees())


def take_best(candidates: Candidates, beam: int, free_B: Tensor) -> Chosen:
    """The likeliest candidates of each sentence, as many as it has free places."""
    most = min(beam, candidates.log_prob_BM.shape[1])
    value_BK, place_BK = candidates.log_prob_BM.topk(most, dim=1)
    return _in_free_places(candidates, place_BK, value_BK > -torch.inf, free_B)


def take_by_bank(candidates: Candidates, bank_BM: Tensor, beam: int, free_B: Tensor) -> Chosen:
    """The places shared out among banks, each for hypotheses that have come equally far with the required words.

    Dynamic beam allocation (Post and Vilar 2018) gives every bank an equal share and passes on what a bank cannot
    fill. Taking the best of every bank, then the second best of every bank, and so on, does both at once; where a
    round has fewer places than banks, those that have come furthest go first.
    """
    order_BM = candidates.log_prob_BM.argsort(dim=1, descending=True, stable=True)
    bank_sorted_BM = bank_BM.gather(1, order_BM)
    banks = int(bank_BM.max()) + 1
    possible_BM = candidates.log_prob_BM.gather(1, order_BM) > -torch.inf
    member_BMG = torch.nn.functional.one_hot(bank_sorted_BM, banks) * possible_BM[..., None]
    rank_BM = member_BMG.cumsum(dim=1).gather(2, bank_sorted_BM[..., None])[..., 0]
    key_BM = rank_BM * banks + (banks - 1 - bank_sorted_BM)
    key_BM = key_BM.masked_fill(~possible_BM, torch.iinfo(torch.long).max)
    turn_BK = key_BM.argsort(dim=1, stable=True)[:, :beam]
    return _in_free_places(candidates, order_BM.gather(1, turn_BK), possible_BM.gather(1, turn_BK), free_B)


def _in_free_places(candidates: Candidates, place_BK: Tensor, possible_BK: Tensor, free_B: Tensor) -> Chosen:
    """The candidates at the given places of the table that are possible and still find a free place."""
    rank_K = torch.arange(place_BK.shape[1], device=place_BK.device)
    sentence_C, rank_C = (possible_BK & (rank_K < free_B[:, None])).nonzero(as_tuple=True)
    place_C = place_BK[sentence_C, rank_C]
    return Chosen(
        sentence_C,
        place_C,
        candidates.row_BM[sentence_C, place_C],
        candidates.token_BM[sentence_C, place_C],
        candidates.log_prob_BM[sentence_C, place_C],
    )
