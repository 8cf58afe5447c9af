"""Checkpoints: the same bytes back, damage is found and named, a full disk leaves the old ones whole."""

import json
import random
import resource
import signal

import numpy as np
import pytest
import torch

from jumok.durable import write_file
from jumok.errors import WriteError
from jumok.run.names import steps_in
from jumok.training import checkpoint as checkpoints
from jumok.training import random_state
from jumok.training.checkpoint import Checkpoint
from jumok.training.report import cut_back
from jumok.training.tensor_file import pack


def example(step: int, scheduled: bool = True, size: int = 7) -> Checkpoint:
    values = torch.arange(size, dtype=torch.float32) + step
    tensors = {"model": {"b": values, "a": values.double()}, "random": {"x": torch.arange(5, dtype=torch.uint8)}}
    return Checkpoint(step, tensors, {"scheduled": scheduled, "third": 1 / 3})


def test_round_trip_is_exact(tmp_path):
    checkpoints.save(tmp_path, example(3))
    found = checkpoints.load(tmp_path / "3")
    assert found.step == 3
    assert found.state["third"] == 1 / 3
    for group, tensors in example(3).tensors.items():
        for name, value in tensors.items():
            assert torch.equal(found.tensors[group][name], value)
            assert found.tensors[group][name].dtype == value.dtype


def test_the_same_tensors_give_the_same_bytes():
    tensors = {f"layer.{n}": torch.full((n + 1,), float(n)) for n in range(40)}
    assert pack(tensors) == pack(dict(reversed(list(tensors.items()))))


@pytest.mark.parametrize("name", ["model.safetensors", "state.json", "manifest.json"])
@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_a_damaged_checkpoint_is_named_and_the_one_before_is_used(tmp_path, name, damage):
    for step in (5, 10):
        checkpoints.save(tmp_path, example(step))
    path = tmp_path / "10" / name
    content = bytearray(path.read_bytes())
    if damage == "remove":
        path.unlink()
    else:
        content[len(content) // 2] ^= 1
        path.write_bytes(content[:-9] if damage == "cut" else content)
    warnings: list[str] = []
    found = checkpoints.latest(tmp_path, warnings.append)
    assert found is not None
    assert found.step == 5
    assert len(warnings) == 1
    assert str(tmp_path / "10") in warnings[0]


def test_a_damaged_checkpoint_is_replaced_by_the_new_one_of_its_step(tmp_path):
    checkpoints.save(tmp_path, example(5))
    (tmp_path / "5" / "state.json").write_bytes(b"")
    checkpoints.save(tmp_path, example(5))
    assert checkpoints.load(tmp_path / "5").step == 5
    assert [path.name for path in tmp_path.iterdir()] == ["5"]


def test_pruning_keeps_the_newest_and_forgets_those_made_for_a_signal(tmp_path):
    for step, scheduled in ((5, True), (7, False), (10, True), (15, True), (16, False)):
        checkpoints.save(tmp_path, example(step, scheduled))
    checkpoints.prune(tmp_path, 2, 16)
    assert [path.name for path in steps_in(tmp_path)] == ["10", "15", "16"]
    averaged = checkpoints.weights_for_average(tmp_path, 2)
    assert [float(state["b"][0]) for state in averaged] == [10, 15]


def test_pruning_keeps_what_was_just_written_before_a_damaged_one(tmp_path):
    for step, scheduled in ((4, True), (8, True), (9, False), (12, True)):
        checkpoints.save(tmp_path, example(step, scheduled))
    checkpoints.prune(tmp_path, 2, 9)  # 12 could not be read: the run went on from 8
    assert [path.name for path in steps_in(tmp_path)] == ["4", "8", "9"]


def test_a_full_disk_says_so_and_leaves_the_last_checkpoint(tmp_path):
    """A real refusal of the kernel: no file may grow beyond 64 KB."""
    checkpoints.save(tmp_path, example(5))
    write_file(tmp_path / "model.safetensors", b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, limits[1]))
    try:
        with pytest.raises(WriteError, match=r"disk is full.*intact"):
            checkpoints.save(tmp_path, example(10, size=100_000))
        with pytest.raises(WriteError, match="disk is full"):
            write_file(tmp_path / "model.safetensors", b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["5", "model.safetensors"]
    assert (tmp_path / "model.safetensors").read_bytes() == b"old"
    found = checkpoints.latest(tmp_path, pytest.fail)
    assert found is not None
    assert found.step == 5


def test_every_generator_is_put_back():
    generator = torch.Generator().manual_seed(7)
    random_state.seed_everything(11)
    random.gauss(0, 1)  # leaves a second number waiting
    np.random.standard_normal()

    def draw() -> list[float]:
        own = torch.rand(3, generator=generator).tolist()
        return [*torch.rand(3).tolist(), *own, random.gauss(0, 1), random.random(), *np.random.standard_normal(3)]

    saved = random_state.capture({"coins": generator})
    first = draw()
    random_state.restore(saved, {"coins": generator})
    assert draw() == first


def test_metrics_are_cut_back_to_whole_lines_of_the_checkpoint():
    lines = [json.dumps({"step": step, "loss": 1.5}).encode() + b"\n" for step in (20, 40, 40, 60)]
    content = b"".join(lines) + b'{"step": 8'
    assert cut_back(content, 40) == b"".join(lines[:3])
    assert cut_back(content, 10) == b""
