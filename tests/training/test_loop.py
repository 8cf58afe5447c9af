"""The loop: accumulation is the large batch, resuming changes nothing, trouble is named and costs nothing."""

import signal
from pathlib import Path

import pytest
import torch

from jumok.data.batch import Batch
from jumok.errors import TrainingError
from jumok.run.names import steps_in
from jumok.training import checkpoint as checkpoints
from jumok.training import environment
from jumok.training.events import Logged, Saved, StepDone, Stopped, Validated, Validation
from jumok.training.loop import train
from jumok.training.optimizer import MovingAverage, average
from tests.rounding import assert_rounded
from tests.training.agreement import exact_gradients
from tests.training.copying import build_learner, copy_batch


def joined(one: Batch, other: Batch) -> Batch:
    """Both batches as one."""

    def rows(batch: Batch):
        return [ids[mask][:-1].tolist() for ids, mask in zip(batch.target_out_BT, batch.target_mask_BT, strict=True)]

    both = rows(one) + rows(other)
    return Batch.of(both, both, list(range(len(both))))


def test_accumulated_batches_give_the_gradient_of_the_large_batch():
    one, other = copy_batch(1, sentences=3), copy_batch(2, sentences=7)
    tokens = one.target_tokens + other.target_tokens
    expected, _ = exact_gradients(build_learner("model.dropout=0"), [joined(one, other)], tokens)
    for group in ([one, other], [joined(one, other)]):
        learner = build_learner("model.dropout=0", "train.clip=0")
        learner.step(group, tokens, 0.0)
        assert_rounded(learner.players[0].optimizer.gradients(), expected)


def test_moving_average_follows_its_formula():
    model = torch.nn.Linear(3, 2).double()
    moving = MovingAverage(model, 0.9)
    expected = model.weight.detach().clone()
    for step in range(1, 30):
        with torch.no_grad():
            model.weight += 0.1
        decay = min(0.9, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * model.weight.detach()
        moving.update(model, step)
    torch.testing.assert_close(moving.values["weight"], expected)


def test_average_of_weights_is_their_mean():
    states = [{"w": torch.full((3,), value), "n": torch.tensor(7)} for value in (1.0, 2.0, 6.0)]
    assert average(states)["w"].tolist() == [3.0, 3.0, 3.0]
    assert average(states)["w"].dtype == torch.float32


def test_it_learns_and_tells_of_it(make_setup):
    steps = ("train.max_steps=150", "train.validate_every=50", "train.save_every=75", "train.warmup=10")
    setup = make_setup(*steps, "train.learning_rate=0.02", "train.label_smoothing=0", "model.dropout=0")
    events = list(train(setup))
    losses = [event.metrics["nll"] for event in events if isinstance(event, StepDone)]
    assert len(losses) == 150
    assert sum(losses[-10:]) < 0.6 * sum(losses[:10])
    assert [event.step for event in events if isinstance(event, Validated)] == [50, 100, 150]
    assert [event.step for event in events if isinstance(event, Saved)] == [75, 150]
    assert isinstance(events[-1], Stopped)
    assert events[-1].reason == "steps"
    assert (setup.folder / "model.safetensors").exists()


FULL = (
    "train.max_steps=24",
    "train.validate_every=6",
    "train.save_every=4",
    "train.log_every=5",
    "train.ema=0.9",
    "train.teacher_forcing=0.5/sample",
    "train.schedule=plateau",
    "train.accumulate=2",
)


def told(events) -> list:
    """What is the same in two equal runs."""
    return [event for event in events if isinstance(event, StepDone | Logged | Validated)]


@pytest.mark.parametrize("killed_after", [5, 12, 17])
def test_a_run_that_goes_on_is_the_run_that_never_stopped(make_any, killed_after):
    whole = make_any(*FULL, folder="whole")
    expected = told(train(whole))
    killed = make_any(*FULL, folder="killed")
    events = []
    for event in train(killed):
        events.append(event)
        if isinstance(event, StepDone) and event.step == killed_after:
            break
    found = checkpoints.latest(killed.folder / "checkpoints", pytest.fail)
    assert found is not None
    resumed = told(train(make_any(*FULL, folder="killed"), found))
    assert [event for event in told(events) if event.step <= found.step] + resumed == expected
    files = sorted(path.name for path in (whole.folder / "checkpoints/24").glob("*.safetensors"))
    prefixes = [whole.learner.prefix(player) for player in whole.learner.players]
    assert {"random.safetensors"} | {f"{one}optimizer.safetensors" for one in prefixes} <= {*files}
    for path in (*(f"checkpoints/24/{name}" for name in files), "model.safetensors"):
        assert (whole.folder / path).read_bytes() == (killed.folder / path).read_bytes(), path


def test_a_signal_during_validation_is_made_up_for(make_any):
    """SIGTERM in the middle of a validation: the run is saved at once and validates first when it goes on."""
    whole = make_any(*FULL, folder="whole")
    expected = told(train(whole))

    def signalled(model) -> Validation:
        signal.raise_signal(signal.SIGTERM)
        raise AssertionError("the signal must end the validation")

    killed = make_any(*FULL, folder="killed", validate=signalled)
    with killed.interrupts:
        events = list(train(killed))
    assert killed.interrupts.exit_code == 143
    assert isinstance(events[-1], Stopped)
    assert events[-1].reason == "SIGTERM"
    found = checkpoints.latest(killed.folder / "checkpoints", pytest.fail)
    assert found is not None
    assert found.step == 6
    resumed = told(train(make_any(*FULL, folder="killed"), found))
    assert told(events) + resumed == expected


def test_a_signal_inside_a_step_drops_the_step(make_any, monkeypatch):
    whole = told(train(make_any(*FULL, folder="whole")))
    killed = make_any(*FULL, folder="killed")
    learner = killed.learner
    backward = learner._backward

    def signalled(*arguments):
        sums = backward(*arguments)
        if learner.progress.step == 9:
            signal.raise_signal(signal.SIGINT)
        return sums

    monkeypatch.setattr(learner, "_backward", signalled)
    with killed.interrupts:
        events = list(train(killed))
    assert killed.interrupts.exit_code == 130
    found = checkpoints.latest(killed.folder / "checkpoints", pytest.fail)
    assert found is not None
    assert found.step == 9
    assert not found.scheduled
    assert told(events) + told(train(make_any(*FULL, folder="killed"), found)) == whole


def as_of_version_one(checkpoint):
    """The checkpoint with its state as it was written when there was one model with losses of fixed names."""
    progress = dict(checkpoint.state["progress"])
    sums, counts = progress["sums"]["sums"], progress["sums"]["counts"]
    progress["sums"] = {
        "steps": int(counts.get("gradient_norm", 0)),
        "tokens": int(counts.get("loss", 0)),
        "guided": 0.0,
        **{name: sums.get(name, 0.0) for name in ("loss", "nll", "gradient_norm")},
    }
    progress["tokens"], _ = progress.pop("seen"), progress.pop("unit")
    progress["baseline"] = progress.pop("carried")["model"]["baseline"]
    checkpoint.state["progress"] = progress
    return checkpoint


@pytest.mark.parametrize("stopped_after", [4, 16, 20])
def test_a_checkpoint_of_the_first_version_is_taken_up_exactly(make_setup, stopped_after):
    """Steps 4 and 16 lie between lines of metrics, so sums are carried over; at 20 there are none."""
    settings = tuple(key for key in FULL if not key.startswith("train.teacher_forcing"))
    settings += ("train.keep=20", "model.decoder.attention=hard")
    whole = make_setup(*settings, folder="whole")
    expected = told(train(whole))
    found = as_of_version_one(checkpoints.load(whole.folder / "checkpoints" / str(stopped_after)))
    resumed = told(train(make_setup(*settings, folder="again"), found))
    assert resumed == [event for event in expected if event.step > stopped_after]


def test_an_infinite_loss_names_the_batch_and_keeps_the_checkpoint(make_setup):
    setup = make_setup("train.max_steps=50", "train.save_every=5")

    def run_and_spoil() -> None:
        for event in train(setup):
            if isinstance(event, StepDone) and event.step == 7:
                with torch.no_grad():
                    next(setup.learner.model.parameters()).fill_(float("inf"))

    with pytest.raises(TrainingError, match=r"became (nan|inf) at step 8 \(batch of sentences 700, 701, 702"):
        run_and_spoil()
    found = checkpoints.latest(setup.folder / "checkpoints", pytest.fail)
    assert found is not None
    assert found.step == 5
    assert all(torch.isfinite(value).all() for value in found.tensors["model"].values())


def test_early_stopping_and_the_best_weights(make_setup):
    scores = iter([3.0, 1.0, 2.0, 1.5, 1.2, 9.9])
    setup = make_setup(
        "train.max_steps=100",
        "train.validate_every=5",
        "train.patience=3",
        validate=lambda model: Validation({"loss": next(scores)}),
    )
    weights: list[bytes] = []
    for event in train(setup):
        last = event
        if isinstance(event, Validated):
            weights.append(Path(setup.folder / "model.safetensors").read_bytes())
    assert isinstance(last, Stopped)
    assert (last.reason, last.step, last.best_step, last.best_score) == ("patience", 25, 10, 1.0)
    assert weights[0] != weights[1]
    assert weights[1:] == [weights[1]] * 4


def test_a_higher_bleu_is_better(make_setup):
    scores = iter([10.0, 30.0, 20.0])
    setup = make_setup(
        "train.max_steps=15",
        "train.validate_every=5",
        "train.stop_metric=bleu",
        validate=lambda model: Validation({"bleu": next(scores)}),
    )
    assert [event.best for event in train(setup) if isinstance(event, Validated)] == [True, True, False]


def test_validation_draws_no_random_numbers_from_training(make_setup):
    def noisy(model) -> Validation:
        torch.rand(1000)
        return Validation({"loss": 1.0})

    quiet = told(train(make_setup("train.max_steps=12", "train.validate_every=3", folder="a")))
    loud = told(train(make_setup("train.max_steps=12", "train.validate_every=3", folder="b", validate=noisy)))
    assert [e for e in quiet if isinstance(e, StepDone)] == [e for e in loud if isinstance(e, StepDone)]


def test_averaging_takes_the_last_regular_checkpoints(make_setup):
    setup = make_setup("train.max_steps=20", "train.save_every=5", "train.average=3", "train.keep=1")
    list(train(setup))
    folder = setup.folder / "checkpoints"
    assert [path.name for path in steps_in(folder)] == ["10", "15", "20"]
    from safetensors.torch import load_file

    mean = average([checkpoints.load(path).tensors["model"] for path in steps_in(folder)])
    for name, value in load_file(setup.folder / "model.safetensors").items():
        assert torch.equal(value, mean[name])


def test_snapshots_are_light_and_stay(make_setup):
    setup = make_setup("train.max_steps=12", "train.save_every=4", "train.snapshots=3", "train.keep=1")
    list(train(setup))
    assert sorted(int(path.name) for path in (setup.folder / "snapshots").iterdir()) == [3, 6, 9, 12]
    snapshot = setup.folder / "snapshots" / "3"
    assert sorted(path.name for path in snapshot.iterdir()) == ["manifest.json", "model.safetensors"]


def test_more_steps_for_a_finished_run(make_setup):
    list(train(make_setup("train.max_steps=6", "train.schedule=constant")))
    found = checkpoints.latest(make_setup().folder / "checkpoints", pytest.fail)
    events = list(train(make_setup("train.max_steps=9", "train.schedule=constant"), found))
    assert [event.step for event in events if isinstance(event, StepDone)] == [7, 8, 9]


def test_half_precision_learns_too(make_setup):
    """A Transformer, because recurrences stay in float32 in any case."""

    def losses(precision: str) -> list[float]:
        sizes = ("model.encoder.heads=2", "model.decoder.heads=2", "model.encoder.ff=24", "model.decoder.ff=24")
        setup = make_setup("model.preset=transformer", *sizes, "train.max_steps=60", "train.warmup=5", folder=precision)
        setup.learner.precision = precision
        return [event.metrics["nll"] for event in train(setup) if isinstance(event, StepDone)]

    half = losses("bfloat16")
    assert sum(half[-10:]) < 0.9 * sum(half[:10])
    assert half != losses("float32")


def test_products_in_bfloat16_learn_as_much_and_end_with_the_training(make_setup):
    def losses(products: str) -> list[float]:
        setup = make_setup("train.max_steps=60", "train.warmup=5", folder=products)
        with environment.prepared(1, deterministic=True, products=products):
            assert (torch.get_float32_matmul_precision() == "medium") == (products == "bfloat16")
            return [event.metrics["nll"] for event in train(setup) if isinstance(event, StepDone)]

    before = torch.get_float32_matmul_precision()
    rough, exact = losses("bfloat16"), losses("float32")
    assert torch.get_float32_matmul_precision() == before
    # Where the processor has no bfloat16 the two are the same; elsewhere what is rounded off must not matter.
    learned_rough, learned_exact = (sum(nll[:10]) - sum(nll[-10:]) for nll in (rough, exact))
    assert learned_exact > 0
    assert learned_rough == pytest.approx(learned_exact, rel=0.2)


def test_a_kill_between_the_last_checkpoint_and_the_averaged_weights_loses_nothing(make_setup):
    settings = ("train.max_steps=6", "train.save_every=2", "train.average=2", "train.keep=2")
    list(train(make_setup(*settings)))
    weights = make_setup(*settings).folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(b"those of an earlier save")
    found = checkpoints.latest(weights.parent / "checkpoints", pytest.fail)
    list(train(make_setup(*settings), found))
    assert weights.read_bytes() == whole
