"""The coverage loss is the paper's sum, and is switched on late."""

import math

import pytest
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.errors import ConfigError
from jumok.models.build import build_model
from jumok.models.heads import LinearHead
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


HEADS = ["model.preset=transformer", *SIZES, "model.encoder.heads=3", "model.decoder.heads=3", "model.decoder.layers=2"]


@pytest.mark.parametrize(
    ("keys", "layer", "heads"),
    [
        ([], 1, [0, 1, 2]),
        (["model.head.layer=0"], 0, [0, 1, 2]),
        (["model.head.layer=0", "model.head.head=2"], 0, [2]),
        (["model.head.own=true"], None, []),
        (["model.head.kind=linear"], 1, [0, 1, 2]),
    ],
)
def test_it_is_of_the_attention_that_copies(keys: list[str], layer: int | None, heads: list[int]) -> None:
    config = resolve({"task": "summarisation"}, [*HEADS, *keys, "train.coverage_loss=0.5", "train.max_steps=100"])
    torch.manual_seed(3)
    model = build_model(config.model, 20, 20).eval()  # pyright: ignore
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.mul_(2.0)
    batch = Batch.of([[5, 7, 8, 7], [6, 9]], [[7, 12, 9], [5]], [0, 1])
    memory = model.encode(batch.source)
    decoded = model.decode(memory, batch.target_in_BT, need_weights=True)
    if layer is None:
        weights_BTS = model.head.copying(decoded.outputs_BTD, memory, [])  # pyright: ignore
    else:
        weights_BTS = decoded.attention.cross[layer][:, heads].mean(1)
    expected = float(coverage_loss(weights_BTS, batch.target_mask_BT).detach())
    objective = objective_of(config.train)
    objective.check(model, has_links=False)
    found = objective(model, batch, 95, torch.Generator(), {})
    assert float(found.sums["coverage"]) == pytest.approx(expected, rel=1e-5)
    assert isinstance(model.head, LinearHead) is ("model.head.kind=linear" in keys)
    # In steps, as a search sees it, the head copies by the same weights.
    state = model.init_state(memory)
    for t in range(batch.target_in_BT.shape[1]):
        output, state = model.step(batch.target_in_BT[:, t], state, need_weights=True)
        if isinstance(model.head, LinearHead):
            assert output.attention.copied is None
        else:
            torch.testing.assert_close(output.attention.copied[:, 0], weights_BTS[:, t], rtol=1e-4, atol=1e-5)


def test_attention_of_its_own_needs_the_true_words() -> None:
    keys = [*HEADS, "model.head.own=true", "train.coverage_loss=0.5", "train.teacher_forcing=0.5"]
    config = resolve({"task": "summarisation"}, keys)
    with pytest.raises(ConfigError, match=r"model\.head\.own=true needs train\.teacher_forcing=always"):
        objective_of(config.train).check(build_model(config.model, 20, 20), has_links=False)  # pyright: ignore
    config = resolve({"task": "summarisation"}, [*HEADS, "train.coverage_loss=0.5", "train.teacher_forcing=0.5"])
    objective, model = objective_of(config.train), build_model(config.model, 20, 20)  # pyright: ignore
    objective.check(model, has_links=False)
    batch = Batch.of([[5, 7, 8, 7]], [[7, 12, 9]], [0])
    assert float(objective(model, batch, 1, torch.Generator().manual_seed(1), {}).sums["coverage"]) > 0
