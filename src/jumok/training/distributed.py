"""Several processes that train one model: each takes its share of every batch, gradients are added up.

Started by torchrun (`torchrun --nproc-per-node=2 -m jumok train …`); a run without it is a group of one, and
the loop does not know the difference.
"""

import os
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore, Store
from torch.distributed.rendezvous import rendezvous

from jumok.errors import TrainingError


@dataclass(frozen=True)
class Processes:
    """This process's place among those that train together."""

    rank: int = 0
    world: int = 1
    local_rank: int = 0
    local_world: int = 1

    @property
    def writer(self) -> bool:
        """True for the one process that writes files and talks."""
        return self.rank == 0

    def add_up(self, values: Sequence[float], device: torch.device) -> list[float]:
        """Each value summed over all processes."""
        if self.world == 1:
            return list(values)
        total = torch.tensor(list(values), dtype=torch.float64, device=device)
        dist.all_reduce(total)
        return total.tolist()

    def add_gradients(self, gradients: Sequence[Tensor]) -> None:
        """Sums gradients over all processes, in place, as one message."""
        if self.world == 1:
            return
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        start = 0
        for gradient in gradients:
            gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
            start += gradient.numel()

    def from_writer(self, values: Sequence[float], device: torch.device) -> list[float]:
        """The writer's values in every process; all give lists of the same length."""
        if self.world == 1:
            return list(values)
        shared = torch.tensor(list(values), dtype=torch.float64, device=device)
        dist.broadcast(shared, 0)
        return shared.tolist()

    def send_from_writer(self, tensors: Sequence[Tensor]) -> None:
        """Gives the tensors of every process the writer's values, in place."""
        if self.world > 1:
            for tensor in tensors:
                dist.broadcast(tensor, 0)

    def gather_bytes(self, content: bytes, device: torch.device) -> list[bytes]:
        """Every process's bytes, in order of rank."""
        if self.world == 1:
            return [content]
        sizes = [torch.zeros(1, dtype=torch.int64, device=device) for _ in range(self.world)]
        dist.all_gather(sizes, torch.tensor([len(content)], device=device))
        longest = int(max(size.item() for size in sizes))
        padded = torch.zeros(longest, dtype=torch.uint8, device=device)
        padded[: len(content)] = torch.frombuffer(bytearray(content), dtype=torch.uint8).to(device)
        parts = [torch.zeros_like(padded) for _ in range(self.world)]
        dist.all_gather(parts, padded)
        return [bytes(part[: int(size.item())].tolist()) for part, size in zip(parts, sizes, strict=True)]

    def wait(self) -> None:
        """Returns when every process has come here."""
        if self.world > 1:
            dist.barrier()


def started_by_torchrun() -> bool:
    """True in a process that torchrun started."""
    return "TORCHELASTIC_RUN_ID" in os.environ and "RANK" in os.environ


def restarted() -> bool:
    """True if torchrun started these processes again after one of them had died."""
    return started_by_torchrun() and int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")) > 0


MARK = ".torchrun"


def mark_as_own(folder: Path) -> None:
    """Notes which torchrun began a run, so that a restart knows it again."""
    if started_by_torchrun():
        (folder / MARK).write_text(_torchrun(), encoding="utf-8")


def own_folder(folders: Iterable[Path]) -> Path | None:
    """The one among the folders whose run this torchrun began before it restarted its processes."""
    for folder in folders:
        try:
            if (folder / MARK).read_text(encoding="utf-8") == _torchrun():
                return folder
        except OSError:
            continue
    return None


def _torchrun() -> str:
    """The run's id where it was given one; else the process that started this one, which outlives restarts."""
    name = os.environ.get("TORCHELASTIC_RUN_ID", "none")
    return f"process {os.getppid()}" if name == "none" else f"id {name}"


@contextmanager
def join(device: str) -> Iterator[Processes]:
    """This process as a member of its group, which is left at the end: gloo on a CPU, nccl on GPUs."""
    if not started_by_torchrun():
        yield Processes()
        return
    place = Processes(*(int(os.environ[key]) for key in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")))
    if place.world > 1:
        backend = "nccl" if device.startswith("cuda") else "gloo"
        store = _shared_store()
        store = PrefixStore(agree_on_name(store, place), store)
        dist.init_process_group(backend, store=store, rank=place.rank, world_size=place.world, timeout=PATIENCE)
    try:
        yield place
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


# How long one process may work alone (text is prepared by one) before the others give up.
PATIENCE = timedelta(hours=24)
# How long the processes of a group may take until all of them have started.
MEETING = timedelta(minutes=10)


def _shared_store() -> Store:
    """The store that torchrun keeps for all processes, also over restarts."""
    store, _, _ = next(rendezvous("env://"))
    return store


def agree_on_name(store: Store, place: Processes) -> str:
    """A name that only the processes now alive share.

    Torchrun's store outlives a restart and still holds the addresses of processes that have died, to which gloo would
    try to connect; its count of restarts differs between machines. So each process leaves a word of its own, and the
    first answers every word it finds, also dead ones, until each of the others has confirmed the name.
    """
    deadline = time.monotonic() + MEETING.total_seconds()
    if place.rank > 0:
        mine = uuid.uuid4().hex
        store.set(f"here/{place.rank}", mine)
        store.wait([f"name/{mine}"], MEETING)
        name = store.get(f"name/{mine}").decode()
        store.set(f"{name}/{place.rank}", "heard")
        return name
    name = uuid.uuid4().hex
    missing = set(range(1, place.world))
    while missing:
        for rank in sorted(missing):
            if store.check([f"here/{rank}"]):
                store.set(f"name/{store.get(f'here/{rank}').decode()}", name)
        missing = {rank for rank in missing if not store.check([f"{name}/{rank}"])}
        if missing and time.monotonic() > deadline:
            raise TrainingError(f"Process {min(missing)} of {place.world} did not start within {MEETING}.")
        time.sleep(0.01 if missing else 0)
    return name
