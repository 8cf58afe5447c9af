"""`jumok export`, `jumok shortlist` and `jumok translate --engine` as a user calls them."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jumok.errors import InputError
from jumok.tasks.translation.model import load
from tests.test_cli_translate import LINES, RUN, TRANSFORMER

TRAINED = Path(__file__).parent / "trained"


def test_engines_write_the_same(call, source):
    plain = call("translate", RUN, source, "--engine", "torch", "--alignment")
    assert call("translate", RUN, source, "--engine", "fast", "--workers", 2, "--alignment") == plain
    assert call("translate", RUN, source, "--alignment") == plain


def test_a_transformer_is_exported_and_translates_the_same(call, source, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(TRANSFORMER, run)
    assert call("export", run, "--to", "ctranslate2")[0] == 0
    plain = call("translate", run, source, "--beam", 1, "--json", "--engine", "torch")
    quick = call("translate", run, source, "--beam", 1, "--json", "--engine", "ctranslate2")
    for mine, its in zip(quick[1].splitlines(), plain[1].splitlines(), strict=True):
        mine, its = json.loads(mine), json.loads(its)
        assert (mine["text"], mine["alignment"]) == (its["text"], its["alignment"])


def test_auto_says_once_that_ctranslate2_is_quicker(source):
    program = (
        "from jumok.tasks.translation.model import load\n"
        f"for _ in range(2): load({str(TRAINED / 'transformer')!r}, engine='auto')\n"
        f"load({str(TRAINED / 'transformer')!r}, engine='torch'); load({str(TRAINED / 'rnnsearch')!r}, engine='auto')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count("CTranslate2 is installed and faster") == 1
    assert len(done.stderr.splitlines()) == 1
    command = [sys.executable, "-m", "jumok", "translate", TRAINED / "transformer", source, "--json", "--beam", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "--engine ctranslate2" in done.stderr
    assert [json.loads(line)["source"] for line in done.stdout.splitlines()] == LINES
    done = subprocess.run([*command, "--engine", "torch"], capture_output=True, text=True, check=True)
    assert done.stderr == ""


def test_a_shortlist_is_made_from_the_training_text_or_from_files(call, source, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(RUN, run)
    code, _, err = call("translate", run, source, "--shortlist")
    assert code == 2
    assert "jumok shortlist" in err
    assert call("shortlist", run, "--pairs", 500)[0] == 0
    assert call("translate", run, source, "--shortlist", "--precision", "int8")[0] == 0
    assert call("shortlist", run, source, source)[0] == 0
    assert call("shortlist", run, source)[0] == 2


@pytest.mark.parametrize(
    "wrong",
    [("--engine", "fsat"), ("--engine", "ctranslate2"), ("--engine", "torch", "--precision", "int8")],
)
def test_what_cannot_be_is_one_sentence(call, source, wrong):
    code, _, err = call("translate", RUN, source, *wrong)
    assert code == 2
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1


def test_the_command_with_the_fast_engine_needs_no_torch(source):
    arguments = ["jumok", "translate", str(RUN), str(source), "--beam", "5", "--attention", "--json"]
    program = (
        f"import sys; sys.argv = {arguments!r}\n"
        "from jumok.cli.app import run\n"
        "try: run()\n"
        "finally: print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    *written, torch = done.stdout.splitlines()
    assert torch == "False"
    assert [json.loads(line)["source"] for line in written] == LINES
    shown = [bool(json.loads(line)["attention"]["cross"]) for line in written]
    assert shown == [bool(line) for line in LINES]


@pytest.mark.parametrize("wrong", [{"precision": "int8"}, {"shortlist": True}])
def test_what_torch_cannot_do_is_refused_in_python_too(wrong):
    with pytest.raises(InputError, match="--engine fast or ctranslate2"):
        load(RUN, **wrong)


def test_translating_with_the_fast_engine_needs_no_torch():
    program = (
        "import sys; from jumok.tasks.translation.model import load; "
        f"print(load({str(RUN)!r}, engine='auto').translate({LINES[0]!r}).text); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["False"]
