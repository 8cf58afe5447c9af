"""How far float32 may be from the exact result: a multiple of ε times the magnitudes of what was added up.

Each operation of a computation rounds its operands: x becomes x (1 + δ), |δ| ≤ ε. To first order the result is then off
by the sum over all operands of x ∂y/∂x δ, and every processor has other δ: wider registers add up in another order. The
size of that sum follows from the arithmetic alone. `exact` finds it in float64: beside the exact result it computes two
in which every operand of every operation, forward and backward, is off by ±ε with a drawn sign, and the largest
difference over ε is the magnitude, √Σ(x ∂y/∂x)². That also holds where terms cancel and the result itself is near zero,
and where a gradient jumps: a unit of relu within rounding of 0 gives its term on one processor and not on another.

`MANY` covers what the draw leaves out: sums of n numbers round their partial sums too (√n more at worst in these
sizes), exponentials are exact to a few ε, and a draw is a draw.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

EPSILON = torch.finfo(torch.float32).eps
MANY = 16
DRAWS = 2
POOL = 1 << 18


@dataclass(frozen=True)
class Exact:
    """A result in float64, the magnitude of the sum it came from, and how far it jumps at the kinks of relu."""

    value: Tensor
    magnitude: float
    jump: float = 0.0

    def off(self, found: Tensor) -> float:
        """How far a result is from this one, in rounding errors; kinks may be on either side."""
        assert found.shape == self.value.shape
        off = float((found.detach().double() - self.value).abs().max())
        return max(0.0, off - 2 * self.jump) / EPSILON / self.magnitude


class Kinked(TorchDispatchMode):
    """relu has two slopes at 0: what lies within rounding of it gets the one that is asked for."""

    def __init__(self, is_on: bool = False) -> None:
        super().__init__()
        self._near = 1e-30 if is_on else 0.0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """What an operation gives."""
        if func._schema.name not in ("aten::relu", "aten::relu_"):
            return self.operate(func, args, kwargs or {})
        near = args[0].abs() < MANY * EPSILON * args[0].abs().max()
        return func(*args).masked_fill_(near, self._near)

    def operate(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Any other operation."""
        return func(*args, **kwargs)


class Rounding(Kinked):
    """Every operand of every operation in float64 is off by ±ε of float32."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        draw = torch.Generator().manual_seed(seed)
        self._pool = 1 + EPSILON * (2.0 * torch.randint(0, 2, (POOL,), generator=draw).double() - 1)
        self._at = 0

    def operate(self, func: Any, args: Any, kwargs: Any) -> Any:
        """What an operation gives; views are exact, and what works in place rounds what it made."""
        aliased = [argument.alias_info for argument in func._schema.arguments if argument.alias_info is not None]
        if not aliased:
            return func(*(self._rounded(argument) for argument in args), **kwargs)
        result = func(*args, **kwargs)
        if any(alias.is_write for alias in aliased) and _is_real(result) and func._schema.name != "aten::detach_":
            result.mul_(self._factors(result))
        return result

    def _rounded(self, argument: Any) -> Any:
        if isinstance(argument, list | tuple):
            return type(argument)(self._rounded(each) for each in argument)
        return argument * self._factors(argument) if _is_real(argument) else argument

    def _factors(self, tensor: Tensor) -> Tensor:
        """1 ± ε for each number: the next ones of a pool that is gone through again and again."""
        count = tensor.numel()
        self._at = (self._at + count + 7919) % (POOL // 2)
        if count > POOL // 2:
            return self._pool.repeat(count // POOL + 1)[:count].view(tensor.shape)
        return self._pool[self._at : self._at + count].view(tensor.shape)


def _is_real(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype == torch.float64


def exact(compute: Callable[[], Iterable[Tensor]]) -> list[Exact]:
    """The results of a computation in float64, each with its magnitude (of the tensor's worst number)."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the operations are small: two threads would wait for each other
    try:
        return _exact(compute)
    finally:
        torch.set_num_threads(threads)


def _exact(compute: Callable[[], Iterable[Tensor]]) -> list[Exact]:
    values = [value.detach().clone() for value in compute()]
    assert all(value.dtype == torch.float64 for value in values)
    off, on = _under(Kinked(False), compute), _under(Kinked(True), compute)
    drawn = [_under(Rounding(seed), compute) for seed in range(DRAWS)]
    found = []
    for place, value in enumerate(values):
        jump = max(_largest(value - off[place]), _largest(value - on[place]))
        spread = max(_largest(draw[place] - off[place]) for draw in drawn) / EPSILON
        # A result is itself rounded when it is kept.
        found.append(Exact(value, max(spread, _largest(value)) or 1.0, jump))
    return found


def _under(mode: TorchDispatchMode, compute: Callable[[], Iterable[Tensor]]) -> list[Tensor]:
    with mode:
        return [value.detach() for value in compute()]


def _largest(value: Tensor) -> float:
    return float(value.abs().max()) if value.numel() else 0.0


def assert_rounded_once(found: Sequence[Tensor], expected: Sequence[Exact], dtype: torch.dtype) -> None:
    """Results of a type with fewer bits were computed in float32 and rounded to it at the end, each on its own."""
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert one.dtype == dtype
        room = MANY * EPSILON * other.magnitude + 0.5 * torch.finfo(dtype).eps * other.value.abs()
        off = float(((one.detach().double() - other.value).abs() / room).max())
        assert off <= 1, f"result {number} is off by {off:.3g} of what one rounding to {dtype} allows"


def assert_rounded(found: Sequence[Tensor], expected: Sequence[Exact], many: float = MANY) -> None:
    """Every number is within `many` rounding errors of the exact one."""
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        off = other.off(one) if one.numel() else 0.0
        assert off <= many, f"result {number} is off by {off:.3g} rounding errors of its terms ({many} are allowed)"
