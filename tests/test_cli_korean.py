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
from jumok.cli.in_korean import translate
from jumok.cli.korean import FRAME, HELP
from jumok.cli.korean_errors import ERRORS, TABLES, in_korean
from jumok.cli.telling import told
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


@pytest.mark.usefixtures("no_language")
@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_every_command_has_no_english_around_it(verb: str):
    command = translate(load_verb(verb))
    for name, inner in [(verb, command), *getattr(command, "commands", {}).items()]:
        text = inner.get_help(inner.make_context(name, [], resilient_parsing=True))
        assert "이 도움말을 보여" in " ".join(text.split())
        assert not re.search(r"\b(Show|Usage|Options|Arguments|Commands|default|required|exit)\b", text), text


def test_the_korean_is_korean():
    same = {english for english, korean in HELP.items() if not HANGUL.search(korean)}
    assert same == {"cpu, cuda, cuda:0, …"}
    assert all(HANGUL.search(korean) for korean in [*FRAME.values(), *ERRORS.values()])


def test_errors_have_the_same_blanks_in_both_languages():
    for english, korean in ERRORS.items():
        assert set(re.findall(r"\{(\w+)\}", korean)) <= set(re.findall(r"\{(\w+)\}", english))


def test_no_sentence_is_in_two_tables():
    assert len(ERRORS) == sum(map(len, TABLES))


def sentences(path: Path) -> Iterator[str]:
    """What each `raise` of a file says, with something in its blanks."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            said = node.exc.args[0]
            if isinstance(said, ast.Constant):
                yield str(said.value)
            elif isinstance(said, ast.JoinedStr):
                yield "".join(map(filled, said.values))


def filled(part: ast.expr) -> str:
    """A part of a formatted text: its words, or what stands for a blank."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    return "'7'" if isinstance(part, ast.FormattedValue) and part.conversion == ord("r") else "7"


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


SAID_FROM_PARTS = {
    "--plot needs attention, and 7.",
    "7; shorten it, or leave out --strict to translate its beginning.",
    "no pair is left 7 (7); 7.",
    "7 7",
    "7: 77.",
    "The gradient became 7 at step 77.",
    "7 translations are given, but 7 references7: lines must match",
    "nan",
}


@pytest.mark.parametrize(
    "place",
    [
        *("cli/*.py", "training/*.py", "tasks/training.py", "run/*.py", "output.py", "durable.py", "cluster/*.py"),
        *("tasks/translation/*.py", "tasks/translation/adaptation/*.py", "tasks/translation/marian/*.py"),
        *("tasks/*/check.py", "tasks/*/task.py", "tasks/*/measure.py", "tasks/*/prepare.py", "tasks/*/test_sets.py"),
        *("engine/argos.py", "engine/ctranslate2*.py", "engine/shortlist.py", "data/prepare.py", "data/corpus.py"),
        *("data/tmx.py", "data/lines.py", "data/phrasebook/generation.py", "data/picturebook/*.py"),
        *("decoding/length.py", "decoding/required.py", "decoding/rule_maker.py", "decoding/words.py"),
        *("evaluation/metrics.py", "evaluation/evaluate.py", "evaluation/rouge.py", "server/keys.py"),
        "server/glossary.py",
    ],
)
def test_every_error_of_a_command_has_its_korean(place: str):
    said = {one for path in (ROOT / "src/jumok").glob(place) for one in sentences(path)} - SAID_FROM_PARTS
    assert [one for one in said if re.search("[a-z]", one) and not HANGUL.search(in_korean(one))] == []


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
    assert not re.search(r"\.\.\.$", done.stdout.partition("\n명령:\n")[2], re.MULTILINE), "a line was cut"
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
        (("train", "--resume", "r", "--out", "q"), "--resume은 실행 폴더를 그대로 이어서 학습합니다."),
        (("train", "model.encoder.cell=foo"), "'tanh', 'gru', 'lstm' 중 하나여야 합니다."),
        (("evaluate", "r", "r"), "같은 실행 폴더를 두 번 지정했습니다."),
        (("export", "r", "--to", "zip"), "--to는 ctranslate2, argos, safetensors-hf 중 하나여야 하는데 'zip'입니다."),
        (("import", "nowhere", "--out", "q"), "nowhere는 폴더가 아닙니다. MarianMT 모델의 폴더를"),
        (("shortlist", "r", "a.en"), "SOURCE와 TARGET을 모두 지정하거나"),
        (("aligner", "a", "b", "--symmetrize", "unio"), "알 수 없는 --symmetrize입니다: 'unio' (혹시 'union'?)"),
        (("adapt", "r"), "적응에 쓸 텍스트를 지정하세요"),
        (("average", "r", "r", "--out", "q"), "같은 실행 폴더를 두 번"),
        (("data", "phrasebook", "--split", "tran"), "회화집에 'tran'이 없습니다 (혹시 'train'?)."),
        (("data", "check", "--source", "pyproject.toml"), "번역문 파일도 필요합니다: pyproject.toml."),
        (("run", "verify", "nowhere"), "실행 폴더가 없습니다: nowhere."),
        (("generate", "r", "--attention", "--nearest", "2"), "--attention과 --nearest는 함께 쓸 수 없습니다."),
        (("caption", "nowhere", "a.png"), "실행 폴더가 없습니다: nowhere."),
        (("play", "nowhere"), "실행 폴더가 없습니다: nowhere."),
        (("serve",), "서비스할 실행 폴더를 하나 이상 지정하세요."),
        (("cluster", "translate", "r", "a.en", "--out", "pyproject.toml"), "이미 있습니다: pyproject.toml."),
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


def test_training_and_the_use_of_its_run_are_told_in_korean(tmp_path: Path):
    run, text = str(tmp_path / "r"), tmp_path / "a.en"
    text.write_text("a book\n", encoding="utf-8")
    sizes = [f"model.{part}=8" for part in ("embedding", "encoder.size", "decoder.size")]
    amount = ["data.phrasebook_size=200", "data.held_out=10", "train.max_steps=2", "train.pictures=1"]
    done = jumok("train", "--out", run, *sizes, *amount, "runtime.threads=1", JUMOK_LANG="ko")
    assert done.returncode == 0, done.stderr
    assert "회화집에 맞춰 정한 설정: train.warmup=" in done.stderr
    assert f"실행 폴더: {run}" in done.stderr
    for arguments, said in (
        (("train", "--out", run, "train.max_steps=3"), f"실행 폴더가 이미 있습니다: {run}. --resume"),
        (("train", "--resume", run, "seed=2"), "이어서 학습할 때는 'seed'를 바꿀 수 없습니다."),
        (("train", "--resume", run, "train.max_steps=1"), "이미 스텝 2까지 학습했습니다."),
        (("export", run), "CTranslate2로 내보낼 수 없습니다: " + run + " (순환 신경망 미지원."),
        (("evaluate", run, "--source", str(text)), "--source에는 번역과 비교할 파일 --reference가 필요합니다."),
        (("translate", run, str(text), "--engine", "fas"), "없는 엔진입니다: 'fas' (혹시 'fast'?)."),
    ):
        done = jumok(*arguments, JUMOK_LANG="ko")
        assert done.returncode == 2
        assert said in done.stderr.splitlines()[-1]


def test_marks_before_a_sentence_are_korean(monkeypatch: pytest.MonkeyPatch):
    said = "warning: line 3 is longer than the model can read; its end is not scored."
    monkeypatch.setenv("JUMOK_LANG", "ko")
    assert told(said).startswith("경고: 3번째 줄이 모델이 읽을 수 있는")
    assert told("note: nobody translated this") == "참고: nobody translated this"
    monkeypatch.setenv("JUMOK_LANG", "en")
    assert told(said) == said


def test_a_name_among_the_words_is_not_translated():
    assert in_korean("There is no file pictures.") == "파일이 없습니다: pictures"


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
