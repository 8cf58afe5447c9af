"""The manifest of a run: every loader refuses damaged files, and a run that is being trained raises no false alarm."""

import json
import random
import shutil
import threading
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import jumok
from jumok.decoding.run import load_run
from jumok.engine.ctranslate2_export import export
from jumok.errors import JumokError, ReplacedError, RunError
from jumok.models.build import build_model
from jumok.run import integrity, manifest
from jumok.run.names import CONFIG, EXPORTED, MANIFEST, SNAPSHOTS, WEIGHTS
from jumok.studio.runs import NamedRun
from jumok.studio.sessions import Sessions
from jumok.tasks.translation.averaging import average
from jumok.tasks.translation.model import load
from jumok.tasks.translation.warm_start import check_start, start_from
from jumok.training.tensor_file import pack
from tests.decoding.tiny_run import make_run

GOLDEN = Path(__file__).parents[1] / "golden"
FLIPS = 40


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, Path]:
    """A recurrent run and an exported Transformer, each with a manifest."""
    place = tmp_path_factory.mktemp("runs")
    found = {"rnn": make_run(place / "rnn"), "transformer": make_run(place / "transformer", "model.preset=transformer")}
    for run in found.values():
        manifest.write(run)
    export(found["transformer"], found["transformer"] / EXPORTED)
    return found


def flip(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    bit = chance.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def warm_start(run: Path) -> None:
    about = load_run(GOLDEN / "rnnsearch-1")
    model = build_model(about.config.model, about.source_tokenizer.size, about.target_tokenizer.size)
    start_from(model, run, about.source_tokenizer, about.target_tokenizer)


def averaged(run: Path) -> None:
    """Averages a run with a copy that was made when it was intact."""
    twin, out = run.parent / "twin", run.parent / "mean"
    if not twin.exists():
        shutil.copytree(run, twin)
    shutil.rmtree(out, ignore_errors=True)
    average([run, twin], out)


LOADERS = {
    "torch": ("rnn", lambda run: load(run, engine="torch")),
    "fast": ("rnn", lambda run: load(run, engine="fast")),
    "ensemble": ("rnn", lambda run: load(run, engine="torch", ensemble=[run])),
    "studio": ("rnn", lambda run: Sessions().open(NamedRun("run", run))),
    "average": ("rnn", averaged),
    "start": ("rnn", warm_start),
    "export": ("transformer", lambda run: export(run, run.parent / "exported")),
    "ctranslate2": ("transformer", lambda run: load(run, engine="ctranslate2")),
}


@pytest.mark.parametrize("loader", LOADERS)
def test_every_flipped_bit_is_refused_in_one_sentence(runs, tmp_path, loader):
    kind, use = LOADERS[loader]
    whole = runs[kind]
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    use(run)
    shutil.rmtree(tmp_path / "mean", ignore_errors=True)
    chance = random.Random(loader)
    for _ in range(FLIPS):
        shutil.copyfile(whole / WEIGHTS, run / WEIGHTS)
        flip(run / WEIGHTS, chance)
        with pytest.raises(JumokError, match=r"model.safetensors is damaged or was changed: .*run verify") as refused:
            use(run)
        assert "\n" not in str(refused.value)
    assert not (tmp_path / "mean").exists()


def test_a_damaged_start_is_refused_before_any_text_is_read(runs, tmp_path):
    run = Path(shutil.copytree(runs["rnn"], tmp_path / "run"))
    flip(run / WEIGHTS, random.Random(1))
    config = load_run(runs["rnn"]).config
    with pytest.raises(RunError, match="damaged or was changed"):
        check_start(build_model(config.model, 9, 9), run)


@pytest.mark.parametrize("name", [CONFIG, "tokenizer.json"])
def test_small_files_are_checked_too(runs, tmp_path, name):
    run = Path(shutil.copytree(runs["rnn"], tmp_path / "run"))
    (run / name).write_bytes((run / name).read_bytes() + b"\n")
    for engine in ("torch", "fast"):
        with pytest.raises(RunError, match=f"{name} is damaged or was changed"):
            load(run, engine=engine)


def test_an_exported_model_is_checked(runs, tmp_path):
    run = Path(shutil.copytree(runs["transformer"], tmp_path / "run"))
    flip(run / EXPORTED / "model.bin", random.Random(2))
    with pytest.raises(RunError, match=r"model.bin is damaged or was changed.*remove"):
        load(run, engine="ctranslate2")


def test_a_snapshot_has_a_manifest_of_its_own(runs, tmp_path):
    run = Path(shutil.copytree(runs["rnn"], tmp_path / "run"))
    step = run / SNAPSHOTS / "7"
    step.mkdir(parents=True)
    shutil.copy(run / WEIGHTS, step / WEIGHTS)
    load_run(run, weights=step / WEIGHTS)  # of an earlier version: without a manifest
    manifest.write(run)
    assert (step / MANIFEST).is_file()
    flip(step / WEIGHTS, random.Random(3))
    with pytest.raises(RunError, match=r"7/model.safetensors is damaged or was changed"):
        load_run(run, weights=step / WEIGHTS)
    load_run(run)


def test_a_run_without_a_manifest_loads_with_a_note(tmp_path, caplog):
    run = Path(shutil.copytree(GOLDEN / "rnnsearch-1", tmp_path / "old"))
    for _ in range(2):
        jumok.load(run)
    notes = [record.getMessage() for record in caplog.records if "manifest.json" in record.getMessage()]
    assert len(notes) == 1
    assert f"jumok run verify {run} --write" in notes[0]


def test_a_damaged_manifest_says_so(runs, tmp_path):
    run = Path(shutil.copytree(runs["rnn"], tmp_path / "run"))
    (run / MANIFEST).write_text((run / MANIFEST).read_text().replace('"files"', '"fil3s"'))
    with pytest.raises(RunError, match=r"manifest.json is damaged.*--write"):
        load_run(run)


def test_the_manifest_knows_old_and_new_weights_between_its_own_writing_and_theirs(runs, tmp_path, monkeypatch):
    """A kill between the two leaves a run that loads, also when it happens again."""
    run = Path(shutil.copytree(runs["rnn"], tmp_path / "run"))
    weights = load_file(run / WEIGHTS)
    really = manifest.write_file

    def killed(path: Path, content: bytes) -> None:
        if path.name == WEIGHTS:
            raise KeyboardInterrupt
        really(path, content)

    monkeypatch.setattr(manifest, "write_file", killed)
    for number in range(manifest.KEPT):
        with pytest.raises(KeyboardInterrupt):
            manifest.replace(run, WEIGHTS, pack({name: value + number + 1 for name, value in weights.items()}))
        load_run(run)
    monkeypatch.undo()
    manifest.replace(run, WEIGHTS, pack({name: value * 2 for name, value in weights.items()}))
    found = load_run(run).model.state_dict()
    assert all(torch.equal(found[name], value * 2) for name, value in weights.items())


@pytest.mark.parametrize("engine", ["torch", "fast"])
def test_a_reader_beside_training_sees_no_false_alarm(runs, tmp_path, engine):
    run = Path(shutil.copytree(runs["rnn"], tmp_path / "run"))
    weights = load_file(run / WEIGHTS)
    versions = [pack({name: value + number for name, value in weights.items()}) for number in range(7)]
    over = threading.Event()

    def train() -> None:
        number = 0
        while not over.is_set():
            manifest.replace(run, WEIGHTS, versions[number % len(versions)])
            number += 1

    trainer = threading.Thread(target=train)
    trainer.start()
    try:
        seen = {load(run, engine=engine).run.sha256 for _ in range(60)}
    finally:
        over.set()
        trainer.join()
    assert len(seen) > 1


def test_a_file_that_is_replaced_while_it_is_read_is_read_again(runs):
    tries = []

    def load_twice() -> str:
        tries.append(1)
        if len(tries) < 3:
            raise ReplacedError("replaced")
        return "whole"

    assert integrity.steady(load_twice) == "whole"
    with pytest.raises(ReplacedError):
        integrity.steady(lambda: (_ for _ in ()).throw(ReplacedError("again and again")))


def test_a_file_is_hashed_once(runs, tmp_path, monkeypatch):
    run = Path(shutil.copytree(runs["rnn"], tmp_path / "run"))
    monkeypatch.setattr(integrity, "SETTLED", -1.0)
    hashed: list[int] = []
    really = integrity.sha256
    monkeypatch.setattr(integrity, "sha256", lambda content: hashed.append(len(content)) or really(content))
    first = load(run, engine="torch").run.sha256
    size = (run / WEIGHTS).stat().st_size
    assert hashed.count(size) == 1
    assert load(run, engine="fast").run.sha256 == load(run, engine="torch").run.sha256 == first
    assert integrity.run_hash(run) == first
    assert hashed.count(size) == 1


def test_verify(runs, tmp_path, capsys):
    from jumok.cli.run import verify

    run = Path(shutil.copytree(GOLDEN / "rnnsearch-1", tmp_path / "old"))
    with pytest.raises(RunError, match="no manifest"):
        verify(run)
    verify(run, write=True, as_json=True)
    told = json.loads(capsys.readouterr().out)["files"]
    assert told == dict.fromkeys((CONFIG, WEIGHTS, "source.model", "target.model", "tokenizer.json"), "intact")
    verify(run)
    flip(run / WEIGHTS, random.Random(4))
    (run / "source.model").unlink()
    capsys.readouterr()
    with pytest.raises(RunError, match=r"2 of 5 files .*model.safetensors, source.model"):
        verify(run)
    assert "changed  model.safetensors" in capsys.readouterr().out
    with pytest.raises(RunError, match="not a run folder"):
        verify(tmp_path)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("engine", ["torch", "fast"])
def test_weights_that_are_not_finite_are_refused_where_they_are_loaded(runs, tmp_path, engine, number):
    run = tmp_path / "run"
    shutil.copytree(runs["rnn"], run)
    tensors = load_file(run / WEIGHTS)
    name = sorted(tensors)[3]
    tensors[name].view(-1)[-1] = number
    (run / WEIGHTS).write_bytes(pack(tensors))
    with pytest.raises(RunError, match="damaged or was changed"):
        load(run, engine=engine)
    manifest.write(run)
    with pytest.raises(RunError, match=f"'{name}' holds NaN or infinite numbers"):
        load(run, engine=engine)


@pytest.mark.parametrize("engine", ["torch", "fast"])
def test_weights_whose_sum_is_too_large_are_loaded(runs, tmp_path, engine):
    run = tmp_path / "run"
    shutil.copytree(runs["rnn"], run)
    tensors = load_file(run / WEIGHTS)
    tensors[sorted(tensors)[3]].fill_(3e38)
    (run / WEIGHTS).write_bytes(pack(tensors))
    manifest.write(run)
    load(run, engine=engine)
