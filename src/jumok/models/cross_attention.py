"""What both decoders ask of a mechanism's result: weights by head, draws, named terms and imposed weights."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from jumok.attention import Attended
from jumok.attention.terms import Term
from jumok.errors import ShapeError
from jumok.models.contract import Override, StepTerms


def as_heads(attended: Attended) -> Tensor:
    """The weights [B, H, T, S]; a mechanism without heads has one."""
    weights = attended.weights
    assert weights is not None, "weights were not asked for"
    return weights[:, None] if weights.ndim == 3 else weights


def log_prob_BT(attended: Attended) -> Tensor | None:
    """The log-probability [B, T] of what was drawn, by all heads together."""
    drawn = attended.log_prob
    return drawn if drawn is None or drawn.ndim == 2 else drawn.sum(1)


def entropy_BT(attended: Attended) -> Tensor | None:
    """The entropy [B, T] of what hard attention drew from, all heads together."""
    found = attended.entropy
    return found if found is None or found.ndim == 2 else found.sum(1)


def step_terms(
    looks: Sequence[tuple[Tensor, Attended | None]],
    state_BD: Tensor,
    output_BD: Tensor,
    gate_B1: Tensor | None = None,
) -> StepTerms:
    """What a step computed, given each layer's query [B, Q], what the source answered, and the gate of the context."""
    queries = [Term(query_BQ, ("query",), "q", part="decoder") for query_BQ, _ in looks]
    layers = [
        {**attended.terms, "query": query}
        for query, (_, attended) in zip(queries, looks, strict=True)
        if attended is not None
    ]
    decoder = {
        "query": queries[-1],
        "state": Term(state_BD, ("state",), "s_t", part="decoder"),
        "output": Term(output_BD, ("output",), "o_t", part="decoder"),
    }
    if gate_B1 is not None:
        decoder["gate"] = Term(gate_B1, ("unnamed",), "β_t", part="decoder")
    return StepTerms(decoder, layers)


def imposed(override: Override | None, layers: int) -> dict[int, Tensor]:
    """Imposed weights by layer, each [B, 1, S] for all heads alike or [B, H, 1, S].

    A bare tensor, [B, S] or [B, H, S], is for the last layer; negative layer numbers count from the top.
    """
    if override is None:
        return {}
    if not isinstance(override, Mapping):
        if override.ndim not in (2, 3):
            raise ShapeError(
                "override must have shape [B, S] or [B, H, S], or map layers to [B, H, 1, S], got "
                f"{list(override.shape)}."
            )
        return {layers - 1: override.unsqueeze(-2)}
    wrong = [number for number in override if not -layers <= number < layers]
    if wrong:
        raise ShapeError(f"override names layer {wrong[0]} of a decoder with {layers} layer(s) of attention, from 0.")
    return {number % layers: one_query(weights) for number, weights in override.items()}


def one_query(weights: Tensor) -> Tensor:
    """Weights of one layer [B, H, 1, S], which may also be given as [B, S] for all heads alike."""
    if weights.ndim == 2:
        return weights[:, None]
    if weights.ndim != 4 or weights.shape[2] != 1:
        raise ShapeError(f"The override of a layer must have shape [B, H, 1, S], got {list(weights.shape)}.")
    # A mechanism without heads knows its one head only as [B, 1, S].
    return weights[:, 0] if weights.shape[1] == 1 else weights
