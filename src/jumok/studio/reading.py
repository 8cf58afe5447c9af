"""Writing and reading: what the search finds, and everything the model did on the way to a given target.

A search gives ids. `replay` walks the model along any ids, its own or given ones, with or without edits, and notes
each step's distribution and attention; so translations, beam nodes, what-ifs and teacher forcing are one computation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from jumok.alignment import argmax_links, merge_to_words
from jumok.decoding.beam_search import beam_search
from jumok.decoding.hypothesis import BeamTree, Hypothesis
from jumok.decoding.jobs import Job
from jumok.decoding.options import Options
from jumok.models.contract import AttentionMaps, Memory
from jumok.shapes import BOS, EOS, UNK
from jumok.studio import payload
from jumok.studio.cancelling import check_wanted
from jumok.studio.edits import EditedModel, Plan
from jumok.studio.payload import MAP_NUMBERS, MAX_TARGET_TOKENS, TOP, Matrix, Note
from jumok.studio.sessions import Session
from jumok.studio.sources import Source, encode, side_tokens
from jumok.text.normal import words_of

Array = NDArray[np.float64]
DIGITS = 5


@dataclass(frozen=True)
class Replay:
    """A target as the model wrote it: one row for each token and EOS; attention over the original's columns."""

    source: Source
    ids: tuple[int, ...]
    steps: list[payload.Written]
    log_probs: list[float]
    encoder: list[Array]
    decoder: list[Array]
    cross: list[Array]

    @property
    def log_prob(self) -> float:
        """log P of the target, EOS counted."""
        return math.fsum(self.log_probs)


@dataclass(frozen=True)
class Found:
    """What a search found, best first, and all it looked at."""

    best: list[Hypothesis]
    tree: BeamTree


@torch.inference_mode()
def search(session: Session, plan: Plan, beam: int) -> Found:
    """The best hypotheses of a beam search (beam 1: greedy) under the plan's edits."""
    memory, mask_BS = encode(session, plan.source)
    job = Job(plan.source.text, plan.source.words, plan.source.ids[:-1], 0, plan.prefix)
    longest = max(min(session.maker.longest(job, Options()), MAX_TARGET_TOKENS), len(plan.prefix))
    rules = session.maker.rules([job], Options(beam=beam, nbest=beam, max_length=max(1, longest)))
    stepper = EditedModel(session.run.model, plan)
    found = beam_search(stepper, memory, mask_BS, rules, beam=beam, nbest=beam, tree=True)
    assert found.trees is not None
    return Found(found.best[0], found.trees[0])


@torch.inference_mode()
def replay(session: Session, plan: Plan, target: Sequence[int]) -> Replay:
    """Each step of writing the target (EOS added), with the plan's edits of source and weights."""
    check_wanted()
    memory, _ = encode(session, plan.source, need_weights=True)
    # Where no weights are imposed the whole target is decoded at once, which is the same and much quicker.
    logits_TV, maps = (_in_steps if plan.rows else _at_once)(session, plan, memory, [BOS, *target])
    log_prob_TV = logits_TV.double().log_softmax(-1)
    written_ids = [*target, EOS]
    return Replay(
        source=plan.source,
        ids=tuple(target),
        steps=[written(session, row, token) for row, token in zip(log_prob_TV, written_ids, strict=True)],
        log_probs=[float(row[token]) for row, token in zip(log_prob_TV, written_ids, strict=True)],
        encoder=[both_widened(as_array(layer[0]), plan.source) for layer in memory.attention],
        decoder=[as_array(layer[0]) for layer in maps.decoder],
        cross=[widened(as_array(layer[0]), plan.source) for layer in maps.cross],
    )


def _at_once(session: Session, plan: Plan, memory: Memory, inputs: Sequence[int]) -> tuple[Tensor, AttentionMaps]:
    """Logits [T, V] and attention of a whole target."""
    model = session.run.model
    decoded = model.decode(memory, torch.tensor([inputs], device=session.device), need_weights=True)
    return model.logits(decoded, memory)[0], decoded.attention


def _in_steps(session: Session, plan: Plan, memory: Memory, inputs: Sequence[int]) -> tuple[Tensor, AttentionMaps]:
    """The same word by word, with weights imposed."""
    model = EditedModel(session.run.model, plan)
    state = model.init_state(memory)
    logits: list[Tensor] = []
    taken: list[AttentionMaps] = []
    for previous in inputs:
        output, state = model.step(torch.tensor([previous], device=session.device), state, need_weights=True)
        logits.append(output.logits_BV[0])
        taken.append(output.attention)
    cross = [torch.cat(layers, dim=2) for layers in zip(*(maps.cross for maps in taken), strict=True)]
    # A decoder's own row t has t + 1 columns: later words are not there yet.
    grown = [[F.pad(row, (0, len(inputs) - row.shape[-1])) for row in maps.decoder] for maps in taken]
    decoder = [torch.cat(layers, dim=2) for layers in zip(*grown, strict=True)]
    return torch.stack(logits), AttentionMaps(decoder=decoder, cross=cross)


def written(session: Session, log_prob_V: Tensor, token: int) -> payload.Written:
    """The distribution of one step, and the place of the token that was written."""
    mine = log_prob_V[token]
    entropy = -(log_prob_V.exp() * log_prob_V.clamp_min(-1e6)).sum()
    return payload.Written(
        log_prob=rounded(float(mine), 6),
        rank=int((log_prob_V > mine).sum()),
        entropy=rounded(float(entropy)) or 0.0,
        top=top_words(session, log_prob_V),
    )


def top_words(session: Session, log_prob_V: Tensor) -> list[payload.Candidate]:
    """The likeliest words."""
    values, ids = log_prob_V.topk(min(TOP, len(log_prob_V)))
    return [
        payload.Candidate(id=one, text=session.target.token(one), log_prob=rounded(value))
        for value, one in zip(values.tolist(), ids.tolist(), strict=True)
    ]


def read(
    session: Session, done: Replay, score: float | None = None, truncated: bool = False, about: Sequence[Note] = ()
) -> payload.Reading:
    """The answer's form of a replay; `about` is what should be known of its target."""
    notes = [*done.source.notes, *about]
    if truncated:
        notes.append(Note(code="target_cut", message=f"The output was cut at {len(done.ids)} tokens."))
    if not done.cross:
        notes.append(Note(code="no_attention", message="This model has no attention between the two sides."))
    aligned = alignment(session, done)
    words = target_words(session, done, aligned)
    maps = attention_maps(done)
    if maps.omitted:
        left = " and ".join(maps.omitted)
        notes.append(Note(code="maps_omitted", message=f"The {left} maps of this sentence are too large to show."))
    return payload.Reading(
        run=session.ref,
        source=done.source.side,
        target=payload.Side(text=" ".join(words), words=words, tokens=side_tokens(session.target, done.ids)),
        score=None if score is None else rounded(score, 6),
        log_prob=rounded(done.log_prob, 6) or 0.0,
        steps=done.steps,
        attention=maps,
        alignment=aligned,
        notes=notes,
    )


def alignment(session: Session, done: Replay) -> payload.Alignment | None:
    """The attention over words, as alignment reads it; None without attention."""
    if not done.cross:
        return None
    choice = session.run.choice
    heads = done.cross[choice.layer]
    chosen = heads if choice.heads is None else heads[list(choice.heads)]
    cross_TS, word_of_token = chosen.mean(0), session.target.word_of_token(done.ids)
    count = len(words_of(session.target.decode(done.ids)))
    weights = choice.words(cross_TS, done.source.word_of_token[:-1], word_of_token, len(done.source.words), count)
    of_no_word = [0 if word < 0 else -1 for word in done.source.word_of_token]
    end_T1 = merge_to_words(choice.rows(cross_TS), of_no_word, word_of_token, source_count=1, target_count=count)
    return payload.Alignment(
        weights=matrix(weights),
        end=[rounded(value) or 0.0 for value in end_T1[:, 0].tolist()],
        links=argmax_links(weights),
        choice=payload.Choice(
            layer=choice.layer % len(done.cross),
            heads=None if choice.heads is None else list(choice.heads),
            shift=choice.shift,
        ),
    )


def target_words(session: Session, done: Replay, aligned: payload.Alignment | None) -> list[str]:
    """The words of the target; an unknown one is the source word it looked at most, as `jumok translate` has it."""
    words = words_of(session.target.decode(done.ids))
    if aligned is None or not session.maker.knows_unknown or UNK not in done.ids or not done.source.words:
        return words
    weights = np.array(aligned.weights.data, dtype=np.float64).reshape(aligned.weights.shape)
    for token, word in zip(done.ids, session.target.word_of_token(done.ids), strict=True):
        if token == UNK and weights[word].max() > 0:
            words[word] = done.source.words[int(weights[word].argmax())]
    return words


def attention_maps(done: Replay) -> payload.Maps:
    """All maps, or fewer of them where they would be too large: the encoder's go first, then the decoder's."""
    kinds = {"encoder": done.encoder, "decoder": done.decoder, "cross": done.cross}
    sizes = {kind: sum(layer.size for layer in layers) for kind, layers in kinds.items()}
    omitted: list[str] = []
    for kind in ("encoder", "decoder", "cross"):
        if sum(sizes.values()) > MAP_NUMBERS and sizes[kind]:
            omitted.append(kind)
            sizes[kind] = 0
    kept = {kind: [] if kind in omitted else [matrix(layer) for layer in layers] for kind, layers in kinds.items()}
    return payload.Maps.model_validate({**kept, "omitted": omitted})


def beam_of(session: Session, tree: BeamTree) -> payload.Beam:
    """The tree with the text of every token."""
    nodes = [
        payload.BeamNode(
            id=node.id,
            parent=node.parent,
            step=node.step,
            token=node.token,
            text=session.target.token(node.token),
            log_prob=round(node.log_prob, 6),
            token_log_prob=round(node.token_log_prob, 6),
            score=round(node.score, 6),
            state=node.state,
        )
        for node in tree.nodes
    ]
    return payload.Beam(nodes=nodes, best=tree.best, path=[0, *(node.id for node in tree.path(tree.best))])


# ---------------------------------------------------------------- numbers


def as_array(weights: Tensor) -> Array:
    """The numbers as numpy has them, in double precision."""
    return weights.detach().to(device="cpu", dtype=torch.float64).numpy()


def widened(weights_HS: Array, source: Source) -> Array:
    """Weights put back at the original's columns; what was removed from the source has 0."""
    if len(source.columns) == source.width:
        return weights_HS
    wide = np.zeros((*weights_HS.shape[:-1], source.width))
    wide[..., list(source.columns)] = weights_HS
    return wide


def both_widened(weights_HSS: Array, source: Source) -> Array:
    """The same for both sides of the encoder's own attention."""
    wide = widened(weights_HSS, source)
    return widened(wide.swapaxes(-1, -2), source).swapaxes(-1, -2)


def rounded(value: float, digits: int = DIGITS) -> float | None:
    """The number with few digits; None where it is not finite."""
    return round(value, digits) + 0.0 if math.isfinite(value) else None


def matrix(values: NDArray[np.floating], digits: int = DIGITS) -> Matrix:
    """The numbers row by row, with few digits."""
    flat = np.round(np.asarray(values, dtype=np.float64), digits).ravel() + 0.0
    data = flat.tolist() if np.isfinite(flat).all() else [rounded(value) for value in flat.tolist()]
    return Matrix.model_construct(shape=list(values.shape), data=data)
