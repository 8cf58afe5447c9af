"""What a training step does between its matrix products, by the functions of `native/learn.c`.

For float32 on a CPU with one thread: a batch is shared among processes of one thread each, see `training/workers.py`.
Each function says which plain path it replaces; `usable` says whether it may.
"""

import ctypes
from ctypes import c_float, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from jumok.compiled.build import NotBuiltError, Part

PART = Part("kernels", Path(__file__).parent / "native" / "learn.c")
LANES = 16


class _Heads(ctypes.Structure):
    """Vectors [B, H, T, K] wherever they lie, the K numbers of each together."""

    _fields_ = (("data", c_void_p), ("sentence", c_int64), ("head", c_int64), ("word", c_int64))


class _Looks(ctypes.Structure):
    _fields_ = (
        *((name, c_int64) for name in ("sentences", "heads", "queries", "keys", "size", "room")),
        ("scale", c_float),
        ("causal", c_int32),
        ("visible", c_void_p),
    )


@cache
def _functions() -> ctypes.CDLL | None:
    """The compiled functions, or None where they cannot be built."""
    try:
        found = PART.load()
    except NotBuiltError:
        return None
    P, N = c_void_p, c_int64
    signatures = {
        "jumok_loss": [P, P, P, N, N, c_float, c_int32, P, P, P],
        "jumok_dropped": [P, P, P, N, c_uint64, c_uint32, c_float],
        "jumok_norm": [P, P, P, N, N, c_float, P, P, P],
        "jumok_norm_back": [P, P, P, P, P, N, N, P, P, P],
        "jumok_turn": [_Heads, _Heads, P, P, N, N, N, N, c_float],
        "jumok_attend": [P, *[_Heads] * 4, P],
        "jumok_attend_back": [P, *[_Heads] * 4, P, *[_Heads] * 3],
    }
    for name, arguments in signatures.items():
        function = getattr(found, name)
        function.argtypes, function.restype = arguments, c_int32 if "attend" in name else None
    return found


def available() -> bool:
    """Whether the functions are here; builds them if that has not been done."""
    return _functions() is not None


def usable(*tensors: Tensor) -> bool:
    """Whether these tensors may be given to the functions by a thread that works alone."""
    alike = all(tensor.dtype == torch.float32 and tensor.device.type == "cpu" for tensor in tensors)
    return alike and torch.get_num_threads() == 1 and available()


def loss_rows(
    logits_RV: Tensor, bias_V: Tensor, target_R: Tensor, smoothing: float, d_bias_V: Tensor | None, out: Tensor
) -> None:
    """Turns logits without bias into their gradient; −log p(y) and −mean log p go to the two rows of `out`."""
    library = _functions()
    assert library is not None
    rows, words = logits_RV.shape
    library.jumok_loss(
        logits_RV.data_ptr(), bias_V.data_ptr(), target_R.data_ptr(), rows, words, smoothing, d_bias_V is not None,
        out[0].data_ptr(), out[1].data_ptr(), None if d_bias_V is None else d_bias_V.data_ptr(),
    )  # fmt: skip


def dropped(x: Tensor | None, change: Tensor, seed: int, share: int) -> Tensor:
    """x + dropout(change), or dropout(change) alone; an entry is dropped with probability share / 2³²."""
    library = _functions()
    assert library is not None
    out = torch.empty_like(change)
    library.jumok_dropped(
        None if x is None else x.data_ptr(), change.data_ptr(), out.data_ptr(), change.numel(), seed, share,
        2**32 / (2**32 - share),
    )  # fmt: skip
    return out


def norm(x: Tensor, gain: Tensor, bias: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    """The layer norm of rows, and [2, rows]: their means and the inverse of their deviations."""
    library = _functions()
    assert library is not None
    size = x.shape[-1]
    rows = x.numel() // size
    out, kept = torch.empty_like(x), x.new_empty(2, rows)
    library.jumok_norm(
        x.data_ptr(), gain.data_ptr(), bias.data_ptr(), rows, size, epsilon, out.data_ptr(), kept[0].data_ptr(),
        kept[1].data_ptr(),
    )  # fmt: skip
    return out, kept


def norm_back(d_out: Tensor, x: Tensor, gain: Tensor, kept: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of a layer norm's input, gain and bias."""
    library = _functions()
    assert library is not None
    d_x, d_gain, d_bias = torch.empty_like(x), torch.zeros_like(gain), torch.zeros_like(gain)
    library.jumok_norm_back(
        d_out.data_ptr(), x.data_ptr(), gain.data_ptr(), kept[0].data_ptr(), kept[1].data_ptr(), kept.shape[1],
        x.shape[-1], d_x.data_ptr(), d_gain.data_ptr(), d_bias.data_ptr(),
    )  # fmt: skip
    return d_x, d_gain, d_bias


def _heads(states_BHTK: Tensor) -> _Heads:
    sentence, head, word, together = states_BHTK.stride()
    assert together == 1 or states_BHTK.shape[-1] == 1
    return _Heads(states_BHTK.data_ptr(), sentence, head, word)


def _together(states_BHTK: Tensor) -> Tensor:
    """The same states with the numbers of a head side by side; gradients may come otherwise."""
    return states_BHTK if states_BHTK.stride(-1) == 1 else states_BHTK.contiguous()


def _word_by_word(B: int, H: int, T: int, K: int) -> Tensor:
    """Room [B, H, T, K] that lies word by word, heads side by side, as the next product reads it."""
    return torch.empty(B, T, H, K).transpose(1, 2)


def turn(states_BHTK: Tensor, cosines_TP: Tensor, sines_TP: Tensor, back: bool) -> Tensor:
    """Pairs of coordinates turned by the angles of their places, or turned back."""
    library, states_BHTK = _functions(), _together(states_BHTK)
    assert library is not None
    B, H, T, K = states_BHTK.shape
    out = _word_by_word(B, H, T, K)
    library.jumok_turn(
        _heads(states_BHTK), _heads(out), cosines_TP.data_ptr(), sines_TP.data_ptr(), B, H, T, K // 2,
        -1.0 if back else 1.0,
    )  # fmt: skip
    return out


class Looks:
    """softmax(scale · QKᵀ) V of short sentences; the weights are kept for the way back."""

    def __init__(self, q: Tensor, k: Tensor, v: Tensor, visible_BS: Tensor | None, causal: bool, scale: float) -> None:
        (B, H, T, K), S = q.shape, k.shape[2]
        self.q, self.k, self.v, self.visible = q, k, v, visible_BS
        room = (S + LANES - 1) // LANES * LANES
        self.looks = _Looks(B, H, T, S, K, room, scale, causal, None if visible_BS is None else visible_BS.data_ptr())
        self.weights = torch.empty(B, H, T, room)

    def forward(self) -> Tensor:
        """The contexts [B, H, T, K]."""
        library = _functions()
        assert library is not None
        out = _word_by_word(*self.q.shape)
        parts = [_heads(part) for part in (self.q, self.k, self.v, out)]
        if not library.jumok_attend(ctypes.byref(self.looks), *parts, self.weights.data_ptr()):
            raise MemoryError
        return out

    def backward(self, d_out: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The gradients of queries, keys and values."""
        library = _functions()
        assert library is not None
        d_out = _together(d_out)
        d_q, d_k, d_v = (_word_by_word(*part.shape) for part in (self.q, self.k, self.v))
        parts = [_heads(part) for part in (self.q, self.k, self.v, d_out)]
        made = [_heads(part) for part in (d_q, d_k, d_v)]
        if not library.jumok_attend_back(ctypes.byref(self.looks), *parts, self.weights.data_ptr(), *made):
            raise MemoryError
        return d_q, d_k, d_v
