"""The coverage loss is the paper's sum, and is switched on late."""

import math

import pytest
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.errors import ConfigError
from jumok.models.build import build_model
from jumok.tasks.translation.objective import objective_of
from jumok.training.loss import coverage_loss
from jumok.training.objective import TIME_SHARE

SIZES = ["model.encoder.size=12", "model.decoder.size=12", "model.embedding=12", "model.dropout=0"]


def test_it_is_the_sum_written_out() -> None:
    torch.manual_seed(2)
    weights_BTS = torch.rand(2, 5, 7).double().softmax(-1)
    mask_BT = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    expected = 0.0
    for b in range(2):
        covered = [0.0] * 7
        for t in range(5):
            row = weights_BTS[b, t].tolist()
            expected += sum(map(min, row, covered)) * bool(mask_BT[b, t])
            covered = [one + other for one, other in zip(covered, row, strict=True)]
    assert float(coverage_loss(weights_BTS, mask_BT)) == pytest.approx(expected, abs=1e-12)
    still = torch.eye(4)[None]
    assert float(coverage_loss(still, torch.ones(1, 4, dtype=torch.bool))) == 0.0


@pytest.mark.parametrize("preset", ["rnnsearch", "luong", "transformer"])
def test_it_counts_from_its_step_on(preset: str) -> None:
    heads = ["model.encoder.heads=2", "model.decoder.heads=2"] if preset == "transformer" else []
    keys = [f"model.preset={preset}", *SIZES, *heads, "train.coverage_loss=0.5", "train.max_steps=100"]
    config = resolve({"task": "summarisation"}, keys)
    torch.manual_seed(3)
    model = build_model(config.model, 20, 20).eval()  # pyright: ignore
    objective = objective_of(config.train)
    assert objective.coverage_from == 90
    batch = Batch.of([[5, 7, 8, 7]], [[7, 12, 9]], [0])
    before, after = (objective(model, batch, step, torch.Generator(), {}) for step in (89, 90))
    again = float(after.sums["coverage"])
    assert 0 < again == float(before.sums["coverage"])
    assert float((after.total - before.total).detach()) == pytest.approx(0.5 * again, rel=1e-4)
    assert math.isfinite(float(after.total.detach()))


def test_under_a_limit_of_time_it_counts_from_nine_tenths_of_it() -> None:
    keys = ["model.preset=luong", *SIZES, "train.coverage_loss=0.5", "train.max_minutes=1"]
    batch = Batch.of([[5, 7, 8, 7]], [[7, 12, 9]], [0])
    for more, added in (([], True), (["train.coverage_from=100"], False)):
        config = resolve({"task": "summarisation"}, [*keys, *more])
        model = build_model(config.model, 20, 20).eval()  # pyright: ignore
        objective = objective_of(config.train)
        early, late = (objective(model, batch, 1, torch.Generator(), {TIME_SHARE: share}) for share in (0.89, 0.9))
        assert (float(late.total.detach()) > float(early.total.detach())) is added


def test_what_has_no_attention_is_refused() -> None:
    config = resolve({}, ["model.preset=seq2seq", "train.coverage_loss=1"])
    with pytest.raises(ConfigError, match="coverage_loss"):
        objective_of(config.train).check(build_model(config.model, 9, 9), has_links=False)  # pyright: ignore
