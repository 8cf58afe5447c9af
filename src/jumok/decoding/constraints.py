"""What a search may write: limits of length, a forced prefix, no repeated n-grams, forbidden and required words.

Rules turn the scores of words that may not follow into −∞ and never change the others, so a hypothesis keeps the
model's own log-probability. All rules but one are hard; repeating an n-gram is allowed where nothing else is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from jumok.decoding.forbidden import ForbiddenBySentence, ForbiddenWords
from jumok.decoding.required import RequiredWords
from jumok.decoding.word_limits import WordLimits, WordState
from jumok.errors import InputError
from jumok.shapes import BOS, EOS, PAD, UNK

NEVER = -torch.inf


@dataclass(frozen=True)
class RuleState:
    """What rules need to know of the rows under way."""

    sentence_N: Tensor
    history_NT: Tensor | None = None
    forbidden_N: Tensor | None = None
    required_N: Tensor | None = None
    words: WordState | None = None


@dataclass(frozen=True)
class Rules:
    """The rules of a batch; lengths count tokens without EOS."""

    max_length_B: Tensor
    min_length_B: Tensor
    allow_unknown: bool = True
    no_repeat: int = 0
    """No n-gram of this many tokens twice; 0 is off."""
    repeatable: Sequence[Sequence[int]] = ()
    """For each sentence tokens with which an n-gram may come again; nothing where no sentence has any."""
    prefixes: Sequence[Sequence[int]] = ()
    forbidden: ForbiddenWords | ForbiddenBySentence | None = None
    required: RequiredWords | None = None
    words: WordLimits | None = None

    @classmethod
    def lengths(cls, longest: Sequence[int], device: torch.device | str = "cpu") -> "Rules":
        """Rules that only limit each sentence's length."""
        longest_B = torch.tensor(list(longest), device=device)
        return cls(longest_B, torch.zeros_like(longest_B))

    def __post_init__(self) -> None:
        if bool((self.min_length_B > self.max_length_B).any()):
            raise InputError("the shortest allowed output is longer than the longest; lower min_length.")
        if self.required is not None:
            needed_B = self.required.needed(self.required.start_B).to(self.max_length_B.device)
            needed_B = needed_B + torch.tensor([len(p) for p in self._all_prefixes], device=needed_B.device)
            if bool((needed_B > self.max_length_B).any()):
                raise InputError(
                    f"the required words need {int(needed_B.max())} tokens, more than the output may have; "
                    "raise max_length or require fewer."
                )

    @property
    def _all_prefixes(self) -> Sequence[Sequence[int]]:
        return self.prefixes or [()] * len(self.max_length_B)

    @cached_property
    def _repeatable_BK(self) -> Tensor | None:
        """The repeatable tokens of each sentence, padded; None where there are none."""
        most = max(map(len, self.repeatable), default=0)
        if not most:
            return None
        rows = [[*tokens, *[PAD] * (most - len(tokens))] for tokens in self.repeatable]
        return torch.tensor(rows, device=self.max_length_B.device)

    def start(self) -> RuleState:
        """The state before the first word, one row per sentence."""
        sentence_B = torch.arange(len(self.max_length_B), device=self.max_length_B.device)
        empty = torch.zeros(len(sentence_B), 0, dtype=torch.long, device=sentence_B.device)
        forbidden = self.forbidden
        return RuleState(
            sentence_B,
            empty if self.no_repeat else None,
            None if forbidden is None else forbidden.starts(len(sentence_B)).to(sentence_B.device),
            None if self.required is None else self.required.start_B.to(sentence_B.device),
            None if self.words is None else self.words.start(),
        )

    def advance(self, state: RuleState, parent_N: Tensor, token_N: Tensor) -> RuleState:
        """The state of rows that grew from `parent_N` by `token_N`."""
        history = state.history_NT
        forbidden_N = required_N = None
        if self.forbidden is not None and state.forbidden_N is not None and len(parent_N):
            next_NV, _, _ = self.forbidden.rows(state.forbidden_N[parent_N])
            forbidden_N = next_NV.gather(1, token_N[:, None])[:, 0]
        if self.required is not None and state.required_N is not None and len(parent_N):
            next_NC, _, _ = self.required.rows(state.required_N[parent_N])
            column_N = self.required.columns_V.to(token_N.device)[token_N]
            required_N = next_NC.gather(1, column_N[:, None])[:, 0]
        if history is not None:
            history = torch.cat([history[parent_N], token_N[:, None]], dim=1)
        words = None
        if self.words is not None and state.words is not None:
            words = self.words.advance(state.words, parent_N, token_N)
        return RuleState(state.sentence_N[parent_N], history, forbidden_N, required_N, words)

    def restrict(self, logits_NV: Tensor, state: RuleState, step: int) -> Tensor:
        """The logits with −∞ for what may not follow; written in place."""
        forced = self._forced(logits_NV, state, step)
        never = [PAD, BOS] if self.allow_unknown else [PAD, UNK, BOS]
        logits_NV[:, never] = NEVER
        left_N = self.max_length_B[state.sentence_N] - step
        too_short_N = step < self.min_length_B[state.sentence_N]
        if bool(too_short_N.any()):
            logits_NV[too_short_N, EOS] = NEVER
        if self.words is not None and state.words is not None:
            banned_NV = self.words.banned(state.words, state.sentence_N, left_N)
            logits_NV = logits_NV.masked_fill(banned_NV, NEVER)
        at_end_N = left_N <= 0
        if bool(at_end_N.any()):
            ending_NV = torch.full_like(logits_NV, NEVER)
            ending_NV[:, EOS] = logits_NV[:, EOS]
            logits_NV = torch.where(at_end_N[:, None], ending_NV, logits_NV)
        logits_NV = self._restrict_words(logits_NV, state, left_N)
        if state.history_NT is not None:
            repeatable_BK = self._repeatable_BK
            repeatable_NK = None if repeatable_BK is None else repeatable_BK[state.sentence_N]
            logits_NV = _without_repeats(logits_NV, state.history_NT, self.no_repeat, repeatable_NK)
        if forced is None:
            return logits_NV
        is_forced_N, forced_NV = forced
        return torch.where(is_forced_N[:, None], forced_NV, logits_NV)

    def _forced(self, logits_NV: Tensor, state: RuleState, step: int) -> tuple[Tensor, Tensor] | None:
        """Which rows are still inside their prefix, and logits that allow its next token alone."""
        if not any(len(prefix) > step for prefix in self.prefixes):
            return None
        token_B = torch.tensor([p[step] if len(p) > step else -1 for p in self.prefixes], device=logits_NV.device)
        token_N = token_B[state.sentence_N]
        forced_NV = torch.full_like(logits_NV, NEVER)
        at_N1 = token_N.clamp(min=0)[:, None]
        forced_NV.scatter_(1, at_N1, logits_NV.gather(1, at_N1))
        return token_N >= 0, forced_NV

    def _restrict_words(self, logits_NV: Tensor, state: RuleState, left_N: Tensor) -> Tensor:
        """Forbidden words are not completed; required ones keep enough length to be."""
        slack_N = left_N - 2
        on_plan_NV = None
        if self.required is not None and state.required_N is not None:
            _, after_NC, now_N = self.required.rows(state.required_N)
            columns_V = self.required.columns_V.to(logits_NV.device)
            # Whatever follows must leave room for what is still required; EOS only after all of it.
            too_much_NC = after_NC > (left_N - 1)[:, None]
            logits_NV = logits_NV.masked_fill(_at_tokens(too_much_NC, columns_V, left_N > 0, EOS), NEVER)
            logits_NV[now_N > 0, EOS] = NEVER
            slack_N = slack_N - self.required.needed_afresh(state.required_N)
            on_plan_NV = (after_NC < now_N[:, None])[:, columns_V]
        if self.forbidden is not None and state.forbidden_N is not None:
            _, banned_NV, risky_NV = self.forbidden.rows(state.forbidden_N)
            # A completed forbidden word must be carried on by one more token, for which there must be room, unless
            # it is the way to a required one (`dog` forbidden, `dogs` required), which carries it on anyway.
            no_room_NV = risky_NV & (slack_N < 0)[:, None]
            if on_plan_NV is not None:
                no_room_NV &= ~on_plan_NV
            logits_NV = logits_NV.masked_fill(banned_NV | no_room_NV, NEVER)
        return logits_NV


def _at_tokens(of_column_NC: Tensor, columns_V: Tensor, rows_N: Tensor, but: int) -> Tensor:
    """A mask over columns spread to the vocabulary, for some rows only and never for the token `but`."""
    mask_NV = of_column_NC[:, columns_V] & rows_N[:, None]
    mask_NV[:, but] = False
    return mask_NV


def _without_repeats(logits_NV: Tensor, history_NT: Tensor, n: int, repeatable_NK: Tensor | None = None) -> Tensor:
    """−∞ for tokens that would complete an n-gram a second time, unless a row had nothing else left.

    N-grams with a repeatable token are left alone.
    """
    if history_NT.shape[1] < n:
        return logits_NV
    grams_NGn = history_NT.unfold(1, n, 1)
    begins_N = history_NT[:, history_NT.shape[1] - n + 1 :]
    again_NG = (grams_NGn[:, :, :-1] == begins_N[:, None, :]).all(dim=-1)
    if repeatable_NK is not None:
        exempt_NT = (history_NT[:, :, None] == repeatable_NK[:, None, :]).any(dim=-1)
        again_NG &= ~exempt_NT.unfold(1, n, 1).any(dim=-1)
    # Where an n-gram does not begin alike, PAD is struck out once more.
    last_NG = torch.where(again_NG, grams_NGn[:, :, -1], PAD)
    fewer_NV = logits_NV.scatter(1, last_NG, NEVER)
    possible_N = (fewer_NV > NEVER).any(dim=-1)
    return torch.where(possible_N[:, None], fewer_NV, logits_NV)
