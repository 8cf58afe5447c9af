"""Every source of randomness of a process, as tensors that can be saved and put back."""

import random
from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor


def seed_everything(seed: int, rank: int = 0) -> None:
    """Seeds torch, numpy and Python; each process of a parallel run draws its own dropout."""
    torch.manual_seed(seed * 1_000_003 + rank)
    np.random.seed((seed * 1_000_003 + rank) % 2**32)
    random.seed(seed * 1_000_003 + rank)


def capture(generators: Mapping[str, torch.Generator]) -> dict[str, Tensor]:
    """The state of torch (all devices), numpy, Python and the named generators."""
    kind, keys, position, has_gauss, gauss = np.random.get_state()
    assert kind == "MT19937"
    version, words, gauss_next = random.getstate()
    nothing = float("nan")
    state = {
        "torch": torch.get_rng_state(),
        "numpy_keys": torch.from_numpy(np.asarray(keys).astype(np.int64)),
        "numpy_rest": torch.tensor([position, has_gauss, gauss], dtype=torch.float64),
        "python_words": torch.tensor(words, dtype=torch.int64),
        "python_rest": torch.tensor([version, nothing if gauss_next is None else gauss_next], dtype=torch.float64),
    }
    state |= {f"generator.{name}": generator.get_state() for name, generator in generators.items()}
    if torch.cuda.is_available():
        state |= {f"cuda.{number}": one for number, one in enumerate(torch.cuda.get_rng_state_all())}
    return {name: value.clone() for name, value in state.items()}


def restore(state: Mapping[str, Tensor], generators: Mapping[str, torch.Generator]) -> None:
    """Puts a captured state back."""
    torch.set_rng_state(state["torch"])
    position, has_gauss, gauss = state["numpy_rest"].tolist()
    keys = state["numpy_keys"].numpy().astype(np.uint32)
    np.random.set_state(("MT19937", keys, int(position), int(has_gauss), gauss))
    version, gauss_next = state["python_rest"].tolist()
    rest = None if gauss_next != gauss_next else gauss_next
    random.setstate((int(version), tuple(state["python_words"].tolist()), rest))
    for name, generator in generators.items():
        if f"generator.{name}" in state:
            generator.set_state(state[f"generator.{name}"])
    if torch.cuda.is_available():
        for number in range(torch.cuda.device_count()):
            if f"cuda.{number}" in state:
                torch.cuda.set_rng_state(state[f"cuda.{number}"], number)
