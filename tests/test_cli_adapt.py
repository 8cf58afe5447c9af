"""`jumok adapt`: a new run that has learned the user's text, and a report of what it gained and forgot."""

import json
import shutil
from pathlib import Path

import pytest
from safetensors.numpy import load_file

import jumok
from jumok.cli.adapt import adapt
from jumok.errors import ConfigError, DataError, InputError
from jumok.tasks.training import resume
from jumok.tasks.translation.adaptation.recipe import Request, start_adapting
from jumok.tasks.translation.adaptation.report import read_report, report_lines
from jumok.tasks.translation.adaptation.terms import Term, read_terms

NAMES = ["river", "window", "garden", "mountain", "teacher", "letter", "doctor", "winter"]


def old(number: int) -> tuple[str, str]:
    one, other = NAMES[number % 8], NAMES[number // 8 % 8]
    return f"the {one} sees the {other} {number % 5}", f"{other} {one} {number % 5}"


def own(number: int) -> tuple[str, str]:
    """The old words in another order, and 'key' for 'window'."""
    source, target = old(number * 3)
    return f"please , {source}", f"{' '.join(reversed(target.split()))} please".replace("window", "key")


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with an old text, a run that has begun to learn it, and the user's text as TMX."""
    folder = tmp_path_factory.mktemp("adapt")
    rows = [*(old(number) for number in range(320)), ("a key", "key"), ("please , a key", "key please")]
    for column, name in enumerate(("old.en", "old.xx")):
        (folder / name).write_text("".join(f"{row[column]}\n" for row in rows), encoding="utf-8")
    keys = {
        "data": {"source": str(folder / "old.en"), "target": str(folder / "old.xx")}
        | {"source_language": "en", "target_language": "xx", "held_out": 20, "max_length": 30},
        "text": {"kind": "words"},
        "model": {"embedding": 32, "encoder": {"size": 32}, "decoder": {"size": 32}},
        "train": {"max_steps": 60, "batch_tokens": 256, "learning_rate": 0.01, "warmup": 5, "validate_every": 30}
        | {"validate_size": 0, "pictures": 0},
        "runtime": {"threads": 1},
    }
    jumok.train(keys, out=folder / "run", progress=False)
    units = "".join(
        f'<tu><tuv xml:lang="en-US"><seg>{source}</seg></tuv><tuv xml:lang="xx"><seg>{target}</seg></tuv></tu>'
        for source, target in (own(number) for number in range(100))
    )
    (folder / "own.tmx").write_text(f'<tmx version="1.4"><body>{units}</body></tmx>', encoding="utf-8")
    (folder / "terms.tsv").write_text("# watched\nwindow\tkey\ndesk\ttable\n", encoding="utf-8")
    return folder


def request(place: Path, out: Path, **more) -> Request:
    keys = ("train.max_steps=80", "train.learning_rate=0.01", "train.validate_every=10", "train.save_every=10")
    return Request(place / "run", place / "own.tmx", out=out, overrides=keys, **more)


@pytest.fixture(scope="module")
def adapted(place: Path) -> Path:
    before = {path: path.read_bytes() for path in (place / "run").rglob("*") if path.is_file()}
    training = start_adapting(request(place, place / "adapted", terms=place / "terms.tsv"))
    for _ in training:
        pass
    assert before == {path: path.read_bytes() for path in (place / "run").rglob("*") if path.is_file()}
    return training.folder


def test_the_users_text_is_learned_and_the_old_is_kept(adapted):
    report = json.loads((adapted / "adapted.json").read_text(encoding="utf-8"))
    own, old = report["own"], report["old"]
    assert own["after"]["chrf"] > own["before"]["chrf"] + 10
    assert old["after"]["chrf"] > old["before"]["chrf"] - 5
    assert report["pairs"] + 2 * own["sentences"] == pytest.approx(100, abs=8)
    card = (adapted / "README.md").read_text(encoding="utf-8")
    assert "## Adaptation" in card
    assert "Adapted from run on" in card
    assert str(jumok.load(adapted).translate("please , the river sees the garden 2"))


def test_the_report_says_when_the_time_was_too_short(adapted):
    report = read_report(adapted)
    assert report["steps"] == {"done": 80, "planned": 80}
    assert not any("--minutes" in line for line in report_lines(report))
    assert "Only 10 of 80 steps" in report_lines(report | {"steps": {"done": 10, "planned": 80}})[-1]


def test_terms_are_counted_before_and_after(adapted):
    window, desk = json.loads((adapted / "adapted.json").read_text(encoding="utf-8"))["terms"]
    assert window["before"] == 0
    assert window["after"] > 0.5 * window["sentences"] > 0
    assert desk == {"source": "desk", "target": "table", "sentences": 0, "held_out": False, "before": 0, "after": 0}


def test_an_interrupted_adaptation_continues_to_the_same_bits(place, adapted):
    out = place / "interrupted"
    for event in start_adapting(request(place, out, terms=place / "terms.tsv")):
        if getattr(event, "step", 0) >= 23 and type(event).__name__ == "StepDone":
            break
    assert not (out / "adapted.json").exists()
    for _ in resume(out):
        pass
    assert (out / "model.safetensors").read_bytes() == (adapted / "model.safetensors").read_bytes()
    assert (out / "adapted.json").read_bytes() == (adapted / "adapted.json").read_bytes()


def test_without_the_old_text_weights_are_held(place):
    """The run's text and the files it came from are gone: the pull of the anchor decides how far weights may go."""
    run = place / "bare"
    shutil.copytree(place / "run", run, ignore=shutil.ignore_patterns("data", "data.json", "checkpoints"))
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    config["data"] |= {"source": "gone.en", "target": "gone.xx"}
    (run / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (run / "manifest.json").unlink()
    moved = []
    for strength in (0.0, 100.0):
        out = place / f"held-{strength:g}"
        asked = Request(run, place / "own.tmx", out=out, overrides=("train.max_steps=60", f"train.anchor={strength}"))
        for _ in start_adapting(asked):
            pass
        assert "old.jsonl" in {path.name for path in (out / "adaptation").iterdir()}
        start, end = load_file(run / "model.safetensors"), load_file(out / "model.safetensors")
        moved.append(max(abs(end[name] - start[name]).max() for name in start))
    assert 0 < moved[1] < 0.5 * moved[0]


def test_files_of_lines_and_python(place):
    rows = [own(number) for number in range(100)]
    for column, name in enumerate(("own.en", "own.xx")):
        (place / name).write_text("".join(f"{row[column]}\n" for row in rows), encoding="utf-8")
    model = jumok.adapt(
        place / "run",
        place / "own.en",
        place / "own.xx",
        out=place / "python",
        progress=False,
        train={"max_steps": 2, "validate_every": 2},
    )
    assert model.run.path == place / "python"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"tmx": Path("a.tmx"), "source": Path("b")}, "name your text"),
        ({"source": Path("b")}, "name your text"),
        ({}, "name your text"),
    ],
)
def test_one_text_must_be_named(asked, message):
    with pytest.raises(InputError, match=message):
        adapt(Path("run"), **asked)


def test_what_cannot_be_adapted_is_refused_before_a_folder_is_made(place):
    few = place / "few.tsv"
    for text in ("a\tb\n" * 30, "".join(f"a\tb{number}\n" for number in range(30))):
        few.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match="at least 20 different sources"):
            start_adapting(Request(place / "run", few, out=place / "none"))
    with pytest.raises(ConfigError, match=r"only train\.\* and runtime\.\*"):
        start_adapting(Request(place / "run", place / "own.tmx", out=place / "none", overrides=("model.dropout=0",)))
    with pytest.raises(DataError, match="is not a term"):
        start_adapting(Request(place / "run", place / "own.tmx", terms=few_terms(place), out=place / "none"))
    assert not (place / "none").exists()


def few_terms(place: Path) -> Path:
    (place / "bad.tsv").write_text("only one column\n", encoding="utf-8")
    return place / "bad.tsv"


def test_terms_are_words_and_particles_may_follow(tmp_path):
    assert Term("key", "키").among(["the key", "the keyboard", "Key.", "a monkey"]) == [0, 2]
    assert Term("키", "key").among(["키를 누르세요", "문"]) == [0]
    assert Term("키", "key").written("Press the KEY!")
    assert not Term("키", "key").written("keyboard")
    (tmp_path / "terms.tsv").write_text("#c\n\n키\tkey\tnote\n", encoding="utf-8")
    assert read_terms(tmp_path / "terms.tsv") == [Term("키", "key")]
