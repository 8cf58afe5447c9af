"""Minutes of training until BLEU on val passes 25, 30 and 35: Multi30k German→English, Jumok and OpenNMT-py.

    python benchmarks/time_to_quality.py --data FOLDER --minutes 40                    # both
    python benchmarks/time_to_quality.py --data FOLDER --systems jumok                 # ours alone
    python benchmarks/time_to_quality.py --data FOLDER --opennmt VENV                  # OpenNMT-py's own environment

Everybody learns from the same pieces (ours: 4,000 joint BPE, lower-cased) on all cores. OpenNMT-py trains with the
options its documentation gives for the Transformer: the documented model (6+6 layers of 512), a model of our size, and
the tiny one (4+4 layers of 128). Minutes are those of training steps, between two measurements by a straight line;
nobody's validation counts (OpenNMT-py's time of writing checkpoints does, ours does not: a few seconds). BLEU is
sacreBLEU 13a of greedy translations, lower-cased. Run it on a machine that does nothing else.
"""

import argparse
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent.parent
LEVELS = (25.0, 30.0, 35.0)
RECIPE = HERE / "configs" / "multi30k-de-en-quick.yaml"
# The Transformer of OpenNMT-py's documentation ("How do I use the Transformer model?").
DOCUMENTED: dict[str, Any] = {
    "encoder_type": "transformer",
    "decoder_type": "transformer",
    "position_encoding": True,
    "layers": 6,
    "heads": 8,
    "hidden_size": 512,
    "word_vec_size": 512,
    "transformer_ff": 2048,
    "dropout": [0.1],
    "attention_dropout": [0.1],
    "optim": "adam",
    "adam_beta2": 0.998,
    "decay_method": "noam",
    "warmup_steps": 8000,
    "learning_rate": 2,
    "max_grad_norm": 0,
    "label_smoothing": 0.1,
    "param_init": 0,
    "param_init_glorot": True,
    "normalization": "tokens",
    "batch_type": "tokens",
    "batch_size": 4096,
    "accum_count": [4],
    "accum_steps": [0],
}
PEERS: dict[str, dict[str, Any]] = {
    "opennmt-documented": DOCUMENTED,
    # The same optimiser with what suits a small corpus: a model of our size, one batch a step, a warm-up it can finish.
    "opennmt-our-size": DOCUMENTED
    | {"layers": 3, "heads": 4, "hidden_size": 256, "word_vec_size": 256, "transformer_ff": 512}
    | {"accum_count": [1], "warmup_steps": 1000, "share_embeddings": True, "share_decoder_embeddings": True},
}
PEERS["opennmt-tiny"] = PEERS["opennmt-our-size"] | {
    "layers": 4, "hidden_size": 128, "word_vec_size": 128, "transformer_ff": 256,
}  # fmt: skip
SAVED_EVERY = {"opennmt-documented": 10, "opennmt-our-size": 100, "opennmt-tiny": 100}


def first_passes(points: list[dict[str, float]]) -> dict[str, float | None]:
    """Minutes at which each level was first passed, on a straight line between two points; none if it was not."""
    return {f"{level:g}": first_pass(points, level) for level in LEVELS}


def first_pass(points: list[dict[str, float]], level: float) -> float | None:
    """When one level was passed."""
    before = {"minutes": 0.0, "bleu": 0.0}
    for point in points:
        if point["bleu"] >= level:
            share = (level - before["bleu"]) / (point["bleu"] - before["bleu"])
            return before["minutes"] + share * (point["minutes"] - before["minutes"])
        before = point
    return None


# ---------------------------------------------------------------- ours


def measure_jumok(options: argparse.Namespace) -> list[dict[str, float]]:
    """BLEU on val over minutes of training steps."""
    run = options.out / "jumok"
    if (run / "config.json").exists():
        command = ["--resume", str(run)]
    else:
        command = [str(options.config), "--out", str(run), f"data.folder={options.data}"]
        command += [f"train.max_minutes={options.minutes}", *options.set]
    subprocess.run([sys.executable, "-m", "jumok", "train", *command], check=True)
    from jumok.training.curves import read_metrics

    busy = busy_seconds([json.loads(line) for line in (run / "timing.jsonl").open(encoding="utf-8")])
    scored = [line for line in read_metrics(run / "metrics.jsonl") if "valid_bleu" in line]
    return [{"step": one["step"], "minutes": busy[one["step"]] / 60, "bleu": one["valid_bleu"]} for one in scored]


def busy_seconds(lines: list[dict[str, Any]]) -> dict[int, float]:
    """Seconds of training steps until each step that was written down; a run that went on counts on from there."""
    found: dict[int, float] = {0: 0.0}
    base = 0.0
    for line in lines:
        if line["event"] == "started":
            base = max(seconds for step, seconds in found.items() if step <= line["step"])
        found[line["step"]] = base + line["training_seconds"]
    return found


# ---------------------------------------------------------------- OpenNMT-py


def write_pieces(options: argparse.Namespace) -> Path:
    """The corpus in our pieces, one line a sentence; needs our run for its tokenizer."""
    import jumok

    folder = options.out / "pieces"
    if (folder / "done").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    run = jumok.load(options.out / "jumok").run
    for part in ("train", "val"):
        for language in ("de", "en"):
            with gzip.open(options.data / f"{part}.{language}.gz", "rt", encoding="utf-8") as lines:
                pieces = [" ".join(run.source_tokenizer.tokens(line.strip())) for line in lines]
            (folder / f"{part}.{language}").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    (folder / "done").touch()
    return folder


def opennmt_command(name: str, environment: Path) -> str:
    """A program of OpenNMT-py's environment."""
    path = environment / "bin" / name
    if not path.exists():
        raise SystemExit(f"There is no {path}; install OpenNMT-py 3.5.1 in an environment and name it with --opennmt.")
    return str(path)


def default_environment() -> Path:
    """OpenNMT-py in an environment of its own, installed now if it is not there."""
    from peer_environments import environment

    found = environment("opennmt")
    if found.python is None:
        raise SystemExit(f"OpenNMT-py cannot be measured here: {found.reason}.")
    return found.python.parents[1]


def measure_opennmt(name: str, options: argparse.Namespace) -> list[dict[str, float]]:
    """Trains, then translates val with every checkpoint."""
    environment = options.opennmt or default_environment()
    pieces, folder = write_pieces(options), options.out / name
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.yaml"
    every = SAVED_EVERY[name]
    config.write_text(yaml.safe_dump(opennmt_config(name, pieces, folder, every)), encoding="utf-8")
    if not (folder / "vocab").exists():
        build = [opennmt_command("onmt_build_vocab", environment), "-config", str(config), "-n_sample", "-1"]
        subprocess.run(build, check=True)
    log = folder / "train.log"
    if not log.exists():
        train_for(options.minutes, [opennmt_command("onmt_train", environment), "-config", str(config)], log)
    return [
        {"step": step, "minutes": seconds / 60, "bleu": opennmt_bleu(folder, step, pieces, environment, options)}
        for step, seconds in steps_of(log.read_text(encoding="utf-8"))
        if (folder / f"model_step_{step}.pt").exists()
    ]


def opennmt_config(name: str, pieces: Path, folder: Path, every: int) -> dict[str, Any]:
    """The options of a training run."""
    vocabulary = str(folder / "vocab")
    paths = {"path_src": str(pieces / "train.de"), "path_tgt": str(pieces / "train.en")}
    return PEERS[name] | {
        "save_data": str(folder / "data"),
        "overwrite": True,
        "src_vocab": vocabulary,
        "tgt_vocab": vocabulary,
        "share_vocab": True,
        "data": {"corpus": paths | {"transforms": [], "weight": 1}},
        "save_model": str(folder / "model"),
        "save_checkpoint_steps": every,
        "keep_checkpoint": -1,
        "report_every": every,
        "train_steps": 100_000,
        "valid_steps": 1_000_000,
        "world_size": 1,
        "gpu_ranks": [],
        "num_workers": 0,
        "seed": 1,
    }


def train_for(minutes: float, command: list[str], log: Path) -> None:
    """Runs a command for so many minutes, its talk into a file that has its name when it is whole."""
    part = log.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        try:
            code = process.wait(timeout=60 * minutes)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
            code = 0
    if code:
        raise SystemExit(f"OpenNMT-py ended with code {code}; see {part}.")
    part.rename(log)


def steps_of(log: str) -> list[tuple[int, float]]:
    """(step, seconds since training began) of each line of OpenNMT-py's log."""
    found = re.findall(r"Step (\d+)/\s*\d+;.*?;\s*(\d+) sec", log)
    return [(int(step), float(seconds)) for step, seconds in found]


def opennmt_bleu(folder: Path, step: int, pieces: Path, environment: Path, options: argparse.Namespace) -> float:
    """BLEU of the greedy translations of val with one checkpoint."""
    from jumok.evaluation.metrics import score_metric

    output = folder / f"val.{step}"
    if not output.exists():
        command = [opennmt_command("onmt_translate", environment), "-model", str(folder / f"model_step_{step}.pt")]
        command += ["-src", str(pieces / "val.de"), "-output", str(output), "-beam_size", "1", "-gpu", "-1"]
        command += ["-batch_type", "tokens", "-batch_size", "2048"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = [joined(line) for line in output.read_text(encoding="utf-8").splitlines()]
    with gzip.open(options.data / "val.en.gz", "rt", encoding="utf-8") as lines:
        wanted = [line.strip().lower() for line in lines]
    return score_metric("bleu", found, wanted).value


def joined(line: str) -> str:
    """The text of a line of pieces."""
    return line.replace(" ", "").replace("▁", " ").strip()


# ---------------------------------------------------------------- all


def main() -> None:
    """Measures the systems asked for and prints when each level was passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with Multi30k")
    parser.add_argument("--systems", nargs="*", default=["jumok", *PEERS], choices=["jumok", *PEERS])
    parser.add_argument("--minutes", type=float, default=40.0, help="training of each system ends then")
    parser.add_argument("--config", type=Path, default=RECIPE, help="our recipe")
    parser.add_argument("--set", nargs="*", default=[], metavar="key=value", help="overrides of our recipe")
    parser.add_argument("--opennmt", type=Path, help="OpenNMT-py's environment")
    parser.add_argument("--out", type=Path, default=HERE / "out" / "time_to_quality")
    parser.add_argument("--json", type=Path, default=HERE / "docs" / "results" / "time-to-quality.json")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = json.loads(options.json.read_text(encoding="utf-8")) if options.json.exists() else {}
    for name in options.systems:
        points = measure_jumok(options) if name == "jumok" else measure_opennmt(name, options)
        found[name] = {"minutes": first_passes(points), "curve": points}
        print(name, json.dumps(found[name]["minutes"]), flush=True)
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        draw(found, options.json.with_suffix(".svg"))


def draw(found: dict[str, Any], path: Path) -> None:
    """BLEU over minutes."""
    from jumok.evaluation.chart import Chart, Series, draw_chart

    lines = [
        Series(name, *(tuple(float(point[key]) for point in one["curve"]) for key in ("minutes", "bleu")))
        for name, one in found.items()
    ]
    draw_chart(Chart("Multi30k de→en on two cores", "minutes of training", "BLEU on val", tuple(lines)), path)


if __name__ == "__main__":
    main()
