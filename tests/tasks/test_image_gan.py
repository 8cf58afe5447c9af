"""The self-attention GAN as a task: data from anywhere, exact resume after a kill, pictures, and where they look."""

import gzip
import os
import signal
import struct
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

import jumok
from jumok.cli.app import app
from jumok.config import resolve
from jumok.data.images import png_bytes, read_image, read_labelled
from jumok.errors import ConfigError, DataError, InputError, ShapeError
from jumok.models.sagan import Discriminator, Generator
from jumok.tasks.image_gan.build import build_players, parameters_of
from jumok.tasks.image_gan.losses import LOSSES, DiscriminatorLoss, GeneratorLoss
from jumok.tasks.image_gan.model import on_sphere
from jumok.tasks.image_gan.pictures import ImageBatch, as_numbers, as_pixels, stored_pictures
from jumok.tasks.image_gan.validation import spread, warnings_of
from jumok.training.learner import Learner

TINY = {
    "task": "image-gan",
    "data.classes": 3,
    "data.size": 200,
    "data.held_out": 60,
    "data.side": 16,
    "data.batch": 8,
    "model.width": 4,
    "model.noise": 5,
    "model.attention.at": [8],
    "train.max_steps": 6,
    "train.validate_every": 3,
    "train.save_every": 2,
    "train.log_every": 1,
    "train.validate_size": 50,
    "runtime.threads": 1,
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gan") / "run"
    jumok.train(TINY, out=folder, progress=False)
    return folder


def files_of(folder):
    kept = (*(folder / "checkpoints/6").glob("*r.*.safetensors"), *(folder / "samples").iterdir())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in (*kept, folder / "metrics.jsonl")}


def random_of(folder):
    """All but Python's own generator, which the checks of types in tests draw from."""
    found = load_file(folder / "checkpoints/6/random.safetensors")
    return {name: value.tolist() for name, value in found.items() if not name.startswith("python")}


def test_a_killed_run_resumes_to_the_bit(run, tmp_path):
    """Both optimisers, the average, batch norms, spectral-norm vectors, sheets and lines; killed without warning."""
    folder = tmp_path / "killed"
    given = [f"{key}={value}" for key, value in TINY.items()]
    code = "import sys; from jumok.cli.app import run; sys.argv[0] = 'jumok'; run()"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", code, "train", *given, "--out", str(folder)], env=environment, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    while not (folder / "checkpoints/2/manifest.json").exists() and time.monotonic() < deadline:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    jumok.train(resume=folder, progress=False)
    expected, found = files_of(run), files_of(folder)
    assert expected.keys() == found.keys()
    for name, content in expected.items():
        assert content == found[name], name
    assert random_of(run) == random_of(folder)
    assert {"checkpoints/6/generator.ema.safetensors", "checkpoints/6/discriminator.optimizer.safetensors"} <= {*found}


def test_pictures_follow_from_seed_and_class_alone(run):
    model = jumok.load(run)
    many = model.generate(70, label=model.names[1], seed=4)
    few = model.generate(3, label=model.names[1], seed=4)
    for one, same in zip(few, many, strict=False):
        # Another size of batch may round differently; a pixel is one of 256 levels.
        assert np.abs(one.pixels_HWC.astype(int) - same.pixels_HWC).max() <= 1
    assert {one.label for one in model.generate(7)} == {*model.names}
    assert few[0].pixels_HWC.shape == (16, 16, 1)


def test_attention_of_both_players_is_a_distribution_of_each_pixel(run):
    drawn = jumok.load(run).generate(2, attention=True)
    assert [(look.player, look.side) for look in drawn[0].looks] == [("generator", 8), ("discriminator", 8)]
    for look in drawn[1].looks:
        np.testing.assert_allclose(look.weights_NN.sum(1), 1, atol=1e-5)
        assert np.array_equal(look.from_pixel(15, 0, 16), look.weights_NN[7 * 8].reshape(8, 8))
        assert (look.layout.rows, look.layout.columns) == (8, 8)
        corner = look.weights_NN[0].reshape(8, 8)
        assert look.far_share(1, 1, 16) == pytest.approx(1 - corner[:2, :2].sum(), abs=1e-6)


def test_without_strength_the_picture_is_that_of_a_layer_that_does_nothing(run):
    model = jumok.load(run)
    layer = model.generator.looks["8"]
    with torch.no_grad():
        layer.gamma.fill_(0.8)
    learned, none = (model.generate(2, strength=strength) for strength in (1.0, 0.0))
    with torch.no_grad():
        layer.gamma.fill_(0.0)
    off = model.generate(2)
    assert all(np.array_equal(a.pixels_HWC, b.pixels_HWC) for a, b in zip(none, off, strict=True))
    assert any(not np.array_equal(a.pixels_HWC, b.pixels_HWC) for a, b in zip(learned, off, strict=True))


def test_the_way_between_two_noises_ends_at_both(run):
    model = jumok.load(run)
    label = model.names[0]
    way, ends = model.between(0, 2, 5, label=label), model.generate(3, label=label)
    assert np.array_equal(way[0].noise_Z, ends[0].noise_Z)
    np.testing.assert_allclose(way[-1].noise_Z, ends[2].noise_Z, rtol=1e-5)
    first, second = np.array([3.0, 0.0]), np.array([0.0, 1.0])
    assert np.linalg.norm(on_sphere(first, second, 0.5)) == pytest.approx(2)


def test_nearest_finds_the_training_picture_itself(run):
    model = jumok.load(run)
    [drawn] = model.generate(1)
    copied = replace(drawn, pixels_HWC=np.array(model.pictures.store[11]))
    [[near, other]] = model.nearest([copied], 2)
    assert (near.number, near.distance) == (11, pytest.approx(0, abs=0.05))
    assert other.distance > near.distance


def test_nearest_is_the_same_however_many_are_compared_at_once(run, monkeypatch):
    model = jumok.load(run)
    drawn = model.generate(3)
    whole = model.nearest(drawn, 4)
    monkeypatch.setattr("jumok.tasks.image_gan.model.COMPARED", 7)
    parts = model.nearest(drawn, 4)
    assert [[one.distance for one in row] for row in parts] == [[one.distance for one in row] for row in whole]
    assert [[one.number for one in row] for row in parts] == [[one.number for one in row] for row in whole]


def test_the_command_writes_a_sheet_and_one_that_shows_attention(run, tmp_path):
    def size(*options):
        out = tmp_path / f"{len(options)}.png"
        result = CliRunner().invoke(app, ["generate", str(run), "--count", "6", "--out", str(out), *options])
        assert result.exit_code == 0, result.output
        return read_image(out).shape

    assert size() == (2 * 66 + 2, 3 * 66 + 2, 3)
    label = jumok.load(run).names[2]
    assert size("--label", label, "--attention") == (6 * 98 - 2, 7 * 98 - 2, 3)
    assert size("--nearest", "2", "--json") == (6 * 66 + 2, 3 * 66 + 2, 3)


def test_what_cannot_be_drawn_is_named(run, tmp_path):
    model = jumok.load(run)
    with pytest.raises(InputError, match="Unknown class 'nobody'"):
        model.generate(1, label="nobody")
    with pytest.raises(InputError, match="5 finite numbers"):
        model.generate(noise=[[1, 2, 3]])
    (tmp_path / "notes.png").write_text("mine")
    result = CliRunner().invoke(app, ["generate", str(run), "--out", str(tmp_path / "notes.png")])
    assert isinstance(result.exception, InputError)
    assert (tmp_path / "notes.png").read_text() == "mine"


@pytest.mark.parametrize(
    ("side", "channels", "classes", "at"), [(28, 1, 4, [14]), (32, 3, 0, []), (64, 3, 2, [16, 32])]
)
def test_sizes_colours_and_classes(side, channels, classes, at):
    torch.manual_seed(1)
    generator, discriminator = (
        Generator(side, channels, 4, 6, classes, at),
        Discriminator(side, channels, 4, classes, at),
    )
    labels = torch.tensor([0, 1, 1]) if classes else None
    pictures, looks = generator.draw(torch.randn(3, 6), labels)
    assert pictures.shape == (3, channels, side, side)
    assert [look.side for look in looks] == at
    scores, looks = discriminator.judge(pictures, labels)
    assert scores.shape == (3,)
    assert [look.side for look in looks] == at[::-1]


def test_without_attention_it_is_the_sngan_of_almost_the_same_size():
    with_it, without = (build_players(resolve(TINY | {"model.attention.at": at}), 3) for at in ([8], []))
    for one, other in zip(with_it, without, strict=True):
        assert {*dict(other.named_parameters())} < {*dict(one.named_parameters())}
        assert parameters_of(other) < parameters_of(one) < 1.02 * parameters_of(other)


def test_every_weight_of_both_players_has_a_spectral_norm():
    players = build_players(resolve(TINY), 3)
    for player in players:
        bare = [name for name, one in player.named_parameters() if one.ndim > 1 and "original" not in name]
        assert all(name.endswith(("gain", "shift")) for name in bare)


def test_the_losses_are_those_of_the_papers():
    score = torch.tensor([-0.5, 0.3, 2.0], dtype=torch.float64)
    assert LOSSES["hinge"][0](score).item() == pytest.approx(1.5 + 0.7)
    assert LOSSES["hinge"][1](score).item() == pytest.approx(-1.8)
    assert LOSSES["logistic"][0](score).item() == pytest.approx(-torch.sigmoid(score).log().sum().item())


@pytest.mark.parametrize("preset", ["sagan", "dcgan"])
def test_a_turn_moves_its_player_towards_its_goal(preset):
    config = resolve(TINY | {"model.preset": preset, "model.attention.at": [8] if preset == "sagan" else []})
    torch.manual_seed(2)
    generator, discriminator = build_players(config, 3)
    model = torch.nn.ModuleDict({"generator": generator, "discriminator": discriminator})
    batch = ImageBatch(list(range(8)), torch.rand(8, 1, 16, 16), torch.arange(8) % 3)
    for objective, player in ((DiscriminatorLoss("hinge"), discriminator), (GeneratorLoss("hinge"), generator)):
        optimizer = torch.optim.Adam(player.parameters(), 0.01, (0.0, 0.9))

        def loss(objective=objective):
            return objective(model, batch, 1, torch.Generator().manual_seed(3), {}).total

        before = loss()
        for _ in range(5):
            optimizer.zero_grad()
            loss().backward()
            optimizer.step()
        assert loss() < before


def test_two_time_scales_and_an_average_of_the_generator_alone(run):
    from jumok.tasks import find_task
    from jumok.tasks.task import Place
    from jumok.training.distributed import Processes
    from jumok.training.interrupt import Interrupts

    task = find_task("image-gan")
    opened = task.open(run, resolve(TINY | {"players.discriminator_steps": 2}))
    learner = task.setup(opened, Place(Processes(), torch.device("cpu"), Interrupts(), {}), None).learner
    assert isinstance(learner, Learner)
    assert learner.turns == ("discriminator", "discriminator", "generator")
    generator, discriminator = learner.players
    assert discriminator.optimizer.rate == pytest.approx(1.5 * generator.optimizer.rate)
    assert generator.average is not None
    assert discriminator.average is None


def test_collapse_and_a_discriminator_that_wins_are_said_in_plain_words():
    fine = {"distance": 1.0, "spread": 0.9, "real_score": 0.5, "drawn_score": -0.5}
    assert warnings_of(fine) == []
    [text] = warnings_of(fine | {"spread": 0.1})
    assert "nearly equal to each other (10% of the spread" in text
    [text] = warnings_of(fine | {"real_score": 30.0})
    assert "by a wide margin" in text


def test_spread_is_within_classes():
    rows = np.repeat(np.array([[0.0, 0.0], [5.0, 5.0]]), 10, axis=0)
    labels = np.repeat([0, 1], 10)
    assert spread(rows, labels) == 0
    assert spread(rows, None) == pytest.approx(12.5)


def test_pixels_survive_the_way_to_numbers_and_back():
    pixels = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1)
    assert np.array_equal(as_pixels(as_numbers(torch.from_numpy(pixels))), pixels)


def some_pictures(count=60, side=20):
    return np.random.default_rng(3).integers(0, 255, (count, side, side), dtype=np.uint8)


def test_folders_arrays_and_idx_files_are_read(tmp_path):
    images = some_pictures()
    for number, picture in enumerate(images):
        for place in (tmp_path / "flat", tmp_path / "classes" / f"c{number % 2}"):
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{number}.png").write_bytes(png_bytes(picture))
    np.savez(tmp_path / "grid.npz", images=images.reshape(4, 15, 20, 20), kind=np.array(list("abcd")))
    head = struct.pack(">iiii", 0x803, 60, 20, 20)
    (tmp_path / "x-images-idx3-ubyte.gz").write_bytes(gzip.compress(head + images.tobytes()))
    labels = (np.arange(60) % 10).astype(np.uint8)
    (tmp_path / "x-labels-idx1-ubyte.gz").write_bytes(gzip.compress(struct.pack(">ii", 0x801, 60) + labels.tobytes()))
    assert read_labelled(tmp_path / "flat").labels is None
    assert read_labelled(tmp_path / "classes").names == ("c0", "c1")
    grid = read_labelled(tmp_path / "grid.npz", "kind")
    assert (grid.names, grid.labels[14:16]) == (("a", "b", "c", "d"), [0, 1])
    idx = read_labelled(tmp_path / "x-images-idx3-ubyte.gz")
    assert idx.labels == labels.tolist()
    assert np.array_equal(idx.pictures, images)
    [row] = idx.rows([5], 32, True)
    assert row.shape == (32, 32, 3)


def test_broken_files_are_named(tmp_path):
    (tmp_path / "cut-images-idx3-ubyte").write_bytes(struct.pack(">iiii", 0x803, 60, 20, 20) + b"12")
    with pytest.raises(DataError, match="cut off"):
        read_labelled(tmp_path / "cut-images-idx3-ubyte")
    np.savez(tmp_path / "grid.npz", images=some_pictures(), kind=np.arange(7))
    with pytest.raises(DataError, match="names no axis"):
        read_labelled(tmp_path / "grid.npz", "kind")
    with pytest.raises(DataError, match="no array `label`; it has images, kind"):
        read_labelled(tmp_path / "grid.npz", "label")
    content = (tmp_path / "grid.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(content[: len(content) // 2])
    np.save(tmp_path / "one.npy", some_pictures())
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    (tmp_path / "text.npz").write_text("hello")
    for name, said in (("half", "damaged"), ("text", "damaged"), ("one", "without a name")):
        with pytest.raises(DataError, match=said):
            read_labelled(tmp_path / f"{name}.npz")
    with pytest.raises(DataError, match="is not there"):
        read_labelled(tmp_path / "nowhere")


@pytest.mark.parametrize("scenes", ["one", "agree"])
def test_the_picturebook_in_colour_is_learned_from_a_run_of_its_own(tmp_path, scenes):
    keys = {"data.book": "picturebook", "data.scenes": scenes, "data.colour": True, "train.max_steps": 1}
    jumok.train(TINY | keys, out=tmp_path / "run", progress=False)
    stored = stored_pictures(tmp_path / "run", "train")
    assert stored.store.shape == (16, 16, 3)
    assert stored.classes == 8
    if scenes == "agree":  # the two halves look alike; the light falls the same way on both
        pixels = stored.store.batch(range(50)).astype(int)
        assert np.abs(pixels[:, 2:14, :8] - pixels[:, 2:14, 8:]).mean() < 20


def test_what_cannot_be_trained_is_refused_before_any_work(tmp_path):
    for keys, error, text in (
        ({"model.attention.at": [7]}, ShapeError, "attention may be at 8"),
        ({"data.side": 30}, ShapeError, "cannot be halved"),
        ({"model.kind": "plain"}, ConfigError, "has no attention"),
        ({"train.label_smoothing": 0.2}, ConfigError, "models that write text"),
        ({"train.stop_metric": "loss"}, ConfigError, "'distance'"),
        ({"model.attention.mechanism": "dott"}, jumok.errors.UnknownNameError, "dot"),
    ):
        with pytest.raises(error, match=text):
            jumok.train(TINY | keys, out=tmp_path / "run", progress=False)
        assert not (tmp_path / "run").exists()
