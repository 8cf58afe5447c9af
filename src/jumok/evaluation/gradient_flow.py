"""How far the error of a target word reaches back into the source, and on which path.

Without attention the gradient of loss_t must pass through every recurrent step between reading x_i and writing y_t;
with attention it has a direct way to h_i. That way has two lanes, because the context c_t = Σ_i α_{t,i} h_i depends on
h_i twice:

    through the values    ∂c_t/∂h_i with the weights α held fixed: what is said at i changes
    through the weights   ∂c_t/∂h_i through α_{t,i} alone: where is looked at changes (h_i as key)

`words` is ‖∂loss_t/∂x_i‖ for the embedded word x_i, over all paths together, recurrent ones included; it is what models
with and without attention can be compared by. `weights` and `values` are ‖∂loss_t/∂h_i‖ of the two direct lanes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from jumok.attention import Prepared
from jumok.data.batch import Batch
from jumok.models.contract import Memory
from jumok.models.seq2seq import Seq2Seq

Ids = Sequence[int]


@dataclass(frozen=True)
class SentenceFlow:
    """Gradient norms of one pair, [T, S] each: row t is loss_t, column i source position i, EOS on both sides."""

    words_TS: Tensor
    weights_TS: Tensor | None
    values_TS: Tensor | None


@dataclass(frozen=True)
class FlowAtDistance:
    """Mean gradient norms at one distance: the recurrent steps between reading x_i and writing y_t."""

    low: int
    high: int
    count: int
    words: float
    weights: float | None
    values: float | None


def sentence_flow(model: Seq2Seq, source: Ids, target: Ids) -> SentenceFlow:
    """The gradient norms of one pair of ids (without BOS and EOS); parameters are left without gradients."""
    model.eval()
    batch = Batch.of([source], [target], [0]).to(model.device)
    with torch.enable_grad():
        with Captured(model.source_embedding) as words:
            memory = model.encode(batch.source)
        memory, leaves = two_lanes(model, memory)
        logits_TV = model.logits(model.decode(memory, batch.target_in_BT), memory)[0]
        loss_T = nn.functional.cross_entropy(logits_TV, batch.target_out_BT[0], reduction="none")
        rows = [_norms(loss, [words[0], *leaves]) for loss in loss_T]
    words_TS, *lanes = (torch.stack(column) for column in zip(*rows, strict=True))
    if model.reverse_source:
        words_TS = words_TS.flip(1)  # they were embedded in the order of reading
    weights_TS, values_TS = lanes or (None, None)
    return SentenceFlow(words_TS, weights_TS, values_TS)


class Captured:
    """Collects what a module gives while it is open."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module
        self.outputs: list[Tensor] = []

    def __enter__(self) -> list[Tensor]:
        def keep(_module: nn.Module, _inputs: Any, output: Tensor) -> Tensor:
            # A tensor of its own, so that the gradient has a place to be read at.
            self.outputs.append(output.detach().requires_grad_())
            return self.outputs[-1]

        self.hook = self.module.register_forward_hook(keep)
        return self.outputs

    def __exit__(self, *_: object) -> None:
        self.hook.remove()


def two_lanes(model: Seq2Seq, memory: Memory) -> tuple[Memory, list[Tensor]]:
    """The memory with keys and values made from two copies of the states, so that gradients tell them apart.

    Both copies still hang on the states (x + 0·leaf), so the gradient to the words stays whole.
    """
    if not memory.prepared:
        return memory, []
    leaves = [torch.zeros_like(memory.states_BSD).requires_grad_() for _ in range(2)]
    lanes = [model.prepare(replace(memory, states_BSD=memory.states_BSD + leaf)).prepared for leaf in leaves]
    joined = [
        replace(keys, values=values.values)
        for keys, values in zip(*lanes, strict=True)
        if isinstance(keys, Prepared) and isinstance(values, Prepared)
    ]
    return replace(memory, prepared=list(joined)), leaves


def _norms(loss: Tensor, places: list[Tensor]) -> list[Tensor]:
    """‖∂loss/∂place_i‖ for each position i of each place."""
    gradients = torch.autograd.grad(loss, places, retain_graph=True, allow_unused=True)
    found: list[Tensor] = []
    for place, gradient in zip(places, gradients, strict=True):
        whole = torch.zeros_like(place) if gradient is None else gradient
        found.append(whole[0].norm(dim=-1).detach())
    return found


def flow_over_distance(model: Seq2Seq, pairs: Sequence[tuple[Ids, Ids]], width: int = 4) -> list[FlowAtDistance]:
    """Mean norms over all pairs by distance (S − i) + t in the order of reading, in bins of `width`."""
    sums: dict[int, list[float]] = {}
    attends = True
    for source, target in pairs:
        flow = sentence_flow(model, source, target)
        attends = flow.weights_TS is not None
        for distance, norms in _cells(flow, model.reverse_source):
            total = sums.setdefault(distance // width, [0.0, 0.0, 0.0, 0.0])
            total[0] += 1
            for place, norm in enumerate(norms, start=1):
                total[place] += norm
    return [
        FlowAtDistance(
            low=number * width,
            high=(number + 1) * width - 1,
            count=int(count),
            words=words / count,
            weights=weights / count if attends else None,
            values=values / count if attends else None,
        )
        for number, (count, words, weights, values) in sorted(sums.items())
    ]


def _cells(flow: SentenceFlow, backwards: bool) -> Iterator[tuple[int, list[float]]]:
    """Each (t, i) as its distance and norms; the EOS of the source is not a word and left out."""
    lanes = [flow.words_TS]
    lanes += [lane for lane in (flow.weights_TS, flow.values_TS) if lane is not None]
    tables = [lane.tolist() for lane in lanes]
    steps, positions = flow.words_TS.shape
    for t in range(steps):
        for i in range(positions - 1):
            yield (i + 1 if backwards else positions - i) + t, [table[t][i] for table in tables]
