"""Teacher forcing: how often the decoder is fed the true previous word rather than its own.

`always` is the ordinary whole-sequence pass. Every other way runs the model step by step, feeding back what it said:

    never                          its own words from the start
    0.7                            the true word with probability 0.7
    linear:1->0.5@2000             ε_i falls in a straight line from 1 to 0.5 over 2,000 steps
    exponential:0.999              ε_i = k^i
    inverse_sigmoid:500            ε_i = k / (k + exp(i / k))
    switch:1000                    forced for 1,000 steps, free afterwards

(scheduled sampling, Bengio et al. 2015). The coin is tossed at each step, or once a sequence with `/sequence`. The
model's own word is its best one, or a draw with `/sample`.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from jumok.errors import ConfigError, did_you_mean

if TYPE_CHECKING:
    from jumok.models.contract import Memory
    from jumok.models.seq2seq import Seq2Seq

KINDS = ("always", "never", "linear", "exponential", "inverse_sigmoid", "switch")
MODIFIERS = ("sequence", "sample")
_LINEAR = re.compile(r"([0-9.eE-]+)->([0-9.eE-]+)@([0-9]+)")


@dataclass(frozen=True)
class TeacherForcing:
    """The probability of the true word as a function of the step, and how the coin is tossed."""

    text: str
    probability: Callable[[int], float]
    per_sequence: bool
    sample: bool

    @property
    def always(self) -> bool:
        """True if the model never sees a word of its own."""
        return self.text.split("/")[0].strip() in ("always", "1", "1.0")


@dataclass(frozen=True)
class FreeRun:
    """What stepping through a batch gave: logits, and the cross attention of each layer when asked for."""

    logits_BTV: Tensor
    cross: list[Tensor]


def parse(text: str) -> TeacherForcing:
    """The teacher forcing that a config string describes."""
    head, *modifiers = (part.strip() for part in text.split("/"))
    for modifier in modifiers:
        if modifier not in MODIFIERS:
            hint = did_you_mean(modifier, MODIFIERS)
            raise ConfigError(f"train.teacher_forcing '{text}': unknown modifier '/{modifier}'{hint}.")
    kind, _, argument = head.partition(":")
    return TeacherForcing(text, _probability(kind, argument, text), "sequence" in modifiers, "sample" in modifiers)


def _probability(kind: str, argument: str, text: str) -> Callable[[int], float]:
    match kind:
        case "always":
            return lambda step: 1.0
        case "never":
            return lambda step: 0.0
        case "linear":
            found = _LINEAR.fullmatch(argument)
            if not found:
                raise ConfigError(f"train.teacher_forcing '{text}' is not of the form linear:1->0.5@2000.")
            start, end = (_number(part, text, 0, 1) for part in found.groups()[:2])
            steps = max(1, int(found[3]))
            return lambda step: start + (end - start) * min(1.0, step / steps)
        case "exponential":
            base = _number(argument, text, 0, 1)
            return lambda step: base**step
        case "inverse_sigmoid":
            # k / (k + e^(i/k)), written so that a late step cannot overflow
            k = _number(argument, text, 1, math.inf)
            return lambda step: 1 / (1 + math.exp(min(700.0, step / k - math.log(k))))
        case "switch":
            last = _number(argument, text, 0, math.inf)
            return lambda step: 1.0 if step <= last else 0.0
    if re.fullmatch(r"[0-9.]+([eE][+-]?[0-9]+)?", kind):
        ratio = _number(kind, text, 0, 1)
        return lambda step: ratio
    raise ConfigError(
        f"train.teacher_forcing '{text}' is unknown{did_you_mean(kind, KINDS)}; "
        f"use a ratio or one of {', '.join(KINDS)}."
    )


def _number(argument: str, text: str, low: float, high: float) -> float:
    try:
        value = float(argument)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        asked = f"from {low:g} to {high:g}" if high < math.inf else f"of at least {low:g}"
        raise ConfigError(f"train.teacher_forcing '{text}' needs a number {asked}, not '{argument}'.")
    return value


def toss(forcing: TeacherForcing, step: int, batch: int, length: int, generator: torch.Generator) -> Tensor:
    """forced_BT: True where the true word is fed; the coins come from `generator` alone."""
    draws = torch.rand(batch, 1 if forcing.per_sequence else length, generator=generator)
    return (draws < forcing.probability(step)).expand(batch, length)


def free_run(
    model: "Seq2Seq",
    memory: "Memory",
    target_in_BT: Tensor,
    forced_BT: Tensor,
    *,
    sample: bool = False,
    generator: torch.Generator | None = None,
    need_weights: bool = False,
) -> FreeRun:
    """Logits of a batch in which position t was fed the true word where `forced_BT`, the model's own elsewhere.

    The first word fed is always BOS. No gradient flows through the choice of a word.
    """
    state = model.init_state(memory)
    forced_BT = forced_BT.to(target_in_BT.device)
    previous_B = target_in_BT[:, 0]
    logits: list[Tensor] = []
    cross: list[list[Tensor]] = []
    for t in range(target_in_BT.shape[1]):
        if t > 0:
            own_B = _own_word(logits[-1], sample, generator)
            previous_B = torch.where(forced_BT[:, t], target_in_BT[:, t], own_B)
        output, state = model.step(previous_B, state, need_weights=need_weights)
        logits.append(output.logits_BV)
        cross.append(output.attention.cross)
    layers = [torch.cat(rows, dim=2) for rows in zip(*cross, strict=True)]
    return FreeRun(torch.stack(logits, dim=1), layers)


def _own_word(logits_BV: Tensor, sample: bool, generator: torch.Generator | None) -> Tensor:
    if not sample:
        return logits_BV.detach().argmax(-1)
    p_BV = logits_BV.detach().float().softmax(-1).cpu()
    return torch.multinomial(p_BV, 1, generator=generator)[:, 0].to(logits_BV.device)
