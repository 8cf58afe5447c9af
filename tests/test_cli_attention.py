"""`jumok mechanisms` and `jumok explain`, and a mechanism of the user's own everywhere."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner, Result

from jumok.attention import Attended, build, catalog, load_plugins
from jumok.cli.app import app
from jumok.errors import JumokError

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "docs" / "examples" / "euclid.py"
COLUMNS = ["name", "score", "scope", "align", "paper", "good_for"]


def jumok(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def told(*arguments: str) -> str:
    result = jumok(*arguments)
    assert result.exit_code == 0, result.exception
    return result.stdout


def refused(*arguments: str) -> str:
    result = jumok(*arguments)
    assert isinstance(result.exception, JumokError), result.exception
    assert result.exception.exit_code == 2
    assert not result.stdout
    return str(result.exception)


def in_a_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jumok", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        timeout=300,
    )


# ------------------------------------------------------------ mechanisms


def test_mechanisms_as_json():
    rows = json.loads(told("mechanisms", "--json"))
    assert [list(row) for row in rows] == [COLUMNS] * len(rows)
    names = {row["name"] for row in rows}
    scores = "dot scaled_dot general additive concat perceptron cosine location kernel uniform"
    papers = "bahdanau luong-dot luong-general luong-concat luong-location luong-local-m luong-local-p nadaraya-watson"
    assert set(f"{scores} {papers} transformer hard sparsemax entmax15".split()) <= names
    assert all(row["paper"] and row["good_for"] for row in rows)


def test_mechanisms_as_a_table_in_both_languages():
    english, korean = told("mechanisms", "--lang", "en"), told("mechanisms", "--lang", "ko")
    assert len(english.splitlines()) == len(korean.splitlines()) == len(catalog()) + 2
    assert "Luong, Pham, Manning 2015" in english
    assert "\x1b" not in english
    assert "용도" in korean
    assert re.search("[가-힣]", korean.splitlines()[-1])


# ------------------------------------------------------------ explain


def test_explain_without_arguments_prints_the_worked_example():
    done = in_a_process("explain", LC_ALL="C.UTF-8")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "[2.86251858e-20 1.00000000e+00 2.86251858e-20 1.38879439e-11]" in done.stdout
    assert "[5.00000000e+00 6.94397194e-11 1.00000000e+00]" in done.stdout
    assert "\x1b" not in done.stdout
    assert len(re.findall(r"^Step \d", done.stdout, re.MULTILINE)) == 5


def test_explain_as_json():
    found = json.loads(told("explain", "--json"))
    assert found["scores"] == [15, 60, 15, 35]
    assert found["weights"] == pytest.approx([2.86251858e-20, 1, 2.86251858e-20, 1.38879439e-11], rel=1e-8)
    assert found["alignment"][1] == pytest.approx([5, 0, 1])
    assert found["context"] == pytest.approx([5, 6.94397194e-11, 1], rel=1e-8)


def test_explain_with_given_vectors_and_parameters():
    base = ("explain", "general", "--query", "1,3", "--keys", "2,-5; 0,1", "--values", "1;2", "--json")
    found = json.loads(told(*base, "--param", "W=1,7;-8,4"))
    assert found["scores"] == [-141, 19]
    assert found["context"] == pytest.approx([2])
    assert found["parameters"]["W"] == [[1, 7], [-8, 4]]
    closed = json.loads(told(*base, "--param", "W=1,0;0,1", "--mask", "1,0"))
    assert closed["weights"] == [1, 0]
    assert closed["scores"][0] == -13


def test_explain_several_queries():
    found = json.loads(told("explain", "dot", "--query", "1,0;0,1;1,1", "--keys", "1,2;3,4", "--json"))
    assert found["scores"] == [[1, 3], [2, 4], [3, 7]]
    assert len(found["context"]) == len(found["steps"]) == 3


def test_options_seed_and_position():
    found = json.loads(told("explain", "luong-local-m", "--option", "D=0", "--position", "2", "--seed", "5", "--json"))
    assert found["options"]["D"] == 0
    assert found["weights"] == [0, 0, 1, 0, 0, 0, 0]
    assert found["scores"][0] is None


def test_korean():
    text = told("explain", "bahdanau", "--lang", "ko")
    assert "1단계" in text
    assert "h_i = [→h_i; ←h_i]" in text
    assert "s_{t−1}" in text


@pytest.mark.parametrize("name", ["generalise", "generalize", "일반화"])
def test_generalise(name: str):
    found = json.loads(told("explain", name, "--json"))
    assert max(found["agreements"].values()) < 1e-12
    assert [row["d"] for row in found["scaling"]][-1] == 1024


def test_the_regression_is_drawn(tmp_path: Path):
    path = tmp_path / "out.svg"
    told("explain", "nadaraya-watson", "--plot", str(path), "--option", "bandwidth=0.7", "--option", "profile=boxcar")
    assert "boxcar kernel, h = 0.7" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bahdanauu",), "did you mean 'bahdanau'"),
        (("dot", "--query", "1,x", "--keys", "1,2"), "--query has 'x'"),
        (("dot", "--query", "1,2", "--keys", "1,2;3"), "--keys"),
        (("dot", "--query", "1,2"), "without --keys"),
        (("--query", "1,2"), "need a mechanism"),
        (("generalise", "--keys", "1"), "no vectors"),
        (("general", "--param", "W"), "NAME=VALUE"),
        (("general", "--option", "x=[1]"), "takes a number"),
        (("dot", "--lang", "fr"), "one of en, ko"),
        (("dot", "--plugin", "missing.py"), "missing.py"),
        (("dot", "--plot", "picture.pdf"), ".svg or .png"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], said: str):
    sentence = refused("explain", *arguments)
    assert said in sentence
    assert "\n" not in sentence


def test_an_error_leaves_with_two():
    done = in_a_process("explain", "dott")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert len(done.stderr.splitlines()) == 1


# ------------------------------------------------------------ a mechanism of one's own


def test_the_documented_example_is_the_file():
    code = EXAMPLE.read_text().partition('"""\n\n')[2]
    assert code.strip() in (ROOT / "docs" / "own-mechanism.md").read_text()
    lines = [line for line in code.splitlines() if line.strip() and not line.strip().startswith('"""')]
    assert len(lines) <= 18


@pytest.mark.usefixtures("own_catalogue")
def test_own_mechanism_in_python():
    load_plugins([EXAMPLE])
    query, keys = torch.randn(2, 3, 5, dtype=torch.float64), torch.randn(2, 7, 5, dtype=torch.float64)
    out: Attended = build("euclid", query_dim=5, key_dim=5, beta=2.0)(query, keys)
    assert out.scores is not None
    torch.testing.assert_close(out.scores, -2 * (query[:, :, None] - keys[:, None]).norm(dim=-1))
    for options in ({"heads": 5}, {"scope": "local_m", "D": 1}, {"align": "sparsemax"}):
        assert build("euclid", query_dim=5, key_dim=5, **options).double()(query, keys).context.shape == (2, 3, 5)


@pytest.mark.usefixtures("own_catalogue")
def test_own_mechanism_on_the_command_line():
    rows = json.loads(told("mechanisms", "--plugin", str(EXAMPLE), "--json"))
    assert rows[-1]["name"] == rows[-1]["score"] == "euclid"
    text = told("explain", "euclid", "--plugin", str(EXAMPLE), "--query", "0,0", "--keys", "3,4;0,1", "--lang", "en")
    assert "e = [-5 -1]" in text
    assert "‖q − k_i‖ = [5 1]" in text


@pytest.mark.usefixtures("own_catalogue")
def test_documented_scope_align_and_composition(tmp_path: Path):
    """The other code blocks of the document run as they stand."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "own-mechanism.md").read_text(), re.DOTALL)
    path = tmp_path / "parts.py"
    path.write_text("import torch\n\n" + "\n".join(blocks[-2:]))
    load_plugins([path])
    keys = torch.randn(1, 5, 4)
    every_other = build("every_other", query_dim=4, key_dim=4)(keys, keys).weights
    assert every_other is not None
    assert (every_other[0, 4] > 0).tolist() == [True, False, True, False, True]
    quadratic = build("quadratic", query_dim=4, key_dim=4)(keys, keys).weights
    assert quadratic is not None
    torch.testing.assert_close(quadratic.sum(-1), torch.ones(1, 5))
    build("sharp-dot", query_dim=4, key_dim=4)(keys, keys)


def test_own_mechanism_as_an_installed_package(tmp_path: Path):
    (tmp_path / "jumok_euclid.py").write_text(EXAMPLE.read_text())
    info = tmp_path / "jumok_euclid-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: jumok-euclid\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[jumok.mechanisms]\neuclid = jumok_euclid\n")
    done = in_a_process("mechanisms", "--json", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[-1]["name"] == "euclid"
    # In Python nothing has to be loaded first: an unknown name is looked for in installed packages.
    code = "from jumok.attention import build; print(type(build('euclid', query_dim=2, key_dim=2).score).__name__)"
    python = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=300,
    )
    assert python.stdout.strip() == "Euclid", python.stderr


def test_a_broken_plugin_is_named(tmp_path: Path):
    path = tmp_path / "broken.py"
    path.write_text("1 / 0\n")
    assert "broken.py failed: ZeroDivisionError" in refused("mechanisms", "--plugin", str(path))


@pytest.mark.slow
def test_own_mechanism_is_trained_and_translates(tmp_path: Path):
    """In its own process: a run that only a user's file can build."""
    run = tmp_path / "run"
    settings = (
        "model.decoder.attention=euclid model.decoder.attention_options.beta=2.0 model.encoder.size=16 "
        "model.decoder.size=16 model.embedding=8 data.phrasebook_size=150 data.held_out=5 train.max_steps=2 "
        "train.validate_every=2 train.validate_size=2"
    )
    done = in_a_process("train", *settings.split(), f"plugins=[{EXAMPLE}]", "--out", str(run))
    assert done.returncode == 0, done.stderr
    source = tmp_path / "source.txt"
    source.write_text("I drink water .\n")
    without = in_a_process("translate", str(run), str(source))
    assert without.returncode == 2
    assert "euclid" in without.stderr
    translated = in_a_process("translate", str(run), str(source), "--plugin", str(EXAMPLE), "--json")
    assert translated.returncode == 0, translated.stderr
    assert json.loads(translated.stdout.splitlines()[0])
