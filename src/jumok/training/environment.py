"""The machine a run is on: set up for repeatable arithmetic, recorded, and compared at resume."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import torch

from jumok.compiled import kernels
from jumok.errors import ConfigError


def set_up(threads: int, deterministic: bool, processes: int = 1) -> int:
    """Sets threads and deterministic algorithms; gives the number of threads."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = threads or max(1, cores // processes)
    # Before the first parallel operation, so that the threads inherit it: an exponential that underflows to a
    # denormal number is many times slower than one that becomes zero.
    torch.set_flush_denormal(True)
    torch.set_num_threads(threads)
    if deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
        # Filling fresh memory is a help for finding bugs, not for repeating a run, and costs time.
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    return threads


@contextmanager
def prepared(threads: int, deterministic: bool, processes: int = 1, products: str = "float32") -> Iterator[int]:
    """`set_up` for as long as it lasts: a program that trains keeps its own settings of torch afterwards."""
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    exact = torch.get_float32_matmul_precision()
    try:
        if products == "bfloat16":
            torch.set_float32_matmul_precision("medium")
        yield set_up(threads, deterministic, processes)
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])
        torch.set_float32_matmul_precision(exact)


def find_device(name: str, local_rank: int = 0) -> torch.device:
    """The device of a config key; `cuda` alone means this process's own."""
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(f"runtime.device '{name}' is no device; use cpu, cuda or cuda:0.") from None
    if device.type not in ("cpu", "cuda") and not _is_here(device.type):
        raise ConfigError(f"runtime.device is {name}, which this machine does not have; use cpu, cuda or cuda:0.")
    if device.type == "cuda":
        if not torch.cuda.is_available():
            raise ConfigError(f"runtime.device is {name} but torch finds no CUDA device; use runtime.device=cpu.")
        device = torch.device("cuda", local_rank if device.index is None else device.index)
        torch.cuda.set_device(device)
    return device


def _is_here(kind: str) -> bool:
    """Whether a device that is neither a CPU nor CUDA can be computed on."""
    module = getattr(torch.backends, kind, None) or getattr(torch, kind, None)
    available = getattr(module, "is_available", None)
    return bool(available and available())


def describe(threads: int, world: int, device: torch.device) -> dict[str, Any]:
    """What decides the last bits of a result."""
    return {
        "cpu": cpu_model(),
        "torch": torch.__version__,
        "torch_build": sha256(torch.__config__.show().encode()).hexdigest()[:16],
        "threads": threads,
        "processes": world,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "kernels": "compiled" if kernels.available() else "torch",
    }


def differences(saved: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """One phrase for each thing that is not as it was when the checkpoint was made."""
    return [
        f"{key} was {saved[key]} and is {value}" for key, value in now.items() if key in saved and saved[key] != value
    ]


def cpu_model() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    wanted = ("model name", "cpu family", "model", "stepping")
    found = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    parts = [found[key] for key in wanted if key in found]
    return " ".join(parts) or platform.processor() or platform.machine()
