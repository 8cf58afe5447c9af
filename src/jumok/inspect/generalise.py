"""From one query and a similarity to multi-head attention in four steps, in numbers that agree where they must.

1. one query q, inputs X, a learned similarity f_att → weights → Σ a_i X_i
2. f_att becomes the scaled dot product
3. many queries at once: one matrix product
4. the inputs are used twice, so K = X W_k and V = X W_v part ways

Then self-attention, encoder–decoder attention and multi-head, each one constructor call.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from jumok.attention import Attention, MultiHead, build
from jumok.attention.terms import Axis, Term
from jumok.inspect.numbers import Array
from jumok.inspect.scaling import Saturation, measure_saturation
from jumok.inspect.steps import Explanation, Look, Step
from jumok.inspect.texts import Texts

DIM = 4
VALUE_DIM = 5


@dataclass(frozen=True)
class Setting:
    """Inputs X, queries Q and the two projections, all of small numbers."""

    X: Tensor
    Q: Tensor
    W_k: Tensor
    W_v: Tensor
    seed: int

    @staticmethod
    def of(seed: int) -> "Setting":
        """Five inputs and three queries of size 4, drawn from the seed, with one decimal."""
        chance = np.random.default_rng(seed)
        draw = lambda *shape: torch.from_numpy(np.round(chance.normal(size=shape), 1))  # noqa: E731
        return Setting(draw(5, DIM), draw(3, DIM), draw(DIM, DIM), draw(DIM, VALUE_DIM), seed)


def generalise(lang: str = "en", seed: int = 0) -> Explanation:
    """The four steps, what they lead to, and the measurement behind the scale."""
    say = Texts(lang)
    setting = Setting.of(seed)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        one, scaled = _one_query(setting, say), _scaled(setting, say)
        many, apart = _many_queries(setting, say), _apart(setting, say)
        later = [_self_attention(setting, say), _encoder_decoder(setting, say), _multi_head(setting, say)]
    measured = measure_saturation(seed=seed)
    parts = [one, scaled, many, apart, *later]
    uses = [replace(part.step, kind="use") for part in later]
    steps = [*(part.step for part in (one, scaled, many, apart)), *uses, _scale_step(measured, say)]
    agreements = {name: gap for part in parts for name, gap in part.agreements.items()}
    more = {"agreements": agreements, "scaling": [row.as_json() for row in measured]}
    return Explanation(
        name="generalise",
        title=say("generalise.title"),
        intro=say("generalise.intro"),
        parts={"score": "scaled_dot", "scope": "global", "align": "softmax"},
        paper="Vaswani et al. 2017 (arXiv:1706.03762)",
        keys=setting.X.numpy(),
        values=setting.X.numpy(),
        looks=(_as_look(setting, apart, tuple(steps)),),
        lang=lang,
        given={"seeded": say("generalise.seeded", seed=seed)},
        more=more,
    )


@dataclass(frozen=True)
class Part:
    """A step, its arrays, and by how much numbers that must agree differ."""

    step: Step
    arrays: Mapping[str, Array]
    agreements: Mapping[str, float]


def gap(left: Tensor, right: Tensor) -> float:
    """The largest difference between two results that must be equal."""
    return float((left - right).abs().max())


def _attend(attend: Attention | MultiHead, Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, weights and context without the dimension of the one sentence."""
    out = attend.double()(Q[None], K[None], V[None])
    assert out.scores is not None
    assert out.weights is not None
    return out.scores[0], out.weights[0], out.context[0]


def _part(
    say: Texts, key: str, formula: str, arrays: Mapping[str, Tensor], agree: Mapping[str, float], call: str
) -> Part:
    named = {name: array.numpy() for name, array in arrays.items()}
    agreed = [say("generalise.agree", what=say(f"agree.{name}"), gap=f"{size:.1e}") for name, size in agree.items()]
    text = " ".join([say(f"generalise.{key}.text"), *agreed])
    return Part(Step(say(f"generalise.{key}.title"), f"{formula}\n{call}", named, text), named, agree)


def _one_query(at: Setting, say: Texts) -> Part:
    attend = build("additive", query_dim=DIM, key_dim=DIM)
    e, a, y = _attend(attend, at.Q[:1], at.X, at.X)
    by_hand = sum((a[0, i] * at.X[i] for i in range(len(at.X))), torch.zeros(DIM, dtype=at.X.dtype))
    call = f'attend = build("additive", query_dim={DIM}, key_dim={DIM});  attend(q, X)'
    arrays = {"q": at.Q[0], "X": at.X, "e": e[0], "a": a[0], "y": y[0]}
    return _part(
        say,
        "one",
        "e_i = f_att(q, X_i),  a = softmax(e),  y = Σ_i a_i X_i",
        arrays,
        {"sum": gap(y[0], by_hand)},
        call,
    )


def _scaled(at: Setting, say: Texts) -> Part:
    attend = build("scaled_dot", query_dim=DIM, key_dim=DIM)
    e, a, y = _attend(attend, at.Q[:1], at.X, at.X)
    by_hand = torch.stack([at.Q[0] @ x for x in at.X]) / DIM**0.5
    call = f'attend = build("scaled_dot", query_dim={DIM}, key_dim={DIM});  attend(q, X)'
    arrays = {"q": at.Q[0], "e": e[0], "a": a[0], "y": y[0]}
    return _part(say, "scaled", "e_i = qᵀ X_i / √D", arrays, {"scaled": gap(e[0], by_hand)}, call)


def _many_queries(at: Setting, say: Texts) -> Part:
    attend = build("scaled_dot", query_dim=DIM, key_dim=DIM)
    E, A, Y = _attend(attend, at.Q, at.X, at.X)
    singly = torch.cat([_attend(attend, at.Q[t : t + 1], at.X, at.X)[2] for t in range(len(at.Q))])
    call = "attend(Q, X)"
    arrays = {"Q": at.Q, "E": E, "A": A, "Y": Y}
    return _part(
        say,
        "many",
        "E = Q Xᵀ / √D,  A_t = softmax(E_t),  Y = A X",
        arrays,
        {"rows": gap(Y, singly)},
        call,
    )


def _apart(at: Setting, say: Texts) -> Part:
    attend = build("scaled_dot", query_dim=DIM, key_dim=DIM)
    K, V = at.X @ at.W_k, at.X @ at.W_v
    E, A, Y = _attend(attend, at.Q, K, V)
    same = torch.eye(DIM, dtype=at.X.dtype)
    together = _attend(attend, at.Q, at.X @ same, at.X @ same)[2]
    before = _attend(attend, at.Q, at.X, at.X)[2]
    arrays = {"K": K, "V": V, "E": E, "A": A, "Y": Y}
    formula = "K = X W_k,  V = X W_v,  Y = softmax(Q Kᵀ / √D_k) V"
    return _part(say, "apart", formula, arrays, {"identity": gap(together, before)}, "attend(Q, X @ W_k, X @ W_v)")


def _self_attention(at: Setting, say: Texts) -> Part:
    formula = "Q = X W_q,  K = X W_k,  V = X W_v"
    return _one_head(at.X, at.X, say, "self", formula, agreement="projections", arguments="X, X")


def _encoder_decoder(at: Setting, say: Texts) -> Part:
    formula = "Q = S W_q,  K = H W_k,  V = H W_v"
    return _one_head(at.Q, at.X, say, "cross", formula, agreement="cross", arguments="S, H")


def _one_head(
    queries: Tensor, keys: Tensor, say: Texts, name: str, formula: str, *, agreement: str, arguments: str
) -> Part:
    """The layer of the catalogue with one head, beside the same written out with its projections."""
    layer = build("transformer", query_dim=DIM, key_dim=DIM, heads=1)
    assert isinstance(layer, MultiHead)
    _, A, Y = _attend(layer, queries, keys, keys)
    plain = build("scaled_dot", query_dim=DIM, key_dim=DIM)
    _, _, by_hand = _attend(plain, layer.W_q(queries), layer.W_k(keys), layer.W_v(keys))
    call = f'layer = build("transformer", query_dim={DIM}, key_dim={DIM}, heads=1);  layer({arguments})'
    return _part(say, name, formula, {"A": A[0], "Y": Y}, {agreement: gap(Y, layer.W_o(by_hand))}, call)


def _multi_head(at: Setting, say: Texts) -> Part:
    layer = build("transformer", query_dim=DIM, key_dim=DIM, heads=2)
    assert isinstance(layer, MultiHead)
    _, A, Y = _attend(layer, at.Q, at.X, at.X)
    half = DIM // 2
    plain = build("scaled_dot", query_dim=half, key_dim=half)
    q, k, v = layer.W_q(at.Q), layer.W_k(at.X), layer.W_v(at.X)
    heads = [_attend(plain, q[:, cut], k[:, cut], v[:, cut])[2] for cut in (slice(half), slice(half, DIM))]
    call = f'layer = build("transformer", query_dim={DIM}, key_dim={DIM}, heads=2);  layer(S, H)'
    agree = {"heads": gap(Y, layer.W_o(torch.cat(heads, -1)))}
    return _part(say, "heads", "Y = W_o [head_1; …; head_H]", {"A": A, "Y": Y}, agree, call)


def _scale_step(measured: tuple[Saturation, ...], say: Texts) -> Step:
    numbers: dict[str, Any] = {
        say("scale.size"): np.array([row.d for row in measured]),
        say("scale.spread"): np.array([row.spread for row in measured]),
        say("scale.peak"): np.array([row.peak for row in measured]),
        say("scale.peak.scaled"): np.array([row.peak_scaled for row in measured]),
        say("scale.gradient"): np.array([row.gradient for row in measured]),
        say("scale.gradient.scaled"): np.array([row.gradient_scaled for row in measured]),
    }
    first, last = measured[0], measured[-1]
    text = say(
        "scale.text",
        first=first.d,
        last=last.d,
        peak=f"{last.peak:.2f}",
        scaled=f"{last.peak_scaled:.2f}",
        loss=f"{first.gradient / last.gradient:.0f}" if last.gradient else "∞",
    )
    return Step(say("scale.title"), "Var(qᵀk) = d,   ∂a/∂e = diag(a) − a aᵀ", numbers, text, kind="measurement")


def _as_look(at: Setting, part: Part, steps: tuple[Step, ...]) -> Look:
    """The last of the four steps as a look, so that its arrays have the names they have everywhere."""
    weights, values = part.arrays["A"], part.arrays["V"]
    alignment = weights[:, :, None] * values[None]
    axes: dict[str, tuple[Axis, ...]] = {
        "K": ("source", "key"),
        "V": ("source", "value"),
        "E": ("target", "source"),
        "A": ("target", "source"),
        "Y": ("target", "value"),
    }
    terms = {name: Term(part.arrays[name], named) for name, named in axes.items()}
    return Look(at.Q.numpy(), 0, part.arrays["E"], weights, alignment, part.arrays["Y"], terms, steps)
