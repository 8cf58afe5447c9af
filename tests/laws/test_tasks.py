"""What every task promises, for each row of the table: exact resume, intact files, stepping that equals the whole pass.

A new row is covered without another line here: it is trained on the data that comes with it, made small by those keys
of `SMALL` that it has.
"""

from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

import jumok
from jumok.config import config_class, resolve
from jumok.config.resolve import keys
from jumok.data.bucketing import Position
from jumok.errors import JumokError
from jumok.models.seq2seq import Seq2Seq
from jumok.run.folder import read_config
from jumok.run.names import METRICS, WEIGHTS
from jumok.tasks import TASKS, find_task, metrics_of
from jumok.tasks.task import Place
from jumok.tasks.training import begin, resume
from jumok.training.distributed import Processes
from jumok.training.events import Saved
from jumok.training.interrupt import Interrupts

STEPS, HALF = 4, 2
SMALL: dict[str, Any] = {
    "data.phrasebook_size": 200, "data.newsbook_size": 100, "data.picturebook_size": 100, "data.classes": 12,
    "data.drawings": 6, "data.size": 200, "data.batch": 8, "data.held_out": 50, "data.side": 16,
    "data.ways": 3, "data.queries": 2, "data.episodes": 2,
    "model.embedding": 8, "model.encoder.size": 8, "model.decoder.size": 8, "model.image_filters": 4,
    "model.filters": 3, "model.width": 4, "model.keys": [6, 10],
    "train.batch_tokens": 256, "train.schedule": "constant", "train.validate_every": HALF, "train.validate_size": 4,
    "train.save_every": HALF, "train.log_every": 1, "train.pictures": 0, "runtime.threads": 1,
}  # fmt: skip


def small(task: str) -> dict[str, Any]:
    """Keys of a run that is trained in a second or two."""
    tree: dict[str, Any] = {"task": task}
    for key in (key for key in SMALL if key in keys(config_class(task))):
        try:
            find_task(task).check_recipe(resolve({**tree, key: SMALL[key]}))
        except JumokError:  # less than the task allows, or a key of another meaning
            continue
        tree[key] = SMALL[key]
    return tree


def train(task: str, folder: Path, until: int | None = None) -> Path:
    """A new run, left after the checkpoint of a step, or trained to its end."""
    tree = {**small(task), "train.max_steps": STEPS}
    with closing(iter(begin(resolve(tree), set(tree), folder))) as events:
        for event in events:
            if isinstance(event, Saved) and event.step == until:
                break
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Callable[[str], Path]:
    """A trained run of a task, the same at each call."""
    return cache(lambda task: train(task, tmp_path_factory.mktemp(task) / "whole"))


@pytest.fixture(params=list(TASKS))
def run(request, runs) -> Path:
    """A trained run of each task."""
    return runs(request.param)


def test_a_run_that_was_interrupted_ends_bit_for_bit_like_one_that_was_not(run, tmp_path):
    parts = train(read_config(run).task, tmp_path / "parts", HALF)
    for _ in resume(parts):
        pass
    assert (parts / WEIGHTS).read_bytes() == (run / WEIGHTS).read_bytes()
    assert (parts / METRICS).read_text() == (run / METRICS).read_text()


def test_a_changed_bit_is_refused(run):
    jumok.load(run)
    content = (run / WEIGHTS).read_bytes()
    try:
        (run / WEIGHTS).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(JumokError, match=WEIGHTS):
            jumok.load(run)
    finally:
        (run / WEIGHTS).write_bytes(content)


def test_the_metrics_of_a_run_are_those_that_its_task_describes(run):
    described = {f"valid_{metric.name}" for metric in metrics_of(read_config(run).task)}
    assert described
    written = (run / METRICS).read_text()
    assert any(f'"{name}"' in written for name in described), described


@pytest.mark.parametrize("task", [name for name in TASKS if "model.decoder.kind" in keys(config_class(name))])
def test_stepping_equals_the_whole_pass_on_the_tasks_own_batch(task, runs, monkeypatch):
    folder = runs(task)
    place = Place(Processes(), torch.device("cpu"), Interrupts(), {})
    config = read_config(folder)
    setup = find_task(task).setup(find_task(task).open(folder, config), place, None)
    model = setup.learner.model.eval()
    assert isinstance(model, Seq2Seq)
    _, batch = next(setup.batches(Position()))
    read = []
    encode = model.encode
    monkeypatch.setattr(model, "encode", lambda *given: read.append(encode(*given)) or read[-1])
    with torch.no_grad():
        whole_BTV, _ = model(batch)
        state = model.init_state(read[-1])
        for t, word_B in enumerate(batch.target_in_BT[:, :7].unbind(1)):
            output, state = model.step(word_B, state)
            torch.testing.assert_close(output.logits_BV, whole_BTV[:, t])
