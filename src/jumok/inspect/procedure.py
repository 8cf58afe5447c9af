"""The steps of one look: scores, scope, weights, alignment vectors, context, and what the decoder does with it.

A mechanism with a global scope and a softmax has five; a scope that leaves positions out, a Gaussian on the weights or
the projections of a multi-head each add their own.
"""

from dataclasses import dataclass

import numpy as np

from jumok.attention import Align, Attention, MultiHead
from jumok.inspect.english import ENGLISH
from jumok.inspect.numbers import Array, short, show
from jumok.inspect.score_sums import sums_of
from jumok.inspect.steps import Look, Step
from jumok.inspect.texts import Texts

_MOST_ROWS = 12
# How terms are called in the formulas they stand in.
LABELS = {
    "products": "q ⊙ k_i",
    "dots": "qᵀ k_i",
    "scale": "1/√d_k",
    "qW": "qᵀ W",
    "Wk": "W k_i",
    "W_k k": "W_k k_i",
    "W k": "W_k k_i",
    "W q": "W q",
    "tanh": "tanh(…)",
    "cos": "cos(q, k_i)",
    "beta": "β",
    "distance/h": "‖q − k_i‖ / h",
    "K": "K",
    "coverage": "c_i",
    "share": "sigmoid(v_pᵀ tanh(W_p s))",
    "centre": "p_t",
    "window": "i",
    "gaussian": "exp(−(i−p_t)²/2σ²)",
    "exp": "exp(e_i − max e)",
    "sum": "Σ exp(e_j − max e)",
    "threshold": "τ",
    "alpha": "α",
}
SCOPE_TERMS = ("tanh(W_p s)", "share", "centre", "window", "mask", "gaussian")
ALIGN_TERMS = ("exp", "sum", "threshold", "alpha", "n", "p", "before gaussian")
# Terms of the query or the parameters: they have no place for each key.
_NOT_ALONG_WINDOW = (
    "W",
    "qW",
    "W_q q",
    "W q",
    "v",
    "w_c",
    "tanh(W_p s)",
    "share",
    "centre",
    "scale",
    "beta",
    "h",
)
_SINGLE = ("share", "centre", "sum", "threshold", "alpha", "n")
HEAD_TERMS = ("q_h", "k_h", "v_h", "heads")


@dataclass(frozen=True)
class Working:
    """One look and what it was made with."""

    attend: Attention | MultiHead
    look: Look
    keys: Array
    values: Array
    name: str
    draw: bool
    log_prob: float | None

    @property
    def inner(self) -> Attention:
        """The score × scope × align, inside the heads where there are heads."""
        return self.attend.attention if isinstance(self.attend, MultiHead) else self.attend

    @property
    def terms(self) -> dict[str, Array]:
        """The terms to show: without the places of a window that fell off the source, single numbers as numbers."""
        window, mask = self.look.terms.get("window"), self.look.terms.get("mask")
        inside = None if window is None or mask is None else np.atleast_1d(mask).astype(bool)
        shown: dict[str, Array] = {}
        for name, term in self.look.terms.items():
            along = inside is not None and term.ndim and len(term) == len(inside) and name not in _NOT_ALONG_WINDOW
            term = term[inside] if along else term
            shown[name] = term.reshape(()) if name in _SINGLE and term.size == 1 else term
        return shown

    @property
    def seen(self) -> list[int]:
        """The positions that the scope leaves open."""
        window, mask, n = self.look.terms.get("window"), self.look.terms.get("mask"), len(self.keys)
        if window is not None:
            places = np.atleast_1d(window)
            return [int(i) for i in (places if mask is None else places[np.atleast_1d(mask).astype(bool)])]
        return [i for i in range(n) if mask is None or bool(np.atleast_1d(mask)[i])]


def steps_of(working: Working, say: Texts) -> tuple[Step, ...]:
    """Every step from the vectors to the decoder."""
    steps = [project_step(working, say)] if isinstance(working.attend, MultiHead) else []
    steps.append(score_step(working, say))
    if working.inner.scope.name != "global":
        steps.append(scope_step(working, say))
    steps.append(weight_step(working, say))
    if "gaussian" in working.look.terms:
        steps.append(gaussian_step(working, say))
    steps += [alignment_step(working, say), context_step(working, say), decoder_step(working, say)]
    return tuple(steps)


def project_step(working: Working, say: Texts) -> Step:
    """Queries, keys and values of each head."""
    terms = working.look.terms
    numbers = {"W_q^h q": terms["q_h"], "W_k^h k_i": terms["k_h"], "W_v^h v_i": terms["v_h"]}
    assert isinstance(working.attend, MultiHead)
    text = say("project.text", heads=working.attend.heads, size=working.attend.head_dim)
    return Step(say("project.title"), "q_h = W_q^h q,  k_{h,i} = W_k^h k_i,  v_{h,i} = W_v^h v_i", numbers, text)


def score_step(working: Working, say: Texts) -> Step:
    """How well each key matches the query."""
    score, look = working.inner.score, working.look
    parameters = {name.split(".")[0] for name, _ in score.named_parameters()}
    numbers = {
        LABELS.get(name, name): term
        for name, term in working.terms.items()
        if name not in (*SCOPE_TERMS, *ALIGN_TERMS, *HEAD_TERMS, *parameters) and name != "products"
    }
    numbers["e"] = look.scores
    text = say.get(f"score.{score.name}", "score.other", n=len(working.keys), d=score.key_dim)
    if f"score.{score.name}" not in ENGLISH and score.__doc__:
        text += " " + score.__doc__.partition("\n")[0]
    if score.name == "perceptron" and look.terms.get("layer 2") is None:
        text += " " + say("score.perceptron.one")
    if note := _order_note(working.name, say):
        text += " " + note
    worked = () if isinstance(working.attend, MultiHead) else sums_of(score.name, look, working.keys, working.seen)
    return Step(say("score.title"), f"e_i = {score.formula or score.name}", numbers, text, worked)


def _order_note(name: str, say: Texts) -> str:
    """Which decoder state the query is: the papers differ."""
    if name in ("bahdanau", "additive"):
        return say("order.before")
    return say("order.after") if name.startswith("luong-") else ""


def scope_step(working: Working, say: Texts) -> Step:
    """Which positions may be looked at from where the query stands."""
    scope, look = working.inner.scope, working.look
    shown = ("tanh(W_p s)", "share", "centre")
    numbers = {LABELS.get(name, name): working.terms[name] for name in shown if name in look.terms}
    numbers["i"] = np.array(working.seen)
    text = say.get(f"scope.{scope.name}", "scope.other", t=look.position, n=len(working.keys), seen=len(working.seen))
    return Step(say("scope.title"), scope.formula or scope.name, numbers, text)


def weight_step(working: Working, say: Texts) -> Step:
    """The scores as a distribution."""
    align, look = working.inner.align, working.look
    labels = dict(LABELS)
    if align.name == "unnormalised":
        labels["exp"] = "exp(e_i)"
    elif getattr(align, "temperature", 1.0) != 1.0:
        labels |= {"exp": "exp((e_i − max e)/τ)", "sum": "Σ exp((e_j − max e)/τ)"}
    shown = [name for name in ALIGN_TERMS if name in look.terms and name != "before gaussian"]
    numbers = {labels.get(name, name): working.terms[name] for name in shown}
    before = look.terms.get("before gaussian")
    numbers["α"] = look.weights if before is None else _spread(before, working)
    text = say.get(f"align.{align.name}", "align.other")
    if align.name == "hard":
        text += " " + _hard_note(working, say)
    if not np.asarray(look.weights).any():
        text = say("align.nothing")
    return Step(say("align.title"), f"α_i = {align_formula(align)}", numbers, text)


def align_formula(align: Align) -> str:
    """The formula of the align; a softmax of temperature 1 without its temperature."""
    if align.name == "softmax" and getattr(align, "temperature", None) == 1.0:
        return "exp(e_i) / Σ_j exp(e_j)"
    return align.formula or align.name


def _hard_note(working: Working, say: Texts) -> str:
    look = working.look
    if look.weights.ndim > 1 or working.log_prob is None or not look.weights.any():
        return ""
    place = int(look.weights.argmax())
    return say("hard.draw" if working.draw else "hard.best", place=place, log_prob=short(working.log_prob))


def _spread(weights: Array, working: Working) -> Array:
    """Weights of a window among all positions."""
    window, mask = working.look.terms.get("window"), working.look.terms.get("mask")
    if window is None:
        return weights
    everywhere = np.zeros(len(working.keys))
    places, inside = np.atleast_1d(window).astype(int), np.atleast_1d(weights)
    keep = slice(None) if mask is None else np.atleast_1d(mask).astype(bool)
    everywhere[places[keep]] = inside[keep]
    return everywhere


def gaussian_step(working: Working, say: Texts) -> Step:
    """The Gaussian around the predicted centre, on the weights."""
    look = working.look
    gaussian = _spread(look.terms["gaussian"], working)
    numbers = {LABELS["gaussian"]: gaussian, "α": look.weights, "Σ α": look.weights.sum(-1)}
    return Step(say("gaussian.title"), "α_i ← α_i · exp(−(i − p_t)² / 2σ²),  σ = D/2", numbers, say("gaussian.text"))


def alignment_step(working: Working, say: Texts) -> Step:
    """Each value times its weight."""
    return Step(say("alignment.title"), "a_i = α_i v_i", {"a": working.look.alignment}, say("alignment.text"))


def context_step(working: Working, say: Texts) -> Step:
    """The sum of the alignment vectors."""
    look = working.look
    size = look.context.shape[-1]
    if isinstance(working.attend, MultiHead):
        numbers = {"head_h": look.terms["heads"], "c": look.context}
        return Step(
            say("context.title"),
            "c = W_o [Σ_i a_{1,i}; …; Σ_i a_{H,i}]",
            numbers,
            say("context.heads", size=size),
        )
    worked: tuple[str, ...] = ()
    if 1 < len(working.keys) <= _MOST_ROWS and size <= 4:
        columns = ((d, look.alignment[:, d]) for d in range(size))
        worked = tuple(
            f"c_{d} = {' + '.join(short(a) for a in column)} = {show(column.sum())}" for d, column in columns
        )
    text = say("context.kernel" if working.inner.score.name == "kernel" else "context.text", size=size)
    return Step(say("context.title"), "c = Σ_i a_i = Σ_i α_i v_i", {"c": look.context}, text, worked)


def decoder_step(working: Working, say: Texts) -> Step:
    """What becomes of the context."""
    name = working.name
    kind = next(
        (
            kind
            for kind, fits in {
                "bahdanau": name in ("bahdanau", "additive"),
                "luong": name.startswith("luong-"),
                "heads": isinstance(working.attend, MultiHead),
                "kernel": working.inner.score.name == "kernel",
            }.items()
            if fits
        ),
        "other",
    )
    formulas = {
        "bahdanau": "s_t = f(s_{t−1}, y_{t−1}, c_t)",
        "luong": "s̃_t = tanh(W_c [c_t; s_t])",
        "heads": "x ← x + c",
        "kernel": "ŷ(x) = c",
        "other": "[c; s]",
    }
    title = say("decoder.kernel.title" if kind == "kernel" else "decoder.other.title")
    return Step(title, formulas[kind], {"c": working.look.context}, say(f"decoder.{kind}"))
