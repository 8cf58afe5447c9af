"""The steps of one look: scope, scores, weights, alignment vectors, context, and what the decoder does with it.

A mechanism with a global scope and a softmax has five; a scope that leaves positions out, a Gaussian on the weights or
the projections of a multi-head each add their own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from jumok.attention import Attention, MultiHead, Normaliser, Scope, Score
from jumok.attention.normalise import Softmax
from jumok.attention.scope import Local, LocalP, Window
from jumok.attention.score import Perceptron
from jumok.attention.terms import Part, Term
from jumok.inspect.english import ENGLISH
from jumok.inspect.names import formula_name
from jumok.inspect.numbers import Array, short, show
from jumok.inspect.record import over_source, window_of
from jumok.inspect.scope_sums import centre_sums, gaussian_sums
from jumok.inspect.score_sums import sums_of
from jumok.inspect.steps import Look, Step
from jumok.inspect.texts import Texts

_MOST_ROWS = 12
_IN_SUMS = "products"  # shown as the sums that are written out


@dataclass(frozen=True)
class Working:
    """One look and what it was made with."""

    attend: Attention | MultiHead
    look: Look
    keys: Array
    name: str
    draw: bool = False

    @property
    def inner(self) -> Attention:
        """The score × scope × normalise, inside the heads where there are heads."""
        return self.attend.attention if isinstance(self.attend, MultiHead) else self.attend

    @property
    def scoped(self) -> bool:
        """Whether the scope leaves positions out."""
        return self.inner.scope.name != "global"

    def of_head(self, formula: str) -> str:
        """The formula with the index of the head where there are heads: `e_{h,i}` for `e_i`."""
        if not isinstance(self.attend, MultiHead):
            return formula
        return re.sub(r"\b([a-zα])_([ij])\b", r"\1_{h,\2}", formula).replace("qᵀ", "q_hᵀ")

    @property
    def sums(self) -> tuple[str, ...]:
        """The score of each position that is seen, written out."""
        score = self.inner.score
        named = {formula_name(f"score.{name}"): p.detach().numpy() for name, p in score.named_parameters()}
        return sums_of(score.name, self.look, self.keys, self.seen, named)

    def of_part(self, part: Part) -> dict[str, Term]:
        """The terms that a part of the mechanism computed, by name."""
        return {name: term for name, term in self.look.terms.items() if term.part == part}

    def shown(self, terms: Mapping[str, Term]) -> dict[str, Array]:
        """Labels and numbers: without the places of a window that fell off the source, single numbers as numbers."""
        return {self.of_head(term.label or name): self._shown(term) for name, term in terms.items()}

    def _shown(self, term: Term) -> Array:
        value, window = term.value, window_of(self.look.terms)
        if window is not None and "window" in term.axes:
            inside = np.atleast_2d(window[1]).any(0)
            value = value.compress(inside, axis=term.axes.index("window"))
        return value.reshape(()) if term.axes[-1:] == ("target",) and value.size == 1 else value

    @property
    def seen(self) -> list[int]:
        """The positions that the scope leaves open, to any head."""
        window, mask = window_of(self.look.terms), self.look.terms.get("mask")
        if window is not None:
            return sorted({int(i) for i in window[0][window[1]]})
        open_S = np.ones(len(self.keys), bool) if mask is None else np.atleast_2d(mask.value).any(0)
        return np.nonzero(open_S)[0].tolist()

    @property
    def log_prob(self) -> float | None:
        """log p of the one position that a single hard look took; None for others."""
        probabilities, weights = self.look.terms.get("p"), self.look.weights
        if probabilities is None or weights.ndim > 1 or not weights.any():
            return None
        p = over_source(probabilities, self.look.terms, len(self.keys), 0.0).value
        return float(np.log(p[weights.argmax()]))


def steps_of(working: Working, say: Texts) -> tuple[Step, ...]:
    """Every step from the vectors to the decoder."""
    steps = [project_step(working, say)] if isinstance(working.attend, MultiHead) else []
    if working.scoped:
        # Before the scores, which only the positions inside have.
        steps.append(scope_step(working, say))
    steps += [score_step(working, say), weight_step(working, say)]
    if "gaussian" in working.look.terms:
        steps.append(gaussian_step(working, say))
    steps += [alignment_step(working, say), context_step(working, say), decoder_step(working, say)]
    return tuple(steps)


def project_step(working: Working, say: Texts) -> Step:
    """Queries, keys and values of each head."""
    q_h, k_h, v_h = (working.look.terms[name].value for name in ("q_h", "k_h", "v_h"))
    numbers = {"W_q^h q": q_h, "W_k^h k_i": k_h, "W_v^h v_i": v_h}
    assert isinstance(working.attend, MultiHead)
    text = say("project.text", heads=working.attend.heads, size=working.attend.head_dim)
    formula = "q_h = W_q^h q,  k_{h,i} = W_k^h k_i,  v_{h,i} = W_v^h v_i"
    return Step(say("project.title"), formula, numbers, text, (), "project", ("query", "q_h", "k_h", "v_h"))


def score_step(working: Working, say: Texts) -> Step:
    """How well each key matches the query."""
    score, look = working.inner.score, working.look
    own = {name: term for name, term in working.of_part("score").items() if name != _IN_SUMS}
    # Matrices and vectors of parameters are given above the steps.
    computed = {name: term for name, term in own.items() if not (term.constant and term.axes)}
    numbers = {**working.shown(computed), "e": look.scores}
    text = say.get(f"score.{score.name}", "score.other", n=len(working.keys), d=score.key_dim)
    if f"score.{score.name}" not in ENGLISH and score.__doc__:
        text += " " + score.__doc__.partition("\n")[0]
    if score.name == "perceptron" and "layer 2" not in look.terms:
        text += " " + say("score.perceptron.one")
    if note := _order_note(working.name, say):
        text += " " + note
    if np.isneginf(look.scores).any():
        text += " " + say("score.hidden")
    worked = () if isinstance(working.attend, MultiHead) else working.sums
    title = say("score.title.scoped" if working.scoped else "score.title")
    formula, terms = working.of_head(f"e_i = {score_formula(score)}"), ("query", "keys", *own, "scores")
    return Step(title, formula, numbers, text, worked, "score", terms)


def score_formula(score: Score) -> str:
    """The formula of the score; that of a perceptron with its layers where they fit."""
    if not isinstance(score, Perceptron) or len(score.layers) > 1:
        return score.formula or score.name
    first = "W_q q + W_k k_i + b_1"
    return f"W_2 tanh({first}) + b_2" if len(score.layers) else first


def _order_note(name: str, say: Texts) -> str:
    """Which decoder state the query is: the papers differ."""
    if name in ("bahdanau", "additive"):
        return say("order.before")
    return say("order.after") if name.startswith("luong-") else ""


def scope_step(working: Working, say: Texts) -> Step:
    """Which positions may be looked at from where the query stands."""
    scope, look = working.inner.scope, working.look
    own = working.of_part("scope")
    # Only a predicted centre is a number of its own; the others look from where the query is.
    predicted = {name: term for name, term in own.items() if not {"source", "window"} & {*term.axes}}
    where = working.shown(predicted) if isinstance(scope, LocalP) else {"t": np.array(look.position)}
    numbers = {**_widths(scope), **where, "i": np.array(working.seen)}
    text = say.get(f"scope.{scope.name}", "scope.other", t=look.position, n=len(working.keys), seen=len(working.seen))
    sums = centre_sums(scope, look)
    return Step(say("scope.title"), scope_formula(scope), numbers, text, sums, "scope", tuple(own))


def _widths(scope: Scope) -> dict[str, Array]:
    """How far the window reaches, and how wide its Gaussian is."""
    if not isinstance(scope, Local):
        return {}
    widths = {"w" if isinstance(scope, Window) else "D": np.array(scope.D)}
    return widths | ({"σ": np.array(scope.D / 2)} if isinstance(scope, LocalP) else {})


def scope_formula(scope: Scope) -> str:
    """The formula of the scope; that of a causal window ends at the query."""
    if isinstance(scope, Window) and scope.causal:
        return "t − w ≤ i ≤ t"
    return scope.formula or scope.name


def weight_step(working: Working, say: Texts) -> Step:
    """The scores as a distribution."""
    align, look = working.inner.normaliser, working.look
    own, result = working.of_part("align"), "weights" if "gaussian" not in look.terms else "before gaussian"
    weights = over_source(look.terms[result], look.terms, len(working.keys), 0.0).value
    numbers = {**working.shown(own), "α": weights}
    text = say.get(f"align.{align.name}", "align.other")
    if align.name == "hard":
        text += " " + _hard_note(working, say)
    if not np.asarray(look.weights).any():
        text = say("align.nothing")
    formula, terms = working.of_head(f"α_i = {align_formula(align)}"), ("scores", *own, result)
    return Step(say("align.title"), formula, numbers, text, (), "align", terms)


def align_formula(align: Normaliser) -> str:
    """The formula of the normaliser; a softmax of temperature 1 without its temperature."""
    if isinstance(align, Softmax) and align.temperature == 1.0:
        return align.plain_formula
    return align.formula or align.name


def _hard_note(working: Working, say: Texts) -> str:
    if working.log_prob is None:
        return ""
    place = int(working.look.weights.argmax())
    return say("hard.draw" if working.draw else "hard.best", place=place, log_prob=short(working.log_prob))


def gaussian_step(working: Working, say: Texts) -> Step:
    """The Gaussian around the predicted centre, on the weights."""
    look = working.look
    gaussian = over_source(look.terms["gaussian"], look.terms, len(working.keys), 0.0)
    numbers = {gaussian.label: gaussian.value, "α": look.weights, "Σ α": look.weights.sum(-1)}
    text = say("gaussian.renormalised" if _renormalises(working.inner.scope) else "gaussian.text")
    formula, terms = "α_i ← α_i · exp(−(i − p_t)² / 2σ²),  σ = D/2", ("gaussian", "weights")
    sums = gaussian_sums(working.inner.scope, look, working.seen)
    return Step(say("gaussian.title"), formula, numbers, text, sums, "gaussian", terms)


def _renormalises(scope: Scope) -> bool:
    return isinstance(scope, LocalP) and scope.renormalise


def alignment_step(working: Working, say: Texts) -> Step:
    """Each value times its weight."""
    formula, numbers = working.of_head("a_i = α_i v_i"), {"a": working.look.alignment}
    return Step(
        say("alignment.title"), formula, numbers, say("alignment.text"), (), "alignment", ("weights", "alignment")
    )


def context_step(working: Working, say: Texts) -> Step:
    """The sum of the alignment vectors."""
    look = working.look
    size = look.context.shape[-1]
    if isinstance(working.attend, MultiHead):
        numbers = {"head_h": look.terms["heads"].value, "c": look.context}
        formula, text = "c = W_o [Σ_i a_{1,i}; …; Σ_i a_{H,i}]", say("context.heads", size=size)
        return Step(say("context.title"), formula, numbers, text, (), "context", ("heads", "context"))
    worked: tuple[str, ...] = ()
    if 1 < len(working.keys) <= _MOST_ROWS and size <= 4:
        columns = ((d, look.alignment[:, d]) for d in range(size))
        worked = tuple(
            f"c_{d} = {' + '.join(short(a) for a in column)} = {show(column.sum())}" for d, column in columns
        )
    text = say("context.kernel" if working.inner.score.name == "kernel" else "context.text", size=size)
    formula, numbers = "c = Σ_i a_i = Σ_i α_i v_i", {"c": look.context}
    return Step(say("context.title"), formula, numbers, text, worked, "context", ("context",))


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
    title = say(f"decoder.{kind}.title" if kind in ("kernel", "heads") else "decoder.other.title")
    numbers, text = {"c": working.look.context}, say(f"decoder.{kind}")
    return Step(title, formulas[kind], numbers, text, (), "decoder", ("context",))
