"""No command replaces what it did not make: every option that names an output, tried on places that are taken."""

import inspect
import shutil
import zipfile
from importlib import import_module
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import typer

from jumok.cli.app import VERBS
from jumok.data.images import png_bytes
from jumok.data.phrasebook import generate

GOLDEN = Path(__file__).parent / "golden"
RNN, TRANSFORMER = GOLDEN / "rnnsearch-1", GOLDEN / "transformer-1"
MINE = b"what a user wrote by hand\n"

# verb -> the command that writes to OUT, and the endings OUT may have ("": a folder).
OUTPUTS: dict[tuple[str, str], tuple[list[str], tuple[str, ...]]] = {
    ("translate", "plot"): (["translate", "RNN", "source.txt", "--plot", "OUT"], (".svg", ".png")),
    ("explain", "plot"): (["explain", "bahdanau", "--plot", "OUT"], (".svg", ".png")),
    ("evaluate", "html"): (["evaluate", "RNN", "--size", "3", "--quick", "--html", "OUT"], (".html",)),
    ("align", "soft"): (["align", "RNN", "source.txt", "target.txt", "--soft", "OUT"], (".json", ".npz")),
    ("aligner", "soft"): (["aligner", "source.txt", "target.txt", "--epochs", "1", "--soft", "OUT"], (".json", ".npz")),
    ("export", "out"): (["export", "TRANSFORMER", "--out", "OUT"], ("",)),
    ("average", "out"): (["average", "RNN", "RNN", "--out", "OUT"], ("",)),
    ("adapt", "out"): (["adapt", "RNN", "--source", "source.txt", "--target", "target.txt", "--out", "OUT"], ("",)),
    ("import", "out"): (["import", "RNN", "--out", "OUT"], ("",)),
    ("train", "out"): (["train", "--out", "OUT"], ("",)),
    ("demo", "out"): (["demo", "--out", "OUT"], ("",)),
    ("data", "out"): (["data", "phrasebook", "--size", "5", "--out", "OUT"], ("",)),
    ("run", "plot"): (["run", "calibrate", "COPY", "--size", "20", "--beam", "1", "--plot", "OUT"], (".svg", ".png")),
    ("caption", "plot"): (["caption", "PICTURES/captions", "PICTURES/picture.png", "--plot", "OUT"], (".svg", ".png")),
    ("summarise", "plot"): (
        ["summarise", "PICTURES/news", "source.txt", "--plot", "OUT", "--min-length", "2"],
        (".svg", ".png"),
    ),
    ("generate", "out"): (["generate", "PICTURES/drawing", "--count", "2", "--out", "OUT"], (".png",)),
    ("classify", "plot"): (
        ["classify", "PICTURES/episodes", "PICTURES/picture.png", "--support", "PICTURES/support", "--plot", "OUT"],
        (".svg", ".png"),
    ),
}
# Whatever lies there is kept, whatever its kind.
ALWAYS_NEW = {("cluster", "out")}
FILES = [(verb, ending) for verb, (_, endings) in OUTPUTS.items() for ending in endings if ending]
FOLDERS = [verb for verb, (_, endings) in OUTPUTS.items() if "" in endings]
# A place is refused because of what lies there, except by those for whom a place of files is where they add theirs.
WRITES_WHOLE_FOLDERS = [verb for verb in FOLDERS if verb[0] != "data"]


@pytest.fixture
def write(call, monkeypatch, tmp_path, tmp_path_factory, picture_runs):
    """`write(verb, out)` runs the verb's command of the table and gives (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    examples = list(generate("en-fr", "test", 4))
    (tmp_path / "source.txt").write_text("".join(f"{one.source}\n" for one in examples[:1]), encoding="utf-8")
    (tmp_path / "target.txt").write_text("".join(f"{one.target}\n" for one in examples[:1]), encoding="utf-8")

    def run(verb: tuple[str, str], out: Path) -> tuple[int, str, str]:
        places = {"OUT": str(out), "RNN": str(RNN), "TRANSFORMER": str(TRANSFORMER)}
        if "COPY" in OUTPUTS[verb][0]:  # the command writes into the run too
            places["COPY"] = shutil.copytree(RNN, tmp_path_factory.mktemp("copy") / "run")
        words = [places.get(word, word.replace("PICTURES", str(picture_runs))) for word in OUTPUTS[verb][0]]
        return call(*words)

    return run


def refused(answer: tuple[int, str, str], *words: str) -> None:
    code, _, error = answer
    assert code == 2, error
    assert len(error.strip().splitlines()) == 1, error
    assert all(word in error for word in words), error


def test_the_table_holds_every_option_that_names_an_output():
    inputs = {"source", "target", "reference", "gold", "reverse", "resume", "plugin", "lexicon", "ensemble"}
    inputs |= {"tmx", "terms", "support", "keys"}  # a key is added to the lines of --keys (tests/server)
    found = set()
    for verb, (place, _) in VERBS.items():
        module, _, name = place.partition(":")
        group = getattr(import_module(module), name)
        commands = [one.callback for one in group.registered_commands] if isinstance(group, typer.Typer) else [group]
        for command in commands:
            for parameter in inspect.signature(command, eval_str=True).parameters.values():
                kind, *marks = get_args(parameter.annotation)
                is_option = any(type(mark).__name__ == "OptionInfo" for mark in marks)
                if is_option and "Path" in str(kind) and parameter.name not in inputs:
                    found.add((verb, parameter.name))
    assert found == set(OUTPUTS) | ALWAYS_NEW


def test_a_corpus_is_never_written_over(call, tmp_path):
    (tmp_path / "out.txt").write_bytes(MINE)
    refused(call("cluster", "translate", RNN, __file__, "--out", tmp_path / "out.txt"), "exists already")
    assert (tmp_path / "out.txt").read_bytes() == MINE


@pytest.mark.parametrize(("verb", "ending"), FILES)
def test_a_file_of_another_kind_is_refused_and_kept(write, tmp_path, verb, ending):
    out = tmp_path / f"taken{ending}"
    out.write_bytes(MINE)
    refused(write(verb, out), str(out), "would be lost", "name another file")
    assert out.read_bytes() == MINE
    folder = tmp_path / f"folder{ending}"
    folder.mkdir()
    refused(write(verb, folder), str(folder), "is a folder")
    refused(write(verb, out / f"inside{ending}"), str(out), "is a file")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["source.txt", "target.txt", out.name, folder.name]
    )


def made_elsewhere(path: Path) -> bytes:
    """A file of the same kind that another program wrote."""
    if path.suffix == ".png":
        return png_bytes(np.zeros((5, 5, 3), np.uint8))
    if path.suffix == ".npz":
        np.savez(path, mine=np.zeros(3))
        return path.read_bytes()
    return {
        ".svg": b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="3"/></svg>',
        ".html": b"<!doctype html><title>mine</title>",
        ".json": b'{"mine": 1}',
    }[path.suffix]


@pytest.mark.parametrize(("verb", "ending"), FILES)
def test_a_file_of_the_same_kind_from_another_program_is_kept(write, tmp_path, verb, ending):
    out = tmp_path / f"photograph{ending}"
    content = made_elsewhere(out)
    out.write_bytes(content)
    refused(write(verb, out), str(out), "would be lost", "name another file")
    assert out.read_bytes() == content


def test_the_picture_that_is_described_is_not_drawn_over(call, picture_runs, tmp_path):
    photograph = shutil.copy(picture_runs / "picture.png", tmp_path / "photograph.png")
    before = photograph.read_bytes()
    refused(call("caption", picture_runs / "captions", photograph, "--plot", photograph), "would be lost")
    assert photograph.read_bytes() == before


def test_an_argos_package_from_elsewhere_is_kept(call, tmp_path):
    out = tmp_path / "translate-en_fr.argosmodel"
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("translate-en_fr/metadata.json", '{"from_code": "en"}')
    before = out.read_bytes()
    refused(
        call("export", TRANSFORMER, "--to", "argos", "--out", out), "not an Argos package of Jumok", "would be lost"
    )
    assert out.read_bytes() == before


@pytest.mark.parametrize(("verb", "ending"), FILES)
def test_its_own_output_is_written_again(write, tmp_path, verb, ending):
    out = tmp_path / f"new{ending}"
    out.write_bytes(b"")
    code, _, error = write(verb, out)
    assert code == 0, error
    first = out.read_bytes()
    assert first
    code, _, error = write(verb, out)
    assert code == 0, error
    assert out.read_bytes()[:20] == first[:20]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".writing-")]


@pytest.mark.parametrize("verb", FOLDERS)
def test_a_file_is_not_a_place_for_a_folder(write, tmp_path, verb):
    out = tmp_path / "taken"
    out.write_bytes(MINE)
    for place in (out, out / "inside"):
        code, _, error = write(verb, place)
        assert code == 2, error
        assert len(error.strip().splitlines()) == 1, error
        assert "Traceback" not in error
    assert out.read_bytes() == MINE


@pytest.mark.parametrize("verb", WRITES_WHOLE_FOLDERS)
def test_a_folder_of_another_kind_is_refused_and_kept(write, tmp_path, verb):
    out = tmp_path / "full"
    out.mkdir()
    (out / "notes.txt").write_bytes(MINE)
    code, _, error = write(verb, out)
    assert code == 2, error
    assert str(out) in error
    assert [path.name for path in out.iterdir()] == ["notes.txt"]
    assert (out / "notes.txt").read_bytes() == MINE


@pytest.mark.parametrize("verb", [("export", "out"), ("average", "out"), ("train", "out")])
def test_a_run_is_never_replaced(write, tmp_path, verb):
    run = Path(shutil.copytree(TRANSFORMER, tmp_path / "run"))
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    code, _, error = write(verb, run)
    assert code == 2, error
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_an_export_is_replaced_by_an_export_and_nothing_else_is(write, tmp_path):
    out = tmp_path / "deep" / "exported"
    for _ in range(2):
        code, _, error = write(("export", "out"), out)
        assert code == 0, error
    assert [path.name for path in out.parent.iterdir()] == ["exported"]
    names = sorted(path.name for path in out.iterdir())
    (out / "notes.txt").write_bytes(MINE)
    refused(write(("export", "out"), out), "it holds notes.txt", "name a new folder")
    (out / "notes.txt").unlink()
    (out / "jumok.json").unlink()
    refused(write(("export", "out"), out), "it has no jumok.json")
    assert sorted(path.name for path in out.iterdir()) == [name for name in names if name != "jumok.json"]


def test_the_phrasebook_grows_but_does_not_replace_other_text(write, tmp_path):
    out = tmp_path / "corpus"
    verb = ("data", "out")
    for _ in range(2):
        code, _, error = write(verb, out)
        assert code == 0, error
    text = (out / "train.en").read_bytes()
    (out / "train.ko").write_bytes(MINE)
    refused(write(verb, out), "train.ko has other lines and would be lost")
    assert (out / "train.ko").read_bytes() == MINE
    (out / "train.ko").unlink()
    (out / "train.en").write_bytes(text + MINE)
    refused(write(verb, out), "train.en has other lines and would be lost")
    assert not (out / "train.ko").exists()


@pytest.mark.parametrize("command", [["card"], ["evaluate", "--size", "3", "--quick", "--card"]])
def test_a_readme_of_the_users_own_is_kept(call, tmp_path, command):
    run = Path(shutil.copytree(RNN, tmp_path / "run"))
    verb, *options = command
    (run / "README.md").write_bytes(MINE)
    refused(call(verb, run, *options), "README.md is not a model card")
    assert (run / "README.md").read_bytes() == MINE
    assert not (run / "evaluation.json").exists()
    (run / "README.md").unlink()
    for _ in range(2):
        code, _, error = call(verb, run, *options)
        assert code == 0, error
    assert b"library_name: jumok" in (run / "README.md").read_bytes()
