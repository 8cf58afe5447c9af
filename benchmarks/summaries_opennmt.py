"""OpenNMT-py 3.5.1 as a summariser on our pieces: its documented summarisation options, scaled to our size.

`summaries.py real --train opennmt` calls `train`, `real --peer` calls `measure`. It learns from the pieces of the
tokenizer that ours uses, texts cut where ours are. Checkpoints of both are scored after training, greedy, on the same
500 dev texts, and the best one writes the summaries that are compared.
"""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

import yaml

from budget import Budget, spend
from jumok.evaluation.rouge import rouge
from jumok.text.tokenizer import load_tokenizer
from summaries_real import CORPORA, lines_of
from time_to_quality import default_environment, joined, opennmt_command

# "Summarization" in OpenNMT-py's documentation (CNN-DM, recurrent), with the coverage of its options. There, word
# vectors of 128 and states of 512; here sizes that give as many parameters as ours has with the same pieces.
DOCUMENTED: dict[str, Any] = {
    "copy_attn": True,
    "reuse_copy_attn": True,
    "copy_loss_by_seqlength": True,
    "coverage_attn": True,
    "lambda_coverage": 1.0,
    "global_attention": "mlp",
    "word_vec_size": 112,
    "hidden_size": 224,
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
# As documented, without -min_length 35, which is the length of that corpus.
DECODING = (
    "-beam_size", "10", "-stepwise_penalty", "-coverage_penalty", "summary", "-beta", "5", "-length_penalty", "wu",
    "-alpha", "0.9", "-block_ngram_repeat", "3",
)  # fmt: skip
GREEDY = ("-beam_size", "1")
REPAIR = """
import sys, torch
checkpoint = torch.load(sys.argv[1], map_location="cpu", weights_only=False)
generator = checkpoint["generator"] or {}
checkpoint["model"].update({f"generator.{name}": value for name, value in generator.items()})
checkpoint["generator"] = None
torch.save(checkpoint, sys.argv[2])
"""
BEGINS = "Start training loop"


def write_pieces(name: str, tokenizer_of: Path, folder: Path, data: Path) -> None:
    """The training text as pieces of our tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    for side in ("src", "tgt"):
        write(name, tokenizer_of, folder / f"train.{side}", lines_of(data, name, "train", side))


def write(name: str, tokenizer_of: Path, path: Path, lines: list[str]) -> None:
    """Lines as pieces, cut where ours are."""
    tokenizer, longest = load_tokenizer(tokenizer_of, "source"), CORPORA[name].longest
    rows = (" ".join(tokenizer.token(token) for token in tokenizer.encode(line)[:longest]) for line in lines)
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


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
        # Its default of 262,144 examples, read one after another before the first step, would cost it part of its time.
        "bucket_size": 16_384,
        "seed": 1,
    }


def train(name: str, tokenizer_of: Path, folder: Path, options: argparse.Namespace) -> None:
    """Trains it for its minutes, unless that was done; `spent.json` has the seconds until each checkpoint."""
    log = folder / "train.log"
    if log.exists():
        return
    place = options.opennmt or default_environment()
    write_pieces(name, tokenizer_of, folder, options.data)
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump(config_of(folder, options.every or CORPORA[name].peer_every)), encoding="utf-8")
    build = [opennmt_command("onmt_build_vocab", place), "-config", str(config), "-n_sample", "-1"]
    subprocess.run(build, check=True)
    spent: dict[int, float] = {}

    def saved(seconds: float) -> bool:
        fresh = {step_of(path) for path in folder.glob("model_step_*.pt")} - set(spent)
        spent.update(dict.fromkeys(fresh, seconds))
        if fresh:
            (folder / "spent.json").write_text(json.dumps(spent), encoding="utf-8")
        return bool(fresh)

    command = [opennmt_command("onmt_train", place), "-config", str(config)]
    spend(command, Budget(options.minutes, options.threads), log, BEGINS, saved)


def step_of(checkpoint: Path) -> int:
    """The step of `model_step_250.pt`."""
    return int(checkpoint.stem.rpartition("_")[2])


def measure(
    name: str, tokenizer_of: Path, folder: Path, texts: list[str], options: argparse.Namespace
) -> dict[str, Any]:
    """Its curve on dev, its best score with the minutes to it, its size, and what its best checkpoint writes."""
    place, dev = options.opennmt or default_environment(), f"dev-greedy-{options.dev}.src"
    write(name, tokenizer_of, folder / dev, lines_of(options.data, name, "dev", "src", options.dev))
    source = f"{options.split}-{len(texts)}.src"
    write(name, tokenizer_of, folder / source, texts)
    wanted, counted = lines_of(options.data, name, "dev", "tgt", options.dev), CORPORA[name].tokenisation
    points: list[dict[str, float]] = []
    spent = json.loads((folder / "spent.json").read_text(encoding="utf-8"))
    for step in sorted(map(int, spent)):
        found = written(folder, step, dev, place, GREEDY)
        score = rouge(found, wanted, counted, ["rougeL"]).mean("rougeL")
        points.append({"step": step, "minutes": spent[str(step)] / 60, "rougeL": score})
    best = max(points, key=lambda point: point["rougeL"])
    summaries = written(folder, int(best["step"]), source, place, DECODING)
    size = parameters((folder / "train.log").read_text(encoding="utf-8"))
    return {
        "curve": points, "best": best["rougeL"], "minutes": best["minutes"], "parameters": size,
        "options": DOCUMENTED, "decoding": " ".join(DECODING), "summaries": summaries,
    }  # fmt: skip


def parameters(log: str) -> int:
    """How many numbers it learns, as its log says."""
    line = next(line for line in log.splitlines() if "Trainable parameters" in line)
    return int(line.partition("'torch.float32': ")[2].partition(",")[0])


def readable(checkpoint: Path, environment: Path) -> Path:
    """A checkpoint that it can read: 3.5.1 keeps a copying generator apart and looks for it among the weights."""
    found = checkpoint.with_name(checkpoint.name.replace("model_", "readable_"))
    if not found.exists():
        command = [environment / "bin" / "python", "-c", REPAIR, checkpoint, found]
        subprocess.run(command, check=True)
    return found


def written(folder: Path, step: int, source: str, environment: Path, decoding: tuple[str, ...]) -> list[str]:
    """What a checkpoint writes for a file of pieces."""
    output = folder / f"{source}.{step}.out"
    if not output.exists():
        part = output.with_suffix(".part")
        checkpoint = readable(folder / f"model_step_{step}.pt", environment)
        command = [opennmt_command("onmt_translate", environment), "-model", str(checkpoint)]
        command += ["-src", str(folder / source), "-output", str(part), "-batch_size", "20", "-gpu", "-1", *decoding]
        # Its checkpoints hold more than tensors, which torch has refused to read since its version 2.6.
        variables = Budget(0).environment | {"TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1"}
        done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
        if done.returncode:
            raise SystemExit(f"OpenNMT-py could not summarise: {done.stderr[-500:]}")
        part.rename(output)
    return [joined(line) for line in output.read_text(encoding="utf-8").splitlines()]
