"""The one class that composes score × scope × normalise, and what it returns.

scores_BTS  = score(query_BTQ, keys_BSK)
view        = scope(query, positions)                    mask or window; local_p: and a Gaussian gain
weights_BTS = normalise(scores_BTS inside the view) · gain
context_BTD = weights_BTS @ values_BSD
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.attention.checks import Sizes, check_dropout, check_inputs, check_numbers, check_override, check_positions
from jumok.attention.context import weighted_sum
from jumok.attention.coverage import StatefulScore
from jumok.attention.kernels import window_dots, window_sum
from jumok.attention.normalise import Normalised, Normaliser, Softmax
from jumok.attention.scope import Causal, Global, Local, LocalP, Scope, View, gather_window, lengths_of, positions_of
from jumok.attention.score import Additive, Concat, Dot, General, PositionalScore, ScaledDot, Score
from jumok.attention.short_kernel import compiled_attention, is_compiled, is_short, short_attention
from jumok.attention.step_kernels import StepForm
from jumok.attention.terms import Axis, Term, Terms, in_window, of_part, over_queries
from jumok.errors import ShapeError


@dataclass(frozen=True)
class Prepared:
    """The per-sentence work: prepared keys, values, mask and source lengths. It can be passed as `keys` in a call."""

    keys: Tensor
    values: Tensor
    mask: Tensor | None
    lengths: Tensor

    def select(self, index: Tensor) -> "Prepared":
        """The sentences named by `index`, in that order (beam search reorders, repeats and drops rows)."""

        def pick(rows: Tensor, batched_dims: int) -> Tensor:
            shared = rows.dim() < batched_dims or rows.shape[0] == 1 != self.keys.shape[0]
            return rows if shared else rows.index_select(0, index)

        dims = self.keys.dim()
        mask = None if self.mask is None else pick(self.mask, dims)
        lengths = pick(self.lengths, dims - 1)
        return Prepared(self.keys.index_select(0, index), self.values.index_select(0, index), mask, lengths)

    def for_query(self, t: int) -> "Prepared":
        """The same for the t-th query alone, where mask and lengths differ between queries."""
        mask, lengths = self.mask, self.lengths
        if mask is not None and mask.dim() > 1 and mask.shape[-2] > 1:
            mask = mask[..., t : t + 1, :]
        if lengths.shape[-1] > 1:
            lengths = lengths[..., t : t + 1]
        return replace(self, mask=mask, lengths=lengths)


Later = Callable[[], Tensor | None]


class Attended:
    """What a mechanism gives back. `weights` and `scores` are None when they were not asked for.

    Both may be given as a function that is called when they are looked at: the weights of a window among all source
    positions are a matrix of T × S, which nobody should pay for who only wants the context.
    """

    def __init__(
        self,
        context: Tensor,
        weights: Tensor | Later | None = None,
        scores: Tensor | Later | None = None,
        state: Tensor | None = None,
        log_prob: Tensor | None = None,
        explain: Callable[[], Terms] = dict,
        axes: tuple[Axis, ...] = ("target", "source"),
        entropy: Tensor | None = None,
    ) -> None:
        self.context, self.state, self.log_prob, self.explain = context, state, log_prob, explain
        self.axes = axes
        """What weights and scores run over."""
        self.entropy = entropy
        """Of the distribution that hard attention drew from."""
        self._weights, self._scores = weights, scores

    @cached_property
    def weights(self) -> Tensor | None:
        """One weight for each query and source position."""
        return self._weights if self._weights is None or isinstance(self._weights, Tensor) else self._weights()

    @cached_property
    def scores(self) -> Tensor | None:
        """One score for each query and source position, −∞ where a local scope computes none."""
        return self._scores if self._scores is None or isinstance(self._scores, Tensor) else self._scores()

    @property
    def terms(self) -> Terms:
        """Everything that was computed, by name: the intermediates of the formula and what they lead to."""
        found = self.explain()
        if self.scores is not None and self.weights is not None:
            found["scores"] = Term(self.scores, self.axes, "e_i")
            found["weights"] = Term(self.weights, self.axes, "α_i")
        return found | {"context": Term(self.context, ("target", "value"), "c")}


class Attention(nn.Module):
    """A mechanism: one choice of score, scope and normaliser."""

    def __init__(self, score: Score, scope: Scope, normaliser: Normaliser, dropout: float = 0.0) -> None:
        super().__init__()
        check_dropout(dropout)
        self.score, self.scope = score, scope
        self.align = normaliser  # what it learns, if anything, is stored under this name
        self.sizes = Sizes(score.query_dim, score.key_dim)
        self.dropout = dropout

    @property
    def normaliser(self) -> Normaliser:
        """What turns scores into weights."""
        return self.align

    def context_dim(self, value_dim: int) -> int:
        """The size of a context vector for values of that size."""
        return value_dim

    def prepare(self, keys: Tensor, values: Tensor | None = None, mask: Tensor | None = None) -> Prepared:
        """Keys, values and mask with the per-sentence work done once."""
        values = keys if values is None else values
        check_inputs(self.sizes, None, keys, values, mask)
        lengths = lengths_of(mask, keys.shape[-2], keys.device)
        return Prepared(self.score.prepare(keys), values, mask, lengths)

    def initial_state(self, prepared: Prepared) -> Tensor | None:
        """What a mechanism that carries a state starts a sentence with."""
        if isinstance(self.score, StatefulScore):
            return self.score.initial_state(prepared.keys)
        return None

    def step_form(self) -> StepForm | None:
        """The mechanism as the kernels for one query at a time know it, or None where they do not."""
        if type(self.scope) is not Global or type(self.normaliser) is not Softmax or (self.training and self.dropout):
            return None
        scale = 1.0 / self.normaliser.temperature
        # Of exactly these types: a class made from one of them may compute something else.
        score = self.score
        if type(score) is Additive:
            return StepForm(score.W_q, score.v, scale)
        if type(score) is Concat:
            return StepForm(score.W[:, : score.query_dim], score.v, scale)
        if type(score) in (Dot, General):
            return StepForm(None, None, scale)
        return StepForm(None, None, scale * score.scale) if type(score) is ScaledDot else None

    def forward(
        self,
        query: Tensor,
        keys: Tensor | Prepared,
        values: Tensor | None = None,
        mask: Tensor | None = None,
        need_weights: bool = True,
        *,
        positions: Tensor | None = None,
        state: Tensor | None = None,
        override: Tensor | None = None,
    ) -> Attended:
        """Context, weights and scores of query [B,T,Q] over keys [B,S,K] and values [B,S,D].

        `mask` is boolean, True = may be attended, broadcastable to [B,T,S]. `positions` [B,T] says where the queries
        stand (default 0…T−1); `override` [B,T,S] imposes weights; `state` is that of the previous call.
        """
        prepared = self._prepared(query, keys, values, mask)
        check_positions(positions, query)
        size = prepared.keys.shape[-2]
        if override is not None:
            check_override(override, query, size)
        if isinstance(self.score, StatefulScore):
            return self._sequential(query, prepared, positions, state, override)
        if not need_weights and override is None and self._is_dot_softmax(query, prepared):
            return self._fused(query, prepared, positions)
        where = positions_of(query) if positions is None else positions
        view: View = self.scope(query, where, prepared.lengths, size)
        if view.index is not None and override is None:
            return self._windowed(query, prepared, view, need_weights)
        return self._dense(query, prepared, view, override)

    def _prepared(self, query: Tensor, keys: Tensor | Prepared, values: Tensor | None, mask: Tensor | None) -> Prepared:
        if not isinstance(keys, Prepared):
            values = keys if values is None else values
            check_inputs(self.sizes, query, keys, values, mask)
            lengths = lengths_of(mask, keys.shape[-2], keys.device)
            return Prepared(self.score.prepare(keys), values, mask, lengths)
        if values is not None:
            raise ShapeError("Prepared keys bring their own values; give `values` to prepare() instead.")
        check_inputs(self.sizes, query, None, keys.values, keys.mask if mask is None else mask)
        if mask is None:
            return keys
        mask = mask if keys.mask is None else mask & keys.mask
        return replace(keys, mask=mask, lengths=lengths_of(mask, keys.keys.shape[-2], keys.keys.device))

    # The plain path: the four steps as they are written in the papers, over all source positions.

    def _dense(self, query: Tensor, prepared: Prepared, view: View, override: Tensor | None) -> Attended:
        scores = self.score(query, prepared.keys)
        check_numbers(scores)
        if view.index is not None:  # weights are imposed on a local scope: the window does not matter for the context
            view = replace(view, mask=None, gain=None, index=None)
        mask = both(prepared.mask, view.mask)
        if override is not None:
            normalised = Normalised(override.to(query.dtype).expand_as(scores), None)
        else:
            normalised = normalise_within(self.normaliser, scores, mask)
        weights = normalised.weights if override is not None else self._with_gain(normalised.weights, view)
        context = weighted_sum(self._dropped(weights), prepared.values)
        explain = lambda: self._terms(query, prepared.keys, view) | self._align_terms(scores, mask, normalised, view)  # noqa: E731
        return Attended(context, weights, scores, None, normalised.log_prob, explain, entropy=normalised.entropy)

    # The same over windows: every query is scored against the 2D+1 keys it can see, and nothing else is computed.

    def _windowed(self, query: Tensor, prepared: Prepared, view: View, need_weights: bool) -> Attended:
        index = cast(Tensor, view.index).expand(*query.shape[:-1], -1)
        scores = self._window_scores(query, prepared.keys, index)
        check_numbers(scores)
        mask = view.mask
        if prepared.mask is not None:
            whole = prepared.mask.expand(*query.shape[:-1], prepared.keys.shape[-2])
            mask = both(mask, whole.gather(-1, index))
        normalised = normalise_within(self.normaliser, scores, mask)
        weights = self._with_gain(normalised.weights, view)
        context = window_sum(self._dropped(weights), prepared.values, index)
        explain = lambda: (  # noqa: E731
            self._window_terms(query, prepared.keys, index)
            | in_window(
                self._scope_terms(query, replace(view, index=index)) | self._align_terms(scores, mask, normalised, view)
            )
        )
        if not need_weights:
            return Attended(context, None, None, None, normalised.log_prob, explain, entropy=normalised.entropy)
        size = prepared.keys.shape[-2]
        return Attended(
            context,
            lambda: spread(weights, index, size, 0.0, mask),
            lambda: spread(scores, index, size, -torch.inf, mask),
            None,
            normalised.log_prob,
            explain,
            entropy=normalised.entropy,
        )

    def _window_scores(self, query: Tensor, keys: Tensor, index: Tensor) -> Tensor:
        if isinstance(self.score, PositionalScore):
            return self.score.at(query, index)
        form = self.score.dot_form(query, keys)
        if form is not None:
            return window_dots(form.query, form.keys, index) * form.scale
        return self.score(query.unsqueeze(-2), gather_window(keys, index)).squeeze(-2)

    # Dot-family scores with a softmax, when nobody asks for the weights: torch's fused kernel.

    def _is_dot_softmax(self, query: Tensor, prepared: Prepared) -> bool:
        plain = type(self.normaliser) is Softmax and not isinstance(self.scope, Local)
        return plain and self.score.dot_form(query[..., :1, :], prepared.keys) is not None

    def _fused(self, query: Tensor, prepared: Prepared, positions: Tensor | None) -> Attended:
        form = self.score.dot_form(query, prepared.keys)
        assert form is not None
        T, size = query.shape[-2], prepared.keys.shape[-2]
        mask = prepared.mask
        causal = isinstance(self.scope, Causal) and positions is None and mask is None and size == T
        if not causal:
            where = positions_of(query) if positions is None else positions
            mask = both(mask, self.scope(query, where, prepared.lengths, size).mask)
        scale = form.scale / cast(Softmax, self.normaliser).temperature
        context = fused_attention(
            form.query,
            form.keys,
            prepared.values,
            mask,
            causal,
            scale,
            self.dropout if self.training else 0.0,
        )
        return Attended(context, explain=lambda: self._terms(query, prepared.keys, View(mask=mask)))

    # A mechanism that carries a state goes through the queries one by one.

    def _sequential(
        self,
        query: Tensor,
        prepared: Prepared,
        positions: Tensor | None,
        state: Tensor | None,
        override: Tensor | None,
    ) -> Attended:
        score = cast(StatefulScore, self.score)
        state = score.initial_state(prepared.keys) if state is None else state
        where = (positions_of(query) if positions is None else positions).expand(query.shape[:-1])
        steps: list[Attended] = []
        before: list[Tensor] = []
        inside: list[Tensor] = []
        for t in range(query.shape[-2]):
            q_t, here = query[..., t : t + 1, :], prepared.for_query(t)
            view: View = self.scope(q_t, where[..., t : t + 1], here.lengths, here.keys.shape[-2])
            if view.index is not None:
                raise ShapeError(f"Score '{score.name}' carries a state over all positions; give it a global scope.")
            scores = score.with_state(q_t, here.keys, state)
            check_numbers(scores)
            mask = both(here.mask, view.mask)
            normalised = normalise_within(self.normaliser, scores, mask)
            inside.append(scores if mask is None else scores.masked_fill(~mask, -torch.inf))
            weights = (
                normalised.weights
                if override is None
                else override[..., t : t + 1, :].to(query.dtype).expand_as(scores)
            )
            before.append(state)
            state = score.next_state(state, weights)
            steps.append(Attended(weights, weights, scores, state, normalised.log_prob, entropy=normalised.entropy))
        weights = torch.cat([step.context for step in steps], -2)
        scores = torch.cat([cast(Tensor, step.scores) for step in steps], -2)
        drawn = [step.log_prob for step in steps if step.log_prob is not None]
        context = weighted_sum(self._dropped(weights), prepared.values)
        log_prob = torch.cat(drawn, -1) if drawn else None
        spread = [step.entropy for step in steps if step.entropy is not None]
        entropy = torch.cat(spread, -1) if spread else None
        explain = lambda: (  # noqa: E731
            of_part("score", score.state_terms(query, prepared.keys, before), query.ndim - 2)
            | of_part("align", self.normaliser.terms(torch.cat(inside, -2)), query.ndim - 2)
        )
        return Attended(context, weights, scores, state, log_prob, explain, entropy=entropy)

    def _with_gain(self, weights: Tensor, view: View) -> Tensor:
        if view.gain is None:
            return weights
        weights = weights * view.gain.to(weights.dtype)
        if isinstance(self.scope, LocalP) and self.scope.renormalise:
            total = weights.sum(-1, keepdim=True)
            return weights / total.masked_fill(total == 0, 1.0)
        return weights

    def _dropped(self, weights: Tensor) -> Tensor:
        return F.dropout(weights, self.dropout, self.training) if self.dropout else weights

    # What was computed, by name, for whoever wants to see it.

    def _terms(self, query: Tensor, keys: Tensor, view: View) -> Terms:
        return of_part("score", self.score.terms(query, keys), query.ndim - 2) | self._scope_terms(query, view)

    def _window_terms(self, query: Tensor, keys: Tensor, index: Tensor) -> Terms:
        if isinstance(self.score, PositionalScore):  # it has a score for every position, whatever the window
            return of_part("score", self.score.terms(query, keys), query.ndim - 2)
        near = self.score.terms(query.unsqueeze(-2), gather_window(keys, index))
        named = of_part("score", near, query.ndim - 1)
        return in_window({name: over_queries(term) for name, term in named.items()})

    def _scope_terms(self, query: Tensor, view: View) -> Terms:
        found: dict[str, Term | Tensor] = {**self.scope.terms(query)}
        if view.centre is not None:
            found["centre"] = Term(view.centre, ("target",), "p_t")
        if view.index is not None:
            found["window"] = Term(view.index, ("target", "window"), "i")
        if view.mask is not None:
            found["mask"] = Term(view.mask, ("target", "source"))
        named = of_part("scope", found, query.ndim - 2)
        if view.gain is not None:
            named["gaussian"] = Term(view.gain, ("target", "source"), "exp(−(i−p_t)²/2σ²)", part="gain")
        return named

    def _align_terms(self, scores: Tensor, mask: Tensor | None, normalised: Normalised, view: View) -> Terms:
        inside = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        named = of_part("align", self.normaliser.terms(inside), scores.ndim - 2)
        if view.gain is not None:
            named["before gaussian"] = Term(normalised.weights, ("target", "source"), "softmax(e)_i")
        return named


def normalise_within(normaliser: Normaliser, scores: Tensor, mask: Tensor | None) -> Normalised:
    """Weights that are zero outside the mask; a row with nothing to attend gives zeros, forward and backward."""
    allowed = None if mask is None else mask.sum(-1, keepdim=True)
    seen = scores > -torch.inf  # compact kernels close positions by themselves
    mask = seen if mask is None else seen & mask
    alive = mask.any(-1, keepdim=True)
    # Rows with nothing to see get harmless zeros, so that no softmax of −∞ alone is ever taken.
    inside = scores.masked_fill(~mask & alive, -torch.inf).masked_fill(~alive, 0.0)
    normalised = normaliser.normalise(inside, allowed)
    drawn = (normalised.log_prob, normalised.entropy)
    log_prob, entropy = (None if part is None else part.masked_fill(~alive.squeeze(-1), 0.0) for part in drawn)
    return Normalised(normalised.weights.masked_fill(~mask, 0.0), log_prob, entropy)


def fused_attention(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    mask: Tensor | None,
    causal: bool,
    scale: float,
    dropout: float,
) -> Tensor:
    """softmax(scale · QKᵀ) V by torch's fused kernel, with zeros where a row has nothing to attend."""
    if dropout == 0 and is_compiled(query, keys, values, mask) and (mask is None or bool(mask.any(-1).all())):
        return compiled_attention(query, keys, values, mask, causal, scale)
    if dropout == 0 and is_short(query, keys, values):
        return _short(query, keys, values, mask, causal, scale)
    flat = query.dim() == 3  # the kernel wants a head dimension
    if flat:
        query, keys, values = query.unsqueeze(1), keys.unsqueeze(1), values.unsqueeze(1)
    if mask is None:
        context = F.scaled_dot_product_attention(query, keys, values, dropout_p=dropout, is_causal=causal, scale=scale)
        return context.squeeze(1) if flat else context
    if flat and mask.dim() == 3:
        mask = mask.unsqueeze(1)
    alive = mask.any(-1, keepdim=True)
    # A row of −∞ alone is undefined: dead rows look at everything and are zeroed afterwards.
    context = F.scaled_dot_product_attention(query, keys, values, mask | ~alive, dropout_p=dropout, scale=scale)
    context = context.masked_fill(~alive, 0.0)
    return context.squeeze(1) if flat else context


def _short(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, causal: bool, scale: float) -> Tensor:
    if causal:
        T, S = query.shape[-2], keys.shape[-2]
        hidden = torch.ones(T, S, dtype=torch.bool, device=query.device).triu_(1)
        return short_attention(query, keys, values, hidden, scale)
    if mask is None:
        return short_attention(query, keys, values, None, scale)
    alive = mask.any(-1, keepdim=True)
    if bool(alive.all()):
        return short_attention(query, keys, values, ~mask, scale)
    return short_attention(query, keys, values, ~mask & alive, scale).masked_fill(~alive, 0.0)


def both(a: Tensor | None, b: Tensor | None) -> Tensor | None:
    """What both masks allow; None allows everything."""
    if a is None or b is None:
        return b if a is None else a
    return a & b


def spread(narrow: Tensor, index: Tensor, size: int, empty: float, mask: Tensor | None) -> Tensor:
    """Window values [.., T, W] put back in their places among `size` source positions."""
    if mask is not None:
        narrow = narrow.masked_fill(~mask, empty)
    # One spare column takes what fell off the edges (their index was clamped and must not overwrite a real place).
    outside = index if mask is None else index.masked_fill(~mask, size)
    wide = narrow.new_full((*narrow.shape[:-1], size + 1), empty)
    return wide.scatter(-1, outside, narrow)[..., :size]
