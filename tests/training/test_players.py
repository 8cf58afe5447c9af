"""Two players through the same loop: turns, named losses, buffers, files, lines, and exact resume after a signal."""

import io
import json
import signal

import pytest
import torch
from safetensors.torch import load_file

from jumok.errors import TrainingError
from jumok.training import checkpoint as checkpoints
from jumok.training.curves import curves_svg, read_metrics
from jumok.training.events import Logged, StepDone, Stopped
from jumok.training.loop import train
from jumok.training.optimizer import MovingAverage, average
from jumok.training.report import LogLines, MetricsFile, Pictures, TimingFile
from jumok.training.shares import may_share
from tests.training import points_gan
from tests.training.points_gan import build_learner, points
from tests.training.test_loop import told

STEPS = ("train.max_steps=12", "train.validate_every=6", "train.save_every=4", "train.log_every=5", "train.ema=0.9")


def state_of(learner) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in learner.model.state_dict().items()}


def changed(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor], part: str) -> bool:
    return any(not torch.equal(value, after[name]) for name, value in before.items() if name.startswith(part))


def test_only_the_player_whose_turn_it_is_moves():
    learner = build_learner()
    parameters = {name for name, _ in learner.model.named_parameters()}
    for turn, name in enumerate(points_gan.TURNS):
        before = state_of(learner)
        learner.apply(learner.step([points(turn)], 16, 0.0, turn))
        after = state_of(learner)
        for player in ("generator", "discriminator"):
            own = {key: value for key, value in before.items() if key in parameters}
            assert changed(own, after, player) == (player == name)
        assert learner.progress.step == (1 if turn == 2 else 0)
    assert all(parameter.requires_grad and parameter.grad is None for parameter in learner.model.parameters())


def test_a_turn_has_the_gradient_of_its_loss_alone():
    """Batches that are added up weigh as their points, and nothing of the turn before is left in the gradient."""
    learner = build_learner("train.clip=0")
    learner.apply(learner.step([points(0)], 16, 0.0, 0))
    torch.manual_seed(3)
    learner.step([points(1, 5), points(2, 11)], 16, 0.0, 1)
    found = [gradient.clone() for gradient in learner.players[1].optimizer.gradients()]
    learner.forget()

    other = build_learner("train.clip=0")
    other.apply(other.step([points(0)], 16, 0.0, 0))
    torch.manual_seed(3)
    player, parts = other.players[1], [points(1, 5), points(2, 11)]
    total = sum(player.objective(other.model, part, 1, other.coins, {}).total for part in parts) / 16
    expected = torch.autograd.grad(total, player.parameters)
    for one, same in zip(found, expected, strict=True):
        torch.testing.assert_close(one, same)


def test_losses_are_averaged_over_what_the_objective_says():
    learner = build_learner()
    result = learner.step([points(1, 5), points(2, 11)], 16, 0.0, 0)
    assert result.tally.counts == {"loss": 16, "right": 16, "largest": 2}
    means = result.tally.means()
    assert means["largest"] == result.tally.sums["largest"] / 2
    assert means["loss"] == result.tally.sums["loss"] / 16


def test_it_learns_and_names_what_it_tells(make_gan):
    setup = make_gan("train.max_steps=400", "train.validate_every=100", "train.log_every=100", "train.ema=0.98")
    before = points_gan.distance(setup.learner.model.eval()).metrics["distance"]
    events = list(train(setup))
    assert isinstance(events[-1], Stopped)
    assert (events[-1].best_metric, events[-1].step) == ("distance", 400)
    assert events[-1].best_score < 0.5 * before
    step = next(event for event in events if isinstance(event, StepDone))
    losses = ["discriminator.loss", "discriminator.right", "discriminator.largest"]
    both = {f"{player}.{name}" for player in points_gan.TURNS for name in ("gradient_norm", "learning_rate")}
    assert {*step.metrics} == {"generator.loss", *losses, *both}
    assert (step.size, step.unit, step.counts["points"]) == (48, "points", 48)
    lines = [event.metrics for event in events if isinstance(event, Logged)]
    assert [line["points"] for line in lines] == [4800, 9600, 14400, 19200]
    assert [line["generator.half_steps"] for line in lines] == [50, 100, 150, 200]
    assert all(0 <= line["discriminator.right"] <= 1 for line in lines)


def test_the_checkpoint_and_the_weights_hold_every_player(make_gan):
    setup = make_gan(*STEPS)
    list(train(setup))
    kept = {path.name for path in (setup.folder / "checkpoints/12").iterdir()}
    tensors = {"generator.model", "generator.optimizer", "generator.ema", "random"}
    tensors |= {"discriminator.model", "discriminator.optimizer"}
    assert kept == {f"{name}.safetensors" for name in tensors} | {"state.json", "environment.json", "manifest.json"}
    saved = checkpoints.load(setup.folder / "checkpoints/12").tensors
    assert saved["generator.model"]["1.num_batches_tracked"] == 36
    weights = load_file(setup.folder / "model.safetensors")
    assert {*weights} == {*setup.learner.model.state_dict()}
    assert {*checkpoints.weights_for_average(setup.folder / "checkpoints", 1)[0]} == {*weights}


def test_the_mean_of_checkpoints_has_every_player(make_gan):
    setup = make_gan(*STEPS, "train.average=2")
    list(train(setup))
    states = checkpoints.weights_for_average(setup.folder / "checkpoints", 2)
    mean = average(states)
    for name, value in load_file(setup.folder / "model.safetensors").items():
        assert torch.equal(value, mean[name])


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_a_signal_in_any_turn_loses_nothing(make_gan, monkeypatch, turn):
    """In the first turn the step is dropped; later, when a player has moved, it is finished first."""
    whole = make_gan(*STEPS, folder="whole")
    expected = told(train(whole))
    killed = make_gan(*STEPS, folder="killed")
    learner, turns = killed.learner, []
    backward = learner._backward

    def signalled(*arguments):
        tally = backward(*arguments)
        turns.append(learner.progress.step)
        if turns.count(6) == turn + 1:
            signal.raise_signal(signal.SIGTERM)
        return tally

    monkeypatch.setattr(learner, "_backward", signalled)
    with killed.interrupts:
        events = list(train(killed))
    found = checkpoints.latest(killed.folder / "checkpoints", pytest.fail)
    assert found is not None
    assert found.step == (6 if turn == 0 else 7)
    assert told(events) + told(train(make_gan(*STEPS, folder="killed"), found)) == expected
    for path in (whole.folder / "checkpoints/12").glob("*.safetensors"):
        assert path.read_bytes() == (killed.folder / "checkpoints/12" / path.name).read_bytes(), path.name


def test_a_resumed_run_writes_the_lines_of_the_whole_run(make_gan):
    """The bytes of metrics.jsonl, the order of the keys included."""

    def run(setup, resume=None, until=None) -> bytes:
        file = MetricsFile(setup.folder / "metrics.jsonl", None if resume is None else resume.step)
        for event in train(setup, resume):
            file.hear(event)
            if isinstance(event, StepDone) and event.step == until:
                break
        file.close()
        return (setup.folder / "metrics.jsonl").read_bytes()

    whole = run(make_gan(*STEPS, folder="whole"))
    run(make_gan(*STEPS, folder="killed"), until=9)
    found = checkpoints.latest(make_gan(folder="killed").folder / "checkpoints", pytest.fail)
    assert found is not None
    assert run(make_gan(*STEPS, folder="killed"), found) == whole


def test_listeners_show_both_players(make_gan):
    setup, said = make_gan(*STEPS), io.StringIO()
    listeners = [
        MetricsFile(setup.folder / "metrics.jsonl", None),
        TimingFile(setup.folder / "timing.jsonl"),
        LogLines(said),
        Pictures(setup.folder),
    ]
    for event in train(setup):
        for listener in listeners:
            listener.hear(event)
    for listener in listeners:
        listener.close()
    text = said.getvalue()
    for part in ("generator loss ", "discriminator loss ", "generator lr ", "discriminator grad ", " points/s"):
        assert part in text
    assert "validation: distance 0." in text or "validation: distance 1." in text
    assert "perplexity" not in text
    timed = [json.loads(line) for line in (setup.folder / "timing.jsonl").read_text().splitlines()]
    assert [line["points_per_second"] > 0 for line in timed if line["event"] == "logged"] == [True, True]
    drawn = curves_svg(read_metrics(setup.folder / "metrics.jsonl"), (points_gan.DISTANCE,))
    for part in ("discriminator", "generator", "distance", "learning rate"):
        assert f"<!-- {part} -->" in drawn or f">{part}<" in drawn


def test_a_loss_that_is_not_finite_names_the_points(make_gan):
    setup = make_gan(*STEPS)
    with torch.no_grad():
        setup.learner.model["generator"][0].weight.fill_(float("nan"))
    with pytest.raises(TrainingError, match=r"became nan at step 1 \(batch of points 0, 1, 2, .* and 4 more\)"):
        list(train(setup))


def test_a_model_with_running_statistics_is_not_shared_among_workers():
    assert may_share(torch.nn.Sequential(torch.nn.Linear(3, 2)))
    assert not may_share(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)))


def test_a_moving_average_copies_what_is_not_a_weight():
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    moving = MovingAverage(model, 0.9)
    model(torch.randn(7, 3))
    with torch.no_grad():
        model[0].weight += 1
    moving.update(model, 100)
    assert torch.equal(moving.values["1.running_mean"], model[1].running_mean)
    assert moving.values["1.num_batches_tracked"] == 1
    assert not torch.equal(moving.values["0.weight"], model[0].weight)
