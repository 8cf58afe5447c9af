"""Drawing words instead of choosing the likeliest, the same draw for the same sentence in any company.

The random number of a step is a hash of (seed, sentence, draw, step), not the next one of a stream: neither the
other sentences of the batch nor its order can change it.
"""

import torch
from torch import Tensor

from jumok.decoding.greedy import Choose
from jumok.decoding.options import Sampling

_MASK = (1 << 64) - 1


def _signed(value: int) -> int:
    """The 64 bits as torch's int64 holds them."""
    value &= _MASK
    return value - (1 << 64) if value >> 63 else value


def _shift_right(x: Tensor, by: int) -> Tensor:
    """The logical shift of 64 bits that int64's own, which keeps the sign, is not."""
    return (x >> by) & ((1 << (64 - by)) - 1)


def scramble(x: Tensor) -> Tensor:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the input moves all of the output."""
    x = x + _signed(0x9E3779B97F4A7C15)
    x = (x ^ _shift_right(x, 30)) * _signed(0xBF58476D1CE4E5B9)
    x = (x ^ _shift_right(x, 27)) * _signed(0x94D049BB133111EB)
    return x ^ _shift_right(x, 31)


def sentence_keys(sources: list[list[int]], draws: list[int], seed: int) -> Tensor:
    """One 64-bit key for each sentence's tokens, draw and the seed."""
    keys: list[int] = []
    for ids, draw in zip(sources, draws, strict=True):
        key = seed & _MASK
        for value in (draw, len(ids), *ids):
            key = ((key ^ value) * 0x100000001B3 + 0x9E3779B97F4A7C15) & _MASK
        keys.append(_signed(key))
    return scramble(torch.tensor(keys, dtype=torch.long))


def uniform(key_N: Tensor, step: int) -> Tensor:
    """A number in [0, 1) for each key at this step."""
    bits_N = scramble(key_N ^ _signed((step + 1) * 0xD1342543DE82EF95))
    return _shift_right(bits_N, 11).double() * 2.0**-53


def filtered(logits_NV: Tensor, sampling: Sampling) -> tuple[Tensor, Tensor]:
    """Probabilities in falling order [N, V] after temperature, top-k and top-p, and the tokens they belong to."""
    sorted_NV, token_NV = (logits_NV.double() / sampling.temperature).sort(dim=-1, descending=True, stable=True)
    if sampling.top_k:
        sorted_NV, token_NV = sorted_NV[:, : sampling.top_k], token_NV[:, : sampling.top_k]
    prob_NV = sorted_NV.softmax(dim=-1)
    if sampling.top_p < 1:
        # A word stays while those before it have not reached p: the first always does.
        before_NV = prob_NV.cumsum(dim=-1) - prob_NV
        prob_NV = prob_NV.masked_fill(before_NV >= sampling.top_p, 0.0)
        prob_NV = prob_NV / prob_NV.sum(dim=-1, keepdim=True)
    return prob_NV, token_NV


def draw(logits_NV: Tensor, key_N: Tensor, step: int, sampling: Sampling) -> Tensor:
    """One token per row by inverting the cumulative distribution."""
    prob_NV, token_NV = filtered(logits_NV, sampling)
    cumulative_NV = prob_NV.cumsum(dim=-1)
    mark_N1 = uniform(key_N, step).to(prob_NV.device)[:, None] * cumulative_NV[:, -1:]
    place_N1 = torch.searchsorted(cumulative_NV, mark_N1, right=True)
    # Rounding may point past the last word that has any probability.
    # Where no word may follow, the first is drawn, and the search says that it is impossible.
    last_N1 = ((prob_NV > 0).sum(dim=-1, keepdim=True) - 1).clamp(min=0)
    return token_NV.gather(1, torch.minimum(place_N1, last_N1))[:, 0]


def drawing(sampling: Sampling, key_B: Tensor) -> Choose:
    """Draws the words of one path per sentence; `key_B` are its `sentence_keys`."""

    def drawn(logits_NV: Tensor, row_N: Tensor, step: int) -> Tensor:
        return draw(logits_NV, key_B.to(row_N.device)[row_N], step, sampling)

    return drawn
