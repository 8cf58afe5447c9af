"""`jumok train` as a user meets it: refusals before any work, a real tiny run, signals, and twenty deaths."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from jumok.cli.app import VERBS, run
from jumok.config import FORMAT

ROOT = Path(__file__).parents[1]
TINY = [
    "data.phrasebook_size=200",
    "data.held_out=10",
    "model.embedding=8",
    "model.encoder.size=8",
    "model.decoder.size=8",
    "train.batch_tokens=128",
    "train.validate_size=5",
    "train.validate_every=4",
    "train.save_every=4",
    "train.pictures=1",
    "train.log_every=2",
    "runtime.threads=1",
]


@pytest.fixture
def jumok(monkeypatch, capsys, tmp_path):
    """Runs the command line in this process, in an empty folder: (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["jumok", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            run()
        output = capsys.readouterr()
        return int(left.value.code or 0), output.out, output.err

    yield call
    torch.use_deterministic_algorithms(False)
    torch.set_flush_denormal(False)
    torch.set_num_threads(threads)


def write(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def test_help_lists_every_verb_and_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['jumok', '--help']\n"
        "from jumok.cli.app import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "print('HEAVY', [name for name in ('torch', 'numpy', 'pydantic', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert "HEAVY []" in done.stdout
    assert all(f"\n  {verb} " in done.stdout for verb in VERBS)


def test_completion_knows_verbs_and_options():
    def complete(words: str) -> list[str]:
        variables = {"_JUMOK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        code = "from jumok.cli.app import run; run()"
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=300,
            env=os.environ | variables,
            check=False,
        )
        return done.stdout.split()

    assert complete("jumok tra") == ["train", "translate"] or complete("jumok tra") == ["train"]
    assert {"--source", "--target", "--resume"} <= set(complete("jumok train --"))


def test_a_mistyped_verb_gets_a_hint(jumok):
    code, _, error = jumok("trian")
    assert code == 2
    assert "train" in error


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["train.max_step=3"], r"train.max_step' (did you mean 'train.max_steps'?)"),
        (["model.preset=rnnserch"], "did you mean 'rnnsearch'?"),
        (["train.teacher_forcing=linear"], "linear:1->0.5@2000"),
        (["model.decoder.attention=badanau"], "did you mean"),
        (["model.decoder.attention=luong-dot", "model.encoder.size=20", "model.decoder.size=12"], "dot"),
        (["train.stop_metric=bleu", "train.validate_size=0"], "train.validate_size"),
        (["model.tie_source=true"], "text.joint"),
        (["train.guided_alignment=0.5", "model.decoder.attention=none"], "attention"),
        (["text.sampling=0.1", "data.phrasebook_size=100"], "text.kind"),
        (["text.kind=unigram", "text.size=90000", "data.phrasebook_size=100"], "text.size"),
        (["data.phrasebook=en-kr"], "en-ko"),
        (["--source", "nowhere.en", "--target", "nowhere.ko"], "nowhere.en"),
        (["nowhere.yaml"], "nowhere.yaml"),
        (["model.preset=luong", "model.decoder.attention=luong-dot", "model.decoder.size=256"], "dot"),
        (["data.folder=somewhere"], "data.source"),
        (["data.dev_source=dev.en"], "data.source"),
        (["runtime.device=meta"], "runtime.device"),
        (
            ["model.preset=luong", "model.decoder.attention=luong-location", "model.decoder.max_positions=20"],
            "max_positions",
        ),
        (["data.max_length=2", "data.phrasebook_size=100"], "data.max_length"),
        (["."], "--resume"),
        (["a.yaml", "b.yaml"], "a.yaml, b.yaml"),
        (["data.target=x.ko"], "data.source"),
        (["runtime.device=gpu"], "runtime.device"),
        (["train.max_steps=-1"], "train.max_steps"),
        (["train.max_steps"], "train.max_steps"),
        (["train.init_from=nowhere", "data.phrasebook_size=100"], "nowhere"),
        (["text.of_run=nowhere"], "nowhere"),
        ([f"text.of_run={ROOT / 'tests/golden/transformer-1'}", "text.lowercase=true"], "text.lowercase=False"),
        ([f"text.of_run={ROOT / 'tests/golden/transformer-1'}", "text.kind=characters"], "text.kind="),
        (["model.preset=luong", f"train.init_from={ROOT / 'tests/golden/transformer-1'}"], "no weight of"),
        (["model.decoder.attention=hard", "train.teacher_forcing=0.5"], "train.teacher_forcing=always"),
    ],
)
def test_refusals_are_one_sentence_and_write_nothing(jumok, tmp_path, arguments, wanted):
    code, out, error = jumok("train", *arguments)
    assert code == 2
    assert out == ""
    last = error.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert wanted in last
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_run_starts_from_another_and_goes_on_without_it(jumok, tmp_path):
    from safetensors.torch import load_file

    assert jumok("train", "--out", "first", *TINY, "train.max_steps=4")[0] == 0
    given = load_file("first/model.safetensors")
    frozen = [*TINY, "train.init_from=first", "train.max_steps=4", "train.learning_rate=1e-12", "train.warmup=0"]
    code, _, talk = jumok("train", "--out", "second", *frozen)
    assert code == 0
    assert f"Started from first: {len(given)} of {len(given)} weights taken." in talk
    taken = load_file("second/model.safetensors")
    assert all(torch.allclose(taken[name], given[name], atol=1e-6) for name in given)

    # Another vocabulary: its word tables start from random values, and the talk names them.
    code, _, talk = jumok("train", "--out", "third", *frozen, "data.phrasebook_size=210")
    assert code == 0
    assert "new: " in talk
    assert "target_embedding.weight" in talk.partition("new: ")[2]

    # The same other text with the vocabularies of the first run: every weight is taken.
    code, _, talk = jumok("train", "--out", "fourth", *frozen, "data.phrasebook_size=210", "text.of_run=first")
    assert code == 0
    assert f"{len(given)} of {len(given)} weights taken." in talk
    assert Path("fourth/tokenizer.json").read_text() == Path("first/tokenizer.json").read_text()
    taken = load_file("fourth/model.safetensors")
    assert all(torch.allclose(taken[name], given[name], atol=1e-6) for name in given)

    # A resumed run needs the other one no more.
    Path("first").rename("elsewhere")
    assert jumok("train", "--resume", "second", "train.max_steps=6")[0] == 0


def test_a_trained_transformer_knows_which_heads_align(jumok):
    small = [*TINY, "model.preset=transformer", "model.encoder.layers=1", "model.decoder.layers=2"]
    small += [f"model.{side}.{key}" for side in ("encoder", "decoder") for key in ("heads=2", "ff=8")]
    code, _, talk = jumok("train", "--out", "run", *small, "train.max_steps=4")
    assert code == 0
    assert "Word alignment is read from layer" in talk
    kept = json.loads(Path("run/alignment.json").read_text())
    assert kept["found_by"] == "removal"

    # What gold links chose stays when the run is resumed.
    by_gold = kept | {"layer": 0, "heads": [1], "shift": True, "found_by": "gold"}
    Path("run/alignment.json").write_text(json.dumps(by_gold))
    code, _, talk = jumok("train", "--resume", "run", "train.max_steps=6")
    assert code == 0
    assert "Word alignment" not in talk
    assert json.loads(Path("run/alignment.json").read_text()) == by_gold


def test_checking_the_text_says_what_training_would_drop_and_writes_nothing(jumok, tmp_path):
    source = write(tmp_path / "a.en", *(f"good line {n}" for n in range(20)), "", "good line 3")
    target = write(tmp_path / "a.ko", *(f"좋은 줄 {n}" for n in range(20)), "빈 줄", "좋은 줄 3")
    before = sorted(tmp_path.rglob("*"))
    code, out, _ = jumok("data", "check", "--source", source, "--target", target, "--json")
    assert code == 0
    dropped = json.loads(out)[0]["dropped"]
    assert sum(dropped.values()) == 2
    assert any("empty" in reason for reason in dropped)
    assert any("duplicate" in reason for reason in dropped)
    assert "of 22 pairs kept" in jumok("data", "check", "--source", source, "--target", target)[1]
    write(tmp_path / "b.ko", "하나")
    code, _, error = jumok("data", "check", "--source", source, "--target", str(tmp_path / "b.ko"))
    assert code == 2
    assert "b.ko" in error
    assert sorted(path for path in tmp_path.rglob("*") if path.name != "b.ko") == before


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
    [
        (["a b", "c d", "e f"], ["x y", "z"], "3 lines"),
        ([], [], "no pair"),
        (["", ""], ["x", "y"], "no pair"),
    ],
)
def test_unusable_files_are_refused(jumok, tmp_path, source, target, wanted):
    files = write(tmp_path / "a.en", *source), write(tmp_path / "a.ko", *target)
    code, _, error = jumok("train", "--source", files[0], "--target", files[1], "--out", "run")
    assert code == 2
    assert wanted in error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.en", "a.ko"]


def test_a_run_from_start_to_resume(jumok, tmp_path):
    code, out, error = jumok("train", "--out", "runs/a", *TINY, "train.max_steps=8", "--json")
    assert code == 0, error
    assert json.loads(out)["step"] == 8
    folder = tmp_path / "runs" / "a"
    config = json.loads((folder / "config.json").read_text())
    assert config["format"] == FORMAT
    assert config["train"]["max_steps"] == 8
    assert config["vocabulary"]["source"] > 10
    for name in ("model.safetensors", "metrics.jsonl", "timing.jsonl", "curves.svg", "tokenizer.json", "checkpoints/8"):
        assert (folder / name).exists(), name
    assert (folder / "alignments" / "4" / "0.svg").read_text().startswith("<?xml")
    metrics = (folder / "metrics.jsonl").read_text()
    assert "time" not in metrics

    code, _, error = jumok("train", "--out", "runs/a", *TINY)
    assert code == 2
    assert "--resume" in error

    code, _, error = jumok("train", "--resume", "runs/a", "train.max_steps=12")
    assert code == 0, error
    assert (folder / "metrics.jsonl").read_text().startswith(metrics)
    assert json.loads((folder / "config.json").read_text())["train"]["max_steps"] == 12
    assert (folder / "checkpoints" / "12").exists()

    code, _, error = jumok("train", "--resume", "runs/a", "model.dropout=0.5")
    assert code == 2
    assert "train." in error

    from jumok.decoding.run import load_run

    assert load_run(folder).config.train.max_steps == 12


def test_a_damaged_checkpoint_is_named_and_passed_over(jumok, tmp_path):
    assert jumok("train", "--out", "a", *TINY, "train.max_steps=8")[0] == 0
    weights = tmp_path / "a" / "checkpoints" / "8" / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1])
    code, _, error = jumok("train", "--resume", "a")
    assert code == 0
    assert f"warning: {Path('a/checkpoints/8/model.safetensors')} is damaged" in error
    assert weights.read_bytes() == whole


def test_files_alone_are_enough(jumok, tmp_path):
    """Sizes are chosen from the data and said; guided alignment reads a Pharaoh file."""
    from jumok.data.phrasebook import generate

    examples = list(generate("en-ko", "train", 120))
    source = write(tmp_path / "a.en", *(example.source for example in examples))
    target = write(tmp_path / "a.ko", *(example.target for example in examples))
    links = write(tmp_path / "a.align", *(" ".join(f"{i}-{j}" for i, j in example.links) for example in examples))
    code, _, error = jumok(
        "train", "--source", source, "--target", target, f"data.alignment={links}", "train.guided_alignment=0.5",
        *TINY[2:], "train.max_steps=4",
    )  # fmt: skip
    assert code == 0, error
    assert "Vocabulary:" in error
    assert "Chosen for 114 pairs" in error
    lines = [json.loads(line) for line in Path("runs/a-rnnsearch/metrics.jsonl").read_text().splitlines()]
    assert all(line["guided"] > 0 for line in lines if "loss" in line)


def start(folder: Path, *settings: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "jumok", "train", "--out", str(folder), *TINY, *settings]
    log = (folder.parent / "log").open("w")
    return subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {"OMP_NUM_THREADS": "1"})


def processor_seconds(pid: int) -> float:
    """What a running process has used of the processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_save_and_leave_within_five_seconds(tmp_path, number, code):
    process = start(tmp_path / "run", "train.max_steps=100000", "train.save_every=100000")
    try:
        deadline = time.monotonic() + 400
        while "step" not in (tmp_path / "log").read_text():
            assert time.monotonic() < deadline
            assert process.poll() is None, (tmp_path / "log").read_text()
            time.sleep(0.05)
        # By what the process itself computes: another program on the machine may keep it waiting.
        others, already = resource.getrusage(resource.RUSAGE_CHILDREN), processor_seconds(process.pid)
        process.send_signal(number)
        assert process.wait(300) == code
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert now.ru_utime + now.ru_stime - others.ru_utime - others.ru_stime - already < 5
    finally:
        process.kill()
    steps = [int(path.name) for path in (tmp_path / "run" / "checkpoints").iterdir()]
    assert len(steps) == 1
    assert (tmp_path / "run" / "model.safetensors").exists()


@pytest.mark.slow
def test_twenty_deaths_change_no_byte():
    """SIGKILL at random times and inside saves, SIGTERM in between; dropout and subword sampling on."""
    command = [sys.executable, str(ROOT / "benchmarks" / "kill_resume.py"), "--kills=20", "--steps=40", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    result = json.loads(done.stdout)
    assert result["different"] == []
    assert result["kills"]["save"] >= 3
    assert result["total"] == 20
