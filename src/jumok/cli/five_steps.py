"""How one word came about: the five steps of attention with the model's real numbers.

1 scores   2 weights   3 alignment vectors   4 context   5 what is passed on
"""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from jumok.decoding.trace import Change, Trace, TraceStep
from jumok.decoding.translation import Translation
from jumok.decoding.translator import Translator
from jumok.errors import InputError
from jumok.figure import cells, printable
from jumok.shapes import EOS

Array = NDArray[np.floating]
_SHOWN = 4


def explain_word(translator: Translator, translation: Translation, word: int) -> str:
    """The five steps for each token of a target word, as text."""
    count = len(translation.target_words)
    if not 0 <= word < count:
        raise InputError(
            f"there is no target word {word}: '{translation.text}' has the words 0 to {count - 1}."
            if count
            else "an empty line has no word to explain."
        )
    trace = translator.trace(translation.source, change=Change(forced=(*translation.ids, EOS)), need_terms=True, top=5)
    words = translator.run.target_tokenizer.word_of_token(translation.ids)
    steps = [t for t, number in enumerate(words) if number == word]
    return "\n\n".join(explain_step(translator, translation, trace, t) for t in steps)


def explain_step(translator: Translator, translation: Translation, trace: Trace, t: int) -> str:
    """The five steps of decoding step t."""
    step, source = trace.steps[t], [*translation.source_tokens, "</s>"]
    name = printable(translation.tokens[t])
    before = " ".join(map(printable, translation.tokens[:t])) or "<s>"
    title = f"Step {t + 1}: after “{before}” the model writes “{name}”"
    lines = [title, "─" * cells(title)]
    look = chosen_look(step, translator.choice.layer, translator.choice.heads, trace.values_SD)
    if look is None:
        lines += ["This model has no attention: it knows the source only through the state it was given."]
    else:
        lines += look_lines(look, source)
    return "\n".join([*lines, *passed_on(translator, step)])


class Look:
    """Scores, weights and values of one head."""

    def __init__(self, scores: Array, weights: Array, values: Array, context: Array, where: str) -> None:
        self.scores_S, self.weights_S, self.values_SD = scores, weights, values
        self.context_D, self.where = context, where

    @property
    def alignment_SD(self) -> Array:
        """a_i h_i: what each position adds to the context."""
        return self.weights_S[:, None] * self.values_SD


def chosen_look(step: TraceStep, layer: int, heads: tuple[int, ...] | None, values_SD: Array) -> Look | None:
    """The look of the layer and head that alignment reads; of several heads the sharpest."""
    terms: Mapping[str, Any] = step.terms
    layers = cast("list[Mapping[str, Any]]", terms.get("layers", [terms]))
    at = layers[layer]
    if "weights" not in at:
        return None
    weights, scores = np.asarray(at["weights"]), np.asarray(at["scores"])
    if "v_h" not in at:
        return Look(scores[0], weights[0], values_SD, np.asarray(at["context"])[0], "")
    among = heads or tuple(range(len(weights)))
    head = max(among, key=lambda h: float(weights[h].max()))
    where = f" of head {head} in layer {layer % len(layers)}"
    where += f", the sharpest of {len(among)}" if len(among) > 1 else ""
    return Look(scores[head][0], weights[head][0], np.asarray(at["v_h"])[head], np.asarray(at["heads"])[head][0], where)


def look_lines(look: Look, source: list[str]) -> list[str]:
    """Steps 1 to 4 as a table over source positions and a sum below it."""
    names = [printable(token) for token in source]
    width = max(cells(name) for name in names)
    head = f"  {'':<{width}}   1 score    2 weight   3 alignment vector"
    rows = [
        f"  {name}{' ' * (width - cells(name))}  {_number(score)}  {weight:9.4f}   {_vector(vector)}"
        for name, score, weight, vector in zip(names, look.scores_S, look.weights_S, look.alignment_SD, strict=True)
    ]
    value = "v" if look.where else "h"
    return [
        f"1  scores e_i = score(query, k_i){look.where}; the larger, the better position i matches the decoder's query",
        f"2  weights a_i = align(e)_i: the scores as a distribution (they add up to {look.weights_S.sum():.4f})",
        f"3  alignment vectors a_i {value}_i: each position's share (first numbers of {look.values_SD.shape[1]})",
        head,
        *rows,
        f"4  context c = Σ a_i {value}_i = {_vector(look.context_D)}, length {np.linalg.norm(look.context_D):.3f}",
    ]


def passed_on(translator: Translator, step: TraceStep) -> list[str]:
    """Step 5: the state that is passed on, and the words it makes likely."""
    tokenizer = translator.run.target_tokenizer
    likely = ", ".join(f"{printable(tokenizer.token(token))} {prob:.3f}" for token, prob in step.top)
    state = np.asarray(step.terms["state"])
    return [
        f"5  passed on: the decoder's state {_vector(state)} with the context gives the next word",
        f"   {likely}",
        f"   log p = {step.log_prob:.4f}",
    ]


def _number(value: float) -> str:
    return f"{value:9.4f}" if np.isfinite(value) else "   hidden"


def _vector(vector: Array) -> str:
    shown = ", ".join(f"{value:.3f}" for value in vector[:_SHOWN])
    return f"[{shown}{', …' if len(vector) > _SHOWN else ''}]"
