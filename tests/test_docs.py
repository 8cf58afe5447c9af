"""The commands and the Python that the documents show are run as they stand there.

A document's blocks run in a folder that looks like a clone: `docs`, `configs` and `benchmarks`, small input files under
the names the documents use, and a run `runs/demo`. Training is real and small: `.venv/bin/jumok` is a script there that
appends what `APPENDED` lists to the command of the document.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jumok.data.glyphbook import draw
from jumok.data.images import png_bytes
from jumok.data.picturebook import caption_of, generate
from jumok.data.picturebook import draw as draw_scenes

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "README.ko.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name != "log.md"),
]
SMALL = (
    "data.phrasebook_size=200 data.held_out=10 model.embedding=8 model.encoder.size=8 model.decoder.size=8 "
    "train.max_steps=2 train.batch_tokens=128 train.validate_size=2 train.pictures=1 runtime.threads=1"
)
# What is appended to a command so that it takes seconds; each is an ordinary argument of that command.
APPENDED = {
    "train --resume": "train.max_steps=3",
    "train task=few-shot": "data.classes=8 data.held_out=6 data.queries=1 train.max_steps=2 train.validate_size=2 "
    "runtime.threads=1",
    "train task=captioning": "data.picturebook_size=120 data.held_out=10 model.embedding=8 model.encoder.size=8 "
    "model.decoder.size=8 train.max_steps=2 train.batch_tokens=128 train.validate_size=2 runtime.threads=1",
    "train task=image-gan": "data.size=150 data.held_out=60 model.width=4 train.max_steps=1 runtime.threads=1",
    "train task=bandits": "data.batch=8 train.max_steps=2 train.validate_size=10 runtime.threads=1",
    "train task=summarisation": f"data.newsbook_size=200 {SMALL}",
    "train task=curve": "train.max_steps=2 runtime.threads=1",
    "train": SMALL,
    "adapt": "train.max_steps=2 runtime.threads=1",
    "evaluate": "--size 20 --threads 1",
    "aligner": "--epochs 1 --threads 1",
    "run calibrate": "--source source.txt --reference target.txt --threads 1",
}
# Commands that are not run here, by how they begin, and why.
EXCLUDED = {
    "make demo": "trains for three minutes; `jumok demo` itself is tested with `jumok train`",
    "make test": "runs this test among all others",
    "make web": "needs Node",
    ".venv/bin/jumok import opus-mt-ko-en": "needs a model; tests/tasks/test_marian.py makes and imports some",
    ".venv/bin/jumok export runs/ko-en": "needs the imported model; tests/tasks/test_marian.py exports such",
    "make results": "needs Multi30k, and hours",
    "git clone": "needs the network",
    ".venv/bin/jumok serve runs/demo": "serves until Ctrl-C; tests/server starts it",
    ".venv/bin/jumok studio": "serves until Ctrl-C; tests/studio and tests/browser start it",
    ".venv/bin/jumok train configs/": "needs Multi30k; tests/benchmarks/test_recipes.py resolves every recipe",
}
# Programs that measure for minutes or hours: only their names and options are checked.
MEASURES = re.compile(r"(taskset -c \d+ )?((\.venv/bin/)?python benchmarks/\w+\.py.*)")
COMMAND = re.compile(r"(?:\$ |    (?=(?:\.venv/bin/)?(?:jumok|python) ))(.+)")
LINES = [(f"The {noun} is {kind}.", f"{noun} {kind}") for noun in ["house", "dog", "book", "tree", "road"]
         for kind in ["small", "old", "green", "good", "new"]]  # fmt: skip


def blocks(path: Path) -> list[list[str]]:
    """The commands of a document, those of one block together; comments stay, a shell knows them."""
    found: list[list[str]] = [[]]
    for line in path.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        command = COMMAND.fullmatch(line)
        if command:
            found[-1].append(command[1])
        elif found[-1]:
            found.append([])
    return [block for block in found if block]


def python_of(path: Path) -> list[str]:
    """The Python blocks of a document."""
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def is_excluded(command: str) -> bool:
    return any(command.startswith(start) for start in EXCLUDED)


def environment(folder: Path) -> dict[str, str]:
    source = str(ROOT / "src")
    paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        "PATH": f"{folder / '.venv' / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "agg",
    }


def shell(folder: Path, command: str, seconds: int = 300) -> subprocess.CompletedProcess[str]:
    """The command as bash runs it in the folder."""
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=seconds, check=False,
    )  # fmt: skip


def write_programs(folder: Path) -> None:
    """`.venv/bin/jumok` and `.venv/bin/python`."""
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    cases = "\n".join(f'  "{verb} "*) set -- "$@" {more} ;;' for verb, more in APPENDED.items())
    python = shlex.quote(sys.executable)
    scripts = {
        # A plugin may be named before the command.
        "jumok": '#!/bin/sh\nwords="$* "\ncase "$words" in "--plugin "*) words="${words#--plugin * }" ;; esac\n'
        f'case "$words" in\n{cases}\nesac\nexec {python} -m jumok "$@"\n',
        "python": f'#!/bin/sh\nexec {python} "$@"\n',
    }
    for name, text in scripts.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A clone with `runs/demo`, trained for two steps."""
    folder = tmp_path_factory.mktemp("demo")
    write_programs(folder)
    done = shell(folder, "jumok train --out runs/demo")
    assert done.returncode == 0, done.stderr
    return folder / "runs" / "demo"


@pytest.fixture
def clone(demo, tmp_path):
    """A folder that looks like a clone, with the files that the documents name."""
    write_programs(tmp_path)
    for name in ("docs", "configs", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(demo, tmp_path / "runs" / "demo")
    sources, targets = ("\n".join(side) + "\n" for side in zip(*LINES, strict=True))
    for name in ("train.en", "source.txt", "input.txt", "text.en"):
        (tmp_path / name).write_text(sources)
    for name in ("train.de", "train.ko", "target.txt", "text.grc"):
        (tmp_path / name).write_text(targets)
    (tmp_path / "one-line.txt").write_text("The teacher reads a book.\n")
    (tmp_path / "article.txt").write_text("A fire broke out in Velton. Nobody was hurt.\n")
    (tmp_path / "articles.jsonl").write_text('{"paragraphs": ["A fire broke out in Velton.", "Nobody was hurt."]}\n')
    (tmp_path / "gold").write_text("0-1 1-3\n" * len(LINES))
    write_pictures(tmp_path)
    return tmp_path


def write_pictures(folder: Path) -> None:
    """Class folders of drawn letters, and a new drawing."""
    for name, classes in (("shots", range(3)), ("characters", range(10, 16)), ("others", range(20, 26))):
        for one in classes:
            (folder / name / f"letter-{one}").mkdir(parents=True)
            for drawing in range(2):
                (folder / name / f"letter-{one}" / f"{drawing}.png").write_bytes(png_bytes(255 - draw(1, one, drawing)))
    (folder / "photos").mkdir()
    scenes = list(generate("train", 12))
    for number, pixels in enumerate(draw_scenes(scenes)):
        (folder / "photos" / f"{number}.png").write_bytes(png_bytes(pixels))
    lines = [f"{number}.png\t{caption_of(scene, 'en').text}" for number, scene in enumerate(scenes)]
    (folder / "photos.tsv").write_text("\n".join(lines) + "\n")
    (folder / "photo.png").write_bytes((folder / "photos" / "0.png").read_bytes())
    (folder / "new.png").write_bytes(png_bytes(255 - draw(1, 1, 5)))


def runnable():
    """Each block with commands that can be run; a command that an earlier document shows is run once."""
    seen: set[str] = set()
    for path in DOCUMENTS:
        for number, block in enumerate(blocks(path), start=1):
            commands = [one.partition("  #")[0].strip() for one in block]
            commands = [one for one in commands if not (one in seen or is_excluded(one) or MEASURES.match(one))]
            seen.update(commands)
            if commands:
                yield pytest.param(commands, id=f"{path.relative_to(ROOT)}-{number}")


@pytest.mark.slow
@pytest.mark.parametrize("commands", runnable())
def test_commands_work(clone, commands):
    for command in commands:
        done = shell(clone, command)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in DOCUMENTS if python_of(path)], ids=lambda path: path.name)
def test_python_works(clone, path):
    """The blocks of a document one after the other: a later one may use what an earlier one imported."""
    (clone / "document.py").write_text("\n".join(python_of(path)), encoding="utf-8")
    done = shell(clone, "python document.py", 580)
    assert done.returncode == 0, done.stderr


def measuring() -> list[str]:
    found = (MEASURES.match(one) for path in DOCUMENTS for block in blocks(path) for one in block)
    return sorted({one[2].partition("#")[0].strip() for one in found if one})


@pytest.mark.parametrize("command", measuring())
def test_programs_that_measure_exist_and_know_their_options(clone, command):
    _, program, *arguments = shlex.split(command)
    known = shell(clone, f"python {program} --help")
    assert known.returncode == 0, known.stderr
    for argument in arguments:
        if argument.startswith("--"):
            assert argument in known.stdout, command


def test_the_lists_are_up_to_date():
    commands = [one for path in DOCUMENTS for block in blocks(path) for one in block]
    assert len(commands) > 50
    for start in EXCLUDED:
        assert any(one.startswith(start) for one in commands), f"no document shows '{start}' any more"
    ours = [re.sub(r"^(.*\| )?(\.venv/bin/)?jumok (--plugin \S+ )?", "", one) for one in commands if "jumok " in one]
    for verb in APPENDED:
        assert any(one.startswith(verb) for one in ours), f"no document shows `jumok {verb}` any more"
