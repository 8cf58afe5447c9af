"""One sentence decoded in slow motion, with everything each step computed, and with whatever one cares to change.

What if the decoder had looked elsewhere (`overrides`), had not been able to see a word (`blank`), or had said something
else so far (`forced`)? The model decodes again from there, and the trace says what it did instead.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from jumok.data.sources import Tokens
from jumok.decoding.batches import pad_sources
from jumok.decoding.forced import run_pairs, token_log_probs
from jumok.decoding.hypothesis import Weights, as_numpy
from jumok.decoding.lists import float_rows, floats, ints
from jumok.errors import InputError
from jumok.models.contract import Memory, Override, StepOutput
from jumok.models.seq2seq import Seq2Seq
from jumok.shapes import BOS, EOS, PAD, UNK

Blank = Literal["attention", "word"]
Terms = Mapping[str, object]


@dataclass(frozen=True)
class Change:
    """What is done differently.

    `blank` names source positions (tokens) that are hidden: from the attention alone (`attention`), or from the encoder
    too, which then reads an unknown word there (`word`). `forced` are the tokens that must be written first, EOS
    allowed as the last; `overrides` maps steps to cross-attention weights, as `Seq2Seq.step` takes them.
    """

    blank: Collection[int] = ()
    blank_from: Blank = "attention"
    forced: Sequence[int] = ()
    overrides: Mapping[int, Override] = field(default_factory=dict[int, Override])


@dataclass(frozen=True, eq=False)
class TraceStep:
    """One step: the word that was written, what else might have been, and how it came about."""

    token: int
    log_prob: float
    forced: bool
    top: tuple[tuple[int, float], ...]
    """The likeliest tokens with their probabilities."""
    entropy: float
    """Of the whole distribution over the vocabulary, in nats."""
    cross: list[Weights]
    """[H, S] a layer."""
    decoder: list[Weights]
    """[H, t] a layer."""
    terms: Terms
    """Named intermediates as numpy arrays, when asked for; `layers` is a list of the same for each layer."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A sentence decoded greedily from what was forced, step by step; the last step wrote EOS unless cut off."""

    source_ids: tuple[int, ...]
    steps: tuple[TraceStep, ...]
    encoder: list[Weights]
    """The encoder's self-attention, [H, S, S] a layer."""
    values_SD: NDArray[np.float32]
    """The encoder's states, which the context is a weighted sum of (or of what each head makes of them)."""

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens written, without EOS."""
        return tuple(step.token for step in self.steps if step.token != EOS)

    @property
    def log_prob(self) -> float:
        """Of everything that was written."""
        return sum(step.log_prob for step in self.steps)


@torch.inference_mode()
def trace(
    model: Seq2Seq,
    source_ids: Sequence[int],
    *,
    change: Change | None = None,
    longest: int = 120,
    top: int = 10,
    need_terms: bool = False,
    allow_unknown: bool = True,
) -> Trace:
    """The greedy decoding of one source (ids without EOS) under a change."""
    change = change or Change()
    device = model.device
    memory = _encode(model, source_ids, change, device)
    state = model.init_state(memory)
    steps: list[TraceStep] = []
    previous = BOS
    for t in range(longest + 1):
        output, state = model.step(
            torch.tensor([previous], device=device),
            state,
            need_weights=True,
            need_terms=need_terms,
            override=change.overrides.get(t),
        )
        forced = change.forced[t] if t < len(change.forced) else None
        if forced is None and t == longest:
            forced = EOS
        steps.append(_read_step(output, forced, top, allow_unknown))
        previous = steps[-1].token
        if previous == EOS:
            break
    encoder = [as_numpy(layer[0]) for layer in memory.attention]
    return Trace(tuple(source_ids), tuple(steps), encoder, as_numpy(memory.states_BSD[0]))


def _encode(model: Seq2Seq, source_ids: Sequence[int], change: Change, device: torch.device) -> Memory:
    """The memory with what is blank hidden."""
    blank = sorted(set(change.blank))
    if blank and not (blank[0] >= 0 and blank[-1] < len(source_ids)):
        raise InputError(f"source token {blank[-1]} cannot be hidden: the source has {len(source_ids)} tokens.")
    ids = list(source_ids)
    if change.blank_from == "word":
        for position in blank:
            ids[position] = UNK
    source_BS, mask_BS = pad_sources([ids], device)
    memory = model.encode(Tokens(source_BS, mask_BS), True)
    if not blank:
        return memory
    hidden_BS = memory.mask_BS.clone()
    hidden_BS[0, blank] = False
    return model.prepare(replace(memory, mask_BS=hidden_BS))


def _read_step(output: StepOutput, forced: int | None, top: int, allow_unknown: bool) -> TraceStep:
    """The word of a step (the likeliest, if none is forced) and what surrounds it."""
    log_prob_V = output.logits_BV[0].double().log_softmax(dim=-1)
    prob_V = log_prob_V.exp()
    likely = prob_V.topk(min(top, len(prob_V)))
    if forced is None:
        never = [PAD, BOS] if allow_unknown else [PAD, UNK, BOS]
        forced_now = int(log_prob_V.index_fill(0, torch.tensor(never, device=log_prob_V.device), -torch.inf).argmax())
    else:
        forced_now = forced
    return TraceStep(
        token=forced_now,
        log_prob=float(log_prob_V[forced_now]),
        forced=forced is not None,
        top=tuple(zip(ints(likely.indices), floats(likely.values), strict=True)),
        entropy=-float((prob_V * log_prob_V).nan_to_num().sum()),
        cross=[as_numpy(layer[0, :, 0]) for layer in output.attention.cross],
        decoder=[as_numpy(layer[0, :, 0]) for layer in output.attention.decoder],
        terms=plain_terms(output.terms),
    )


def plain_terms(terms: Terms) -> dict[str, object]:
    """Terms as numpy arrays without the leading dimension of the batch."""
    found: dict[str, object] = {}
    for name, value in terms.items():
        if isinstance(value, Tensor):
            found[name] = as_numpy(value[0] if value.ndim and value.shape[0] == 1 else value)
        elif isinstance(value, list):
            found[name] = [plain_terms(layer) for layer in cast("list[Terms]", value)]
    return found


def removal_effects(
    model: Seq2Seq, source_ids: Sequence[int], source_word_of_token: Sequence[int], target_ids: Sequence[int]
) -> NDArray[np.float64]:
    """How much each target token loses when a source word is taken away: [target tokens + EOS, source words].

    effect_{t,i} = log p(y_t | y_<t, x) − log p(y_t | y_<t, x without word i)

    The source is encoded again without the word. This is measured, not looked at: attention need not agree with it.
    """
    words = max(source_word_of_token, default=-1) + 1
    sources = [list(source_ids)]
    for word in range(words):
        sources.append([token for token, of in zip(source_ids, source_word_of_token, strict=True) if of != word])
    device = model.device
    rows: dict[int, list[float]] = {}
    for forced in run_pairs(model, sources, [target_ids] * len(sources), device, need_weights=False):
        log_prob_BT = float_rows(token_log_probs(model, forced))
        rows |= {n: log_prob_BT[row][: len(target_ids) + 1] for row, n in enumerate(forced.numbers)}
    whole = np.array(rows[0])
    without = np.array([rows[word + 1] for word in range(words)]).reshape(words, len(target_ids) + 1)
    return (whole[None, :] - without).T
