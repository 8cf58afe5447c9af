"""What it means that gradients made in two ways are the same."""

from collections.abc import Sequence

from torch import Tensor


def assert_same_gradients(found: Sequence[Tensor], expected: Sequence[Tensor]) -> None:
    """No number is off by more than 1e-5 of the largest of its tensor.

    float32 sums in another order differ by about 1e-7 of what was added, and some gradients are such sums that come to
    nothing (a bias of all keys): 1e-6 of the largest gradient of all is allowed besides.
    """
    largest = max(gradient.abs().max().item() for gradient in expected)
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        off = (one - other).abs().max().item()
        assert off <= 1e-5 * other.abs().max().item() + 1e-6 * largest, (number, off, largest)
