"""How one word came about, as text: the five steps of attention with the model's real numbers.

1 scores   2 weights   3 alignment vectors   4 context   5 what is passed on
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jumok.decoding.translation import Translation
from jumok.decoding.translator import Translator
from jumok.errors import InputError
from jumok.figure import cells, printable
from jumok.inspect.inspector import Inspector
from jumok.inspect.model_step import ModelStep
from jumok.inspect.numbers import Array
from jumok.inspect.steps import Look
from jumok.inspect.what_if import Plan
from jumok.text.slots import beside

_SHOWN = 4
_LIKELY = 5


def explain_word(translator: Translator, translation: Translation, word: int) -> str:
    """The five steps for each token of a target word, as text.

    translator    the model that translated
    translation   what it found
    word          number of the target word, from 0
    """
    count = len(translation.target_words)
    if not 0 <= word < count:
        raise InputError(
            f"there is no target word {word}: '{translation.text}' has the words 0 to {count - 1}."
            if count
            else "an empty line has no word to explain."
        )
    inspector = Inspector(translator.readable.run)
    plan = Plan(inspector.read(translation.source))
    words = translator.run.target_tokenizer.word_of_token(translation.ids)
    tokens = [t for t, number in enumerate(words) if number == word]
    taken = inspector.steps(plan, translation.ids[: tokens[-1]]) if tokens else []
    steps = [taken[t] for t in tokens]
    return "\n\n".join(explain_step(translator, translation, step) for step in steps)


def explain_step(translator: Translator, translation: Translation, step: ModelStep) -> str:
    """The five steps of one decoding step."""
    t, choice = step.position, translator.choice
    name = printable(translation.tokens[t])
    before = " ".join(map(printable, translation.tokens[:t])) or "<s>"
    title = f"Step {t + 1}: after “{before}” the model writes “{name}”"
    lines = [title, "─" * cells(title)]
    if step.looks:
        lines += head_lines(chosen_head(step, choice.layer, choice.heads), step.memory.layout.labels)
    else:
        lines += ["This model has no attention: it knows the source only through the state it was given."]
    return "\n".join([*lines, *passed_on(translator, translation, step)])


@dataclass(frozen=True)
class OneHead:
    """Scores, weights and alignment vectors a_i v_i of one head, and the context that they add up to."""

    scores_S: Array
    weights_S: Array
    alignment_SD: Array
    context_D: Array
    where: str = ""


def chosen_head(step: ModelStep, layer: int, heads: Sequence[int] | None) -> OneHead:
    """The head that alignment reads, in its layer; of several heads the sharpest."""
    look: Look = step.look(layer)
    if "head" not in look.terms["weights"].axes:
        return OneHead(look.scores, look.weights, look.alignment, look.context)
    among = heads or range(len(look.weights))
    head = max(among, key=lambda h: float(look.weights[h].max()))
    where = f" of head {head} in layer {layer % len(step.looks)}"
    where += f", the sharpest of {len(among)}" if len(among) > 1 else ""
    context_D = look.terms["heads"].value[head]
    return OneHead(look.scores[head], look.weights[head], look.alignment[head], context_D, where)


def head_lines(head: OneHead, source: Sequence[str]) -> list[str]:
    """Steps 1 to 4 as a table over source positions and a sum below it."""
    names = [printable(label) for label in source]
    width = max(cells(name) for name in names)
    rows = [
        f"  {name}{' ' * (width - cells(name))}  {_number(score)}  {weight:9.4f}   {_vector(vector)}"
        for name, score, weight, vector in zip(names, head.scores_S, head.weights_S, head.alignment_SD, strict=True)
    ]
    value = "v" if head.where else "h"
    return [
        f"1  scores e_i = score(query, k_i){head.where}; the larger, the better position i matches the decoder's query",
        f"2  weights a_i = normalise(e)_i: the scores as a distribution (they add up to {head.weights_S.sum():.4f})",
        f"3  alignment vectors a_i {value}_i: each position's share (first numbers of {head.alignment_SD.shape[1]})",
        f"  {'':<{width}}   1 score    2 weight   3 alignment vector",
        *rows,
        f"4  context c = Σ a_i {value}_i = {_vector(head.context_D)}, length {np.linalg.norm(head.context_D):.3f}",
    ]


def passed_on(translator: Translator, translation: Translation, step: ModelStep) -> list[str]:
    """Step 5: the state that is passed on, and the words it makes likely."""
    token, log_prob_V = translation.ids[step.position], step.log_prob_V
    tokenizer = beside(translator.run.target_tokenizer, translation.source)
    likely = log_prob_V.exp().topk(min(_LIKELY, len(log_prob_V)))
    pairs = zip(likely.indices.tolist(), likely.values.tolist(), strict=True)
    state = _vector(step.decoder["state"].value)
    return [
        f"5  passed on: the decoder's state {state} with the context gives the next word",
        f"   {', '.join(f'{printable(tokenizer.token(one))} {prob:.3f}' for one, prob in pairs)}",
        f"   log p = {float(log_prob_V[token]):.4f}",
    ]


def _number(value: float) -> str:
    return f"{value:9.4f}" if np.isfinite(value) else "   hidden"


def _vector(vector: Array) -> str:
    shown = ", ".join(f"{value:.3f}" for value in vector[:_SHOWN])
    return f"[{shown}{', …' if len(vector) > _SHOWN else ''}]"
