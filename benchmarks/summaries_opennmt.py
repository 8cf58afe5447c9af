"""OpenNMT-py 3.5.1 as a summariser on our pieces: its documented summarisation options, scaled to our size.

`summaries.py real --peer` calls `measure`. It learns from the pieces of our run's tokenizer, texts cut where ours are,
on all cores; checkpoints are scored on 500 dev texts as ours are while training (greedy).
"""

import argparse
import subprocess
from pathlib import Path
from typing import Any

import yaml

from jumok.evaluation.rouge import rouge, usual_tokenisation
from jumok.text.tokenizer import load_tokenizer
from summaries import CORPORA, lines_of
from time_to_quality import default_environment, joined, opennmt_command, steps_of, train_for

SAVED_EVERY = 250
DEV = 500
# "Summarization" in OpenNMT-py's documentation, with embedding and hidden sizes of ours.
DOCUMENTED: dict[str, Any] = {
    "copy_attn": True,
    "reuse_copy_attn": True,
    "coverage_attn": True,
    "lambda_coverage": 1.0,
    "global_attention": "mlp",
    "word_vec_size": 192,
    "hidden_size": 384,
    "layers": 1,
    "encoder_type": "brnn",
    "decoder_type": "rnn",
    "rnn_type": "LSTM",
    "bridge": True,
    "share_embeddings": True,
    "optim": "adagrad",
    "learning_rate": 0.15,
    "adagrad_accumulator_init": 0.1,
    "max_grad_norm": 2,
    "dropout": [0.0],
    "batch_size": 16,
}
DECODING = ("-beam_size", "4", "-block_ngram_repeat", "3", "-length_penalty", "wu", "-alpha", "0.9", "-gpu", "-1")


def write_pieces(name: str, run: Path, folder: Path, data: Path, texts: list[str]) -> None:
    """The corpus, its dev texts and the texts to be measured on, as pieces of our tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer, longest = load_tokenizer(run, "source"), CORPORA[name].longest

    def write(path: Path, lines: list[str]) -> None:
        rows = (" ".join(tokenizer.token(token) for token in tokenizer.encode(line)[:longest]) for line in lines)
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")

    for side in ("src", "tgt"):
        write(folder / f"train.{side}", lines_of(data, name, "train", side))
    write(folder / "dev.src", lines_of(data, name, "dev", "src", DEV))
    write(folder / "texts.src", texts)


def config_of(folder: Path, every: int) -> dict[str, Any]:
    """The options of a training run."""
    vocabulary = str(folder / "vocab")
    corpus: dict[str, Any] = {f"path_{side}": str(folder / f"train.{side}") for side in ("src", "tgt")}
    return DOCUMENTED | {
        "data": {"corpus": corpus | {"transforms": [], "weight": 1}},
        "save_data": str(folder / "data"),
        "overwrite": True,
        "src_vocab": vocabulary,
        "tgt_vocab": vocabulary,
        "share_vocab": True,
        "save_model": str(folder / "model"),
        "save_checkpoint_steps": every,
        "keep_checkpoint": -1,
        "report_every": every,
        "train_steps": 1_000_000,
        "valid_steps": 10_000_000,
        "world_size": 1,
        "gpu_ranks": [],
        "num_workers": 0,
        "seed": 1,
    }


def measure(name: str, run: Path, options: argparse.Namespace, texts: list[str]) -> dict[str, Any]:
    """Trains it as long as ours; its curve on dev, its best score with the minutes to it, and its best summaries."""
    environment = options.opennmt or default_environment()
    folder = (options.out / f"opennmt-{name}").resolve()
    write_pieces(name, run, folder, options.data, texts)
    config, log = folder / "config.yaml", folder / "train.log"
    config.write_text(yaml.safe_dump(config_of(folder, SAVED_EVERY)), encoding="utf-8")
    if not log.exists():
        build = [opennmt_command("onmt_build_vocab", environment), "-config", str(config), "-n_sample", "-1"]
        subprocess.run(build, check=True)
        train_for(options.minutes, [opennmt_command("onmt_train", environment), "-config", str(config)], log)
    wanted = lines_of(options.data, name, "dev", "tgt", DEV)
    points: list[dict[str, float]] = []
    for step, seconds in steps_of(log.read_text(encoding="utf-8")):
        if (folder / f"model_step_{step}.pt").exists():
            found = written(folder, step, "dev.src", environment, ("-beam_size", "1", "-gpu", "-1"))
            score = rouge(found, wanted, usual_tokenisation(wanted), ["rougeL"]).mean("rougeL")
            points.append({"step": step, "minutes": seconds / 60, "rougeL": score})
    best = max(points, key=lambda point: point["rougeL"])
    summaries = written(folder, int(best["step"]), "texts.src", environment, DECODING)
    return {"curve": points, "best": best["rougeL"], "minutes": best["minutes"], "summaries": summaries}


def written(folder: Path, step: int, source: str, environment: Path, decoding: tuple[str, ...]) -> list[str]:
    """What a checkpoint writes for a file of pieces."""
    output = folder / f"{source}.{step}.out"
    if not output.exists():
        command = [opennmt_command("onmt_translate", environment), "-model", str(folder / f"model_step_{step}.pt")]
        command += ["-src", str(folder / source), "-output", str(output), "-batch_size", "32", *decoding]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return [joined(line) for line in output.read_text(encoding="utf-8").splitlines()]
