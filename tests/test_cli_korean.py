"""The command line speaks Korean where Korean is asked for: help, usage and errors, with nothing left untranslated."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from jumok.cli.app import VERBS, app, load_verb
from jumok.cli.korean import FRAME, HELP
from jumok.cli.korean_errors import ERRORS, in_korean
from jumok.language import asked_language, language_of_locale

ROOT = Path(__file__).parents[1]
HANGUL = re.compile("[가-힣]")


@pytest.fixture
def no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUMOK_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def jumok(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if name not in ("JUMOK_LANG", "LC_ALL", "LANG")}
    return subprocess.run(
        [sys.executable, "-m", "jumok", *arguments],
        capture_output=True,
        text=True,
        env={**clean, "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1", **environment},
        timeout=300,
    )


def helps(command: Any) -> Iterator[str]:
    """Every help text of a command, its options and its inner commands."""
    yield command.help
    for option in command.params:
        if getattr(option, "help", None):
            yield option.help
    for inner in getattr(command, "commands", {}).values():
        yield from helps(inner)


# ------------------------------------------------------------ the tables


@pytest.mark.usefixtures("no_language")
def test_every_help_text_has_its_korean():
    texts = set(helps(get_command(app))).union(*(helps(load_verb(verb)) for verb in VERBS))
    assert texts - set(HELP) == set()
    assert set(HELP) - texts == set(), "entries of options that are gone"


def test_the_korean_is_korean():
    same = {english for english, korean in HELP.items() if not HANGUL.search(korean)}
    assert same == {"cpu, cuda, cuda:0, …"}
    assert all(HANGUL.search(korean) for korean in [*FRAME.values(), *ERRORS.values()])


def test_errors_have_the_same_blanks_in_both_languages():
    for english, korean in ERRORS.items():
        assert set(re.findall(r"\{(\w+)\}", korean)) <= set(re.findall(r"\{(\w+)\}", english))


def sentences(path: Path) -> Iterator[str]:
    """What each `raise` of a file says, with something in its blanks."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            said = node.exc.args[0]
            if isinstance(said, ast.Constant):
                yield str(said.value)
            elif isinstance(said, ast.JoinedStr):
                yield "".join(str(p.value) if isinstance(p, ast.Constant) else "7" for p in said.values)


@pytest.mark.parametrize(
    "path",
    [
        *sorted((ROOT / "src/jumok/inspect").glob("*.py")),
        ROOT / "src/jumok/cli/attention.py",
        *(ROOT / f"src/jumok/attention/{name}.py" for name in ("catalog", "score", "scope", "normalise")),
        *(ROOT / f"src/jumok/{name}.py" for name in ("run/folder", "config/resolve", "config/kinds", "tasks/staging")),
    ],
    ids=lambda path: path.stem,
)
def test_every_error_of_explain_and_of_opening_a_run_has_its_korean(path: Path):
    assert [said for said in sentences(path) if not HANGUL.search(in_korean(said))] == []


# ------------------------------------------------------------ the command line


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("--lang", "ko", "--help"), {}),
        (("--help", "--lang=ko"), {}),
        (("--help",), {"JUMOK_LANG": "ko"}),
        (("--help",), {"LANG": "ko_KR.UTF-8"}),
    ],
)
def test_korean_is_asked_for(arguments: tuple[str, ...], environment: dict[str, str]):
    done = jumok(*arguments, **environment)
    assert done.returncode == 0
    assert done.stdout.startswith("사용법: jumok [옵션] 명령")
    assert "\n명령:\n" in done.stdout
    assert not [word for word in FRAME if word.strip() in done.stdout]
    assert len(re.findall(r"^  [a-z]+ +[^\n]*[가-힣]", done.stdout, re.MULTILINE)) == len(VERBS)


def test_the_language_asked_for_wins_over_the_locale():
    assert jumok("--help", JUMOK_LANG="en", LANG="ko_KR.UTF-8").stdout.startswith("Usage:")
    assert jumok("--lang", "en", "--help", LANG="ko_KR.UTF-8").stdout.startswith("Usage:")


def test_help_of_a_verb_and_of_a_verb_inside():
    found = jumok("explain", "--help", "--lang", "ko").stdout
    assert "쿼리 벡터" in found
    assert "default" not in jumok("translate", "--help", "--lang", "ko").stdout.replace("--default", "")
    assert not [word for word in FRAME if word.strip() in found]
    assert "SHA-256" in jumok("--lang", "ko", "run", "verify", "-h").stdout
    assert jumok("--lang", "ko", "run", "verify", "-h").stdout.startswith("사용법: jumok run verify")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nope",), "없는 명령입니다: 'nope'"),
        (("explain", "--nope"), "없는 옵션입니다: --nope"),
        (("explain", "--seed", "x"), "'--seed'에 쓸 수 없는 값입니다: 정수여야"),
        (("explain", "bahdanauu"), "혹시 'bahdanau'?"),
        (("explain", "dot", "--query", "1,x", "--keys", "1,2"), "--query에 수가 아닌 것이 있습니다: 'x'"),
        (("explain", "dot", "--query", "1,2", "--keys", "1,2,3"), "쿼리는 2, 키는 3입니다"),
        (("explain", "general", "--option", "DD=1"), "메커니즘 'general'에 없는 옵션입니다: 'DD'"),
        (("explain", "dot", "--plot", "a.pdf"), "그림은 .svg나 .png로만"),
        (("translate", "nowhere"), "실행 폴더가 없습니다: nowhere. `jumok train --out nowhere`로 먼저"),
        (("train", "train.max_step=1"), "없는 설정 키입니다: 'train.max_step' (혹시 'train.max_steps'?)"),
        (("train", "train.max_steps=x"), "설정 키 'train.max_steps'에 쓸 수 없는 값입니다('x'): 정수여야 합니다."),
        (("train", "nowhere.yaml"), "설정 파일이 없습니다: nowhere.yaml"),
        (("train", "--source", "a.en", "--target", "a.ko"), "파일이 없습니다: a.en. 이름과"),
    ],
)
def test_errors_are_korean_and_leave_with_two(arguments: tuple[str, ...], said: str):
    done = jumok(*arguments, JUMOK_LANG="ko")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith("오류: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_without_a_translation_is_told_in_english():
    done = jumok("translate", "no-such-run", JUMOK_LANG="ko")
    assert done.returncode == 2
    assert done.stderr.startswith("오류: ")
    assert "no-such-run" in done.stderr


def test_korean_runs_and_exits_as_english_does():
    assert jumok("--version", JUMOK_LANG="ko").stdout == jumok("--version").stdout
    done = jumok("explain", JUMOK_LANG="ko")
    assert done.returncode == 0
    assert "1단계" in done.stdout


def test_an_unknown_language_is_an_error():
    done = jumok("--lang", "fr", "mechanisms")
    assert done.returncode == 2
    assert "one of en, ko" in done.stderr


def test_the_english_help_loads_no_korean():
    code = (
        "import sys; sys.argv = ['jumok', '--help']\nfrom jumok.cli.app import run\n"
        "try: run()\nexcept SystemExit: pass\n"
        "assert not [name for name in sys.modules if 'korean' in name], sys.modules"
    )
    clean = {name: value for name, value in os.environ.items() if name not in ("JUMOK_LANG", "LC_ALL", "LANG")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=clean, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "language"),
    [
        ((), None),
        (("--lang", "ko"), "ko"),
        (("explain", "--lang=en"), "en"),
        (("--lang",), None),
        (("--lang", "fr"), None),
    ],
)
def test_asked_language(arguments: tuple[str, ...], language: str | None):
    assert asked_language(arguments) == language


def test_language_of_the_environment():
    assert language_of_locale({"JUMOK_LANG": "ko", "LANG": "en_US"}) == "ko"
    assert language_of_locale({"JUMOK_LANG": "fr", "LANG": "ko_KR"}) == "ko"
    assert language_of_locale({}) == "en"
