"""A network filled with the weights of a run: what does not fit names the file, what is unknown names the plugins."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from torch import Tensor, nn

from jumok.errors import JumokError, RunError
from jumok.run.integrity import check_listed, checked, not_finite
from jumok.run.names import WEIGHTS

Network = TypeVar("Network", bound=nn.Module)


def usable_device(device: str | torch.device) -> torch.device:
    """The device of a name, which must work here."""
    try:
        found = torch.device(device)
        torch.empty(0, device=found)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).strip().splitlines()[0]
        raise RunError(f"The device '{device}' cannot be used: {reason}.") from None
    if found.type == "meta":
        raise RunError("The device 'meta' cannot be used: it holds no numbers.")
    return found


def stored_network(
    build: Callable[[], Network],
    folder: Path,
    plugins: Sequence[str],
    device: torch.device,
    weights: Path | None = None,
) -> Network:
    """The network of a run, ready to use; `weights` takes those of a snapshot or checkpoint, not the best ones."""
    path = weights or folder / WEIGHTS
    check_listed(folder, but=WEIGHTS)
    with building(folder, plugins):
        network = build()
    with checked(path) as content:
        fill(network, tensors_of(content.bytes, path), path)
    return network.to(device).eval()


@contextmanager
def building(folder: Path, plugins: Sequence[str]) -> Iterator[None]:
    """Says of a network that cannot be built which run it is of, and which plugins the user may want to load.

    They are named, not executed: a run folder comes from anywhere.
    """
    try:
        yield
    except JumokError as error:
        where = f"; load the plugins that define it: {', '.join(plugins)}." if plugins else "."
        raise RunError(f"The model of {folder} cannot be built: {str(error).rstrip('.')}{where}") from None


def tensors_of(content: bytes, path: Path) -> dict[str, Tensor]:
    """The tensors of a file of weights; those in half precision as the float32 that networks compute in."""
    try:
        found = read_tensors(content)
    except (SafetensorError, ValueError, KeyError) as error:
        raise RunError(f"{path} is damaged: {error}.") from None
    for name, value in found.items():
        # The sum is not finite when any number is not; sums that are too large decide nothing.
        if value.is_floating_point() and not value.sum().isfinite() and not value.isfinite().all():
            raise RunError(not_finite(path, name))
    return {name: value.float() if value.dtype == torch.float16 else value for name, value in found.items()}


def fill(network: nn.Module, tensors: Mapping[str, Tensor], path: Path) -> None:
    """Gives the network its weights, whose names and shapes must be those that it has."""
    _check_fit(network.state_dict(), tensors, path)
    network.load_state_dict(tensors, strict=True, assign=True)


def _check_fit(expected: Mapping[str, Tensor], found: Mapping[str, Tensor], path: Path) -> None:
    """Raises unless names and shapes are those of the model."""
    for name in sorted({*expected, *found}):
        if name not in found:
            raise RunError(f"{path} lacks the tensor '{name}' that config.json asks for; it belongs to another model.")
        if name not in expected:
            raise RunError(f"{path} has a tensor '{name}' that config.json does not know; it belongs to another model.")
        want, have = tuple(expected[name].shape), tuple(found[name].shape)
        if want != have:
            raise RunError(
                f"{path}: '{name}' has shape {have}, but config.json and the vocabulary need {want}; "
                "copy the complete run folder."
            )
