"""What the inspector found, in the form of answers: each step's distribution, attention, alignment, the beam."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from jumok.alignment import argmax_links, merge_to_words
from jumok.decoding.hypothesis import BeamTree
from jumok.inspect.inspector import Replay
from jumok.inspect.sentence import Sentence, Subject
from jumok.models.layout import Words
from jumok.shapes import EOS, UNK
from jumok.studio import payload
from jumok.studio.payload import MAP_NUMBERS, TOP, Matrix, Note
from jumok.studio.sessions import Session
from jumok.studio.sources import picture_read, side_of, source_side
from jumok.text.normal import words_of
from jumok.text.tokenizer import Tokenizer

DIGITS = 5


def text_of(session: Session, sentence: Subject, ids: Sequence[int]) -> str:
    """The text that ids write about a source; words that only the source has are among them."""
    return session.tokenizer_about(sentence).decode(ids)


def written(tokenizer: Tokenizer, log_prob_V: Tensor, token: int) -> payload.Written:
    """The distribution of one step, and the place of the token that was written."""
    mine = log_prob_V[token]
    entropy = -(log_prob_V.exp() * log_prob_V.clamp_min(-1e6)).sum()
    return payload.Written(
        log_prob=rounded(float(mine), 6),
        rank=int((log_prob_V > mine).sum()),
        entropy=rounded(float(entropy)) or 0.0,
        top=top_words(tokenizer, log_prob_V),
    )


def top_words(tokenizer: Tokenizer, log_prob_V: Tensor) -> list[payload.Candidate]:
    """The likeliest words, as the tokenizer of what is written about a source names them."""
    values, ids = log_prob_V.topk(min(TOP, len(log_prob_V)))
    return [
        payload.Candidate(id=one, text=tokenizer.token(one), log_prob=rounded(value))
        for value, one in zip(values.tolist(), ids.tolist(), strict=True)
    ]


def read(
    session: Session, done: Replay, score: float | None = None, truncated: bool = False, *, notes: Sequence[Note]
) -> payload.Reading:
    """The answer's form of a replay; `notes` is what should be known of its source and target."""
    notes = list(notes)
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
    tokenizer, written_ids = session.tokenizer_about(done.sentence), (*done.ids, EOS)
    layout = Words.of(tokenizer, done.ids, words, end=EOS)
    return payload.Reading(
        run=session.ref,
        source=source_side(done.sentence),
        picture=picture_read(done.sentence),
        target=side_of(" ".join(words), words, written_ids, layout),
        score=None if score is None else rounded(score, 6),
        log_prob=rounded(done.log_prob, 6) or 0.0,
        steps=[written(tokenizer, row, token) for row, token in zip(done.log_prob_TV, written_ids, strict=True)],
        attention=maps,
        alignment=aligned,
        copying=copying_of(done),
        notes=notes,
    )


def copying_of(done: Replay) -> payload.Copying | None:
    """How each word was made by a head that copies, and which sentence each source word is in."""
    if done.mixture is None:
        return None
    numbers = list(done.sentence.sentences) if isinstance(done.sentence, Sentence) else []
    mixture = done.mixture
    rows = {"generate": mixture.p_gen, "vocabulary": mixture.p_vocab, "attended": mixture.attended}
    shown = {name: [rounded(value, 6) or 0.0 for value in values] for name, values in rows.items()}
    return payload.Copying(**shown, copied=[rounded(one) or 0.0 for one in mixture.copied], sentences=numbers)


def alignment(session: Session, done: Replay) -> payload.Alignment | None:
    """The attention over words, as alignment reads it; None without attention."""
    if not done.cross:
        return None
    choice = session.run.choice
    heads = done.cross[choice.layer]
    chosen = heads if choice.heads is None else heads[list(choice.heads)]
    source, target = (
        done.sentence.layout,
        Words.of(session.run.target_tokenizer, done.ids, words_of(text_of(session, done.sentence, done.ids))),
    )
    cross_TS = chosen.mean(0)
    weights = choice.words(cross_TS, source, target)
    of_no_word = [0 if word < 0 else -1 for word in source.unit_of_position]
    rows, count = target.unit_of_position, len(target.units)
    end_T1 = merge_to_words(choice.rows(cross_TS), of_no_word, rows, source_count=1, target_count=count)
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
    words = words_of(text_of(session, done.sentence, done.ids))
    source = done.sentence.layout
    sources = source.units if isinstance(source, Words) else ()  # a region has no word to copy
    if aligned is None or not session.inspector.maker.knows_unknown or UNK not in done.ids or not sources:
        return words
    weights = np.array(aligned.weights.data, dtype=np.float64).reshape(aligned.weights.shape)
    for token, word in zip(done.ids, session.run.target_tokenizer.word_of_token(done.ids), strict=True):
        if token == UNK and weights[word].max() > 0:
            words[word] = sources[int(weights[word].argmax())]
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


def beam_of(tokenizer: Tokenizer, tree: BeamTree) -> payload.Beam:
    """The tree with the text of every token."""
    nodes = [
        payload.BeamNode(
            id=node.id,
            parent=node.parent,
            step=node.step,
            token=node.token,
            text=tokenizer.token(node.token),
            log_prob=round(node.log_prob, 6),
            token_log_prob=round(node.token_log_prob, 6),
            score=round(node.score, 6),
            state=node.state,
        )
        for node in tree.nodes
    ]
    return payload.Beam(nodes=nodes, best=tree.best, path=[0, *(node.id for node in tree.path(tree.best))])


# ---------------------------------------------------------------- numbers


def rounded(value: float, digits: int = DIGITS) -> float | None:
    """The number with few digits; None where it is not finite."""
    return round(value, digits) + 0.0 if math.isfinite(value) else None


def matrix(values: NDArray[np.floating], digits: int = DIGITS) -> Matrix:
    """The numbers row by row, with few digits."""
    flat = np.round(np.asarray(values, dtype=np.float64), digits).ravel() + 0.0
    data = flat.tolist() if np.isfinite(flat).all() else [rounded(value) for value in flat.tolist()]
    return Matrix.model_construct(shape=list(values.shape), data=data)
