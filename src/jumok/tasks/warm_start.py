"""`train.init_from`: a network that starts from the weights of another run, where names and shapes agree."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TypeVar

from safetensors import SafetensorError, safe_open
from safetensors.torch import load as read_tensors
from torch import nn

from jumok.config import Config
from jumok.errors import RunError
from jumok.run.integrity import check_file, checked
from jumok.run.names import WEIGHTS
from jumok.tasks.task import Place, Say
from jumok.training.random_state import seed_everything

Own = TypeVar("Own", bound=Config)
Network = TypeVar("Network", bound=nn.Module)


def new_network(build: Callable[[Own], Network], config: Own, place: Place, say: Say | None) -> Network:
    """A network to train: the same start in every process; afterwards each draws its own dropout.

    `say` hears of weights taken from another run; a resumed run, which has those of its checkpoint, gives none.
    """
    seed_everything(config.seed)
    network = build(config)
    if config.train.init_from and say is not None:
        say(take_weights(network, Path(config.train.init_from)))
    network.to(place.device)
    seed_everything(config.seed, place.processes.rank)
    return network


def weights_of(run: Path) -> Path:
    """The weights of a run folder, or the file itself."""
    path = run / WEIGHTS if run.is_dir() else run
    if not path.is_file():
        raise RunError(f"train.init_from: there is no {path}.")
    return path


def check_fit(network: nn.Module, run: Path, apart: Collection[str] = ()) -> None:
    """Raises unless some weight of the run, those of `apart` aside, fits; reads names and shapes only."""
    path = weights_of(run)
    check_file(path)
    try:
        with safe_open(path, framework="pt") as file:
            given = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise RunError(f"train.init_from: {path} cannot be read: {error}.") from None
    own = {name: tuple(value.shape) for name, value in network.state_dict().items() if name not in apart}
    # A single number, such as how many batches a norm has seen, fits everywhere and says nothing.
    if not any(shape and given.get(name) == shape for name, shape in own.items()):
        raise RunError(
            f"train.init_from: no weight of {path} fits this model; give both the same kind, cells and sizes."
        )


def take_weights(network: nn.Module, run: Path, apart: Collection[str] = ()) -> str:
    """Takes the weights of another run that fit, those of `apart` aside; tells what was taken and what is new."""
    with checked(weights_of(run)) as content:
        own, given = network.state_dict(), read_tensors(content.bytes)
    fitting = {
        name: value
        for name, value in given.items()
        if name in own and own[name].shape == value.shape and name not in apart
    }
    network.load_state_dict(own | fitting)
    fresh = [name for name in own if name not in fitting]
    rest = f"; new: {', '.join(fresh)}" if fresh else ""
    return f"Started from {run}: {len(fitting)} of {len(own)} weights taken{rest}."
