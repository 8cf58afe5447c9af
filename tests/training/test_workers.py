"""Sharing a batch among processes changes who works, not what is learned."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.models.build import build_model
from jumok.training import shares, teacher_forcing
from jumok.training.distributed import Processes
from jumok.training.learner import Learner
from jumok.training.sequence_objective import SequenceObjective

ROOT = Path(__file__).parents[2]


@pytest.fixture
def two_threads():
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(threads)


def learner(preset: str, dropout: float, *keys: str) -> Learner:
    small = ["model.encoder.size=12", "model.decoder.size=12", f"model.dropout={dropout}", *keys]
    config = resolve({}, [f"model.preset={preset}", *small])
    torch.manual_seed(7)
    model = build_model(config.model, 31, 31)
    objective = SequenceObjective(0.1, teacher_forcing.parse("always"))
    return Learner.of_model(model, objective, config.train, torch.device("cpu"), "float32", Processes(), 1)


def batch(count: int = 67) -> Batch:
    draw = torch.Generator().manual_seed(3)
    sizes = torch.randint(3, 23, (count, 2), generator=draw).tolist()
    rows = [[torch.randint(4, 31, (size,), generator=draw).tolist() for size in pair] for pair in sizes]
    return Batch.of([row[0] for row in rows], [row[1] for row in rows], range(count))


class Keeping(torch.nn.Identity):
    """A user's own part."""


@pytest.mark.usefixtures("two_threads")
def test_a_model_with_parts_that_we_do_not_know_is_not_shared():
    someone = learner("rnnsearch", 0.1)
    assert shares.may_share(someone.model)
    someone.model.encoder.add_module("own", Keeping())
    assert not shares.may_share(someone.model)


@pytest.mark.parametrize("case", ["add_up", "repeat", "error", "killed", "left"])
def test_processes(case):
    """In a process of its own, so that what this one has done does not matter."""
    command = [sys.executable, "-m", "tests.training.forked", case]
    done = subprocess.run(command, capture_output=True, text=True, timeout=550, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, f"{case} holds"), done.stderr[-3000:]


def test_shares_are_the_sentences_of_the_batch():
    whole = batch(11)
    parts = [whole.share(rank, 3) for rank in range(3)]
    assert sum(part.target_tokens for part in parts) == whole.target_tokens
    assert sum(part.source_tokens for part in parts) == whole.source_tokens
    assert sorted(int(n) for part in parts for n in part.index_B) == list(range(11))
    for part in parts:
        assert part.target_mask_BT.any(0).all()
        assert part.source_mask_BS.any(0).all()
