"""How each toolkit is asked to train the models of `peer_training.py`, and where it says how fast it was.

A toolkit runs by its own command with the threads given; its number is the mean of what it reports after its first
report, in target tokens a second.
"""

import os
import re
import shutil
import statistics
import subprocess
from pathlib import Path
from textwrap import indent
from typing import ClassVar, Protocol

from peer_environments import Environment
from peer_text import Text

BATCH_TOKENS = 4096
SECONDS = 3600


class Toolkit(Protocol):
    """A toolkit that can train some of the models."""

    models: tuple[str, ...]

    def run(self, peer: Environment, model: str, text: Text, steps: int, threads: int) -> float:
        """Target tokens a second."""
        ...


def reported(
    command: list[str], threads: int, pattern: str, out: Path, *, environment: dict[str, str] | None = None
) -> list[float]:
    """The numbers that a command prints, without the first, which warms up; its words are kept in a file."""
    threaded = {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=out,
        env=os.environ | threaded | (environment or {}),
    )  # fmt: skip
    said = done.stdout + done.stderr
    (out / "said.txt").write_text(said, encoding="utf-8")
    numbers = [float(found[1].replace(",", "")) for found in re.finditer(pattern, said)]
    if len(numbers) < 2 or done.returncode:
        raise ValueError(f"it ended with code {done.returncode} and {len(numbers)} reports: {said.strip()[-400:]}")
    return numbers[1:]


def fresh(text: Text, name: str) -> Path:
    """An empty folder for one measurement."""
    out = (text.folder / name).resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    return out


def write_dev(folder: Path, out: Path) -> None:
    """A few pairs for a toolkit that asks for validation text; it is never validated on."""
    for side in ("src", "tgt"):
        lines = (folder / f"train.{side}").read_text(encoding="utf-8").splitlines()[:20]
        (out / f"dev.{side}").write_text("\n".join(lines) + "\n", encoding="utf-8")


# What the configs of OpenNMT-py and of eole, its successor, have in common.
OPENNMT_TEXT = """
data: {{corpus: {{path_src: {folder}/train.src, path_tgt: {folder}/train.tgt, transforms: [], weight: 1}}}}
src_vocab: {folder}/vocab.txt
tgt_vocab: {folder}/vocab.txt
share_vocab: true
save_data: {out}
overwrite: true
report_every: {every}
"""
OPENNMT_TRAINING = """
batch_size: {tokens}
batch_type: tokens
normalization: tokens
accum_count: [1]
label_smoothing: 0.1
dropout: [0.1]
attention_dropout: [0.0]
optim: adam
learning_rate: 0.001
max_grad_norm: 1
bucket_size: 262144
num_workers: 0
train_steps: {last}
save_checkpoint_steps: 100000
valid_steps: 100000
"""


class OpenNMT:
    """OpenNMT-py."""

    models = ("rnn", "transformer")
    configs: ClassVar[dict[str, str]] = {
        "rnn": """
encoder_type: brnn
decoder_type: rnn
rnn_type: GRU
enc_layers: 1
dec_layers: 1
hidden_size: 256
word_vec_size: 256
global_attention: mlp
input_feed: 1
""",
        "transformer": """
encoder_type: transformer
decoder_type: transformer
enc_layers: 4
dec_layers: 4
heads: 4
hidden_size: 128
word_vec_size: 128
transformer_ff: 256
position_encoding: true
""",
    }
    common = (
        OPENNMT_TEXT
        + OPENNMT_TRAINING
        + """
share_embeddings: true
share_decoder_embeddings: true
save_model: {out}/model
world_size: 1
gpu_ranks: []
"""
    )

    def run(self, peer: Environment, model: str, text: Text, steps: int, threads: int) -> float:
        """Target tokens a second, from the reports after the first."""
        assert peer.python is not None
        out, every = fresh(text, f"opennmt-{model}"), max(1, steps // 2)
        folder = text.folder.resolve()
        config = self.common.format(folder=folder, out=out, tokens=BATCH_TOKENS, last=3 * every, every=every)
        (out / "config.yaml").write_text(config + self.configs[model], encoding="utf-8")
        command = [str(peer.python.with_name("onmt_train")), "-config", str(out / "config.yaml")]
        return statistics.fmean(reported(command, threads, r"\d+/\s*(\d+) tok/s", out))


class Eole:
    """eole, the successor of OpenNMT-py."""

    models = ("transformer",)
    config = (
        OPENNMT_TEXT
        + """
training:
  model_path: {out}/model
  world_size: 1
  gpu_ranks: []
  compute_dtype: fp32
"""
        + indent(OPENNMT_TRAINING, "  ")
        + """
model:
  architecture: transformer
  share_embeddings: true
  share_decoder_embeddings: true
  layers: 4
  heads: 4
  hidden_size: 128
  transformer_ff: 256
  embeddings: {{word_vec_size: 128, position_encoding_type: SinusoidalInterleaved}}
"""
    )

    def run(self, peer: Environment, model: str, text: Text, steps: int, threads: int) -> float:
        """Target tokens a second, from the reports after the first."""
        assert peer.python is not None
        out, every = fresh(text, f"eole-{model}"), max(1, steps // 2)
        folder = text.folder.resolve()
        config = self.config.format(folder=folder, out=out, tokens=BATCH_TOKENS, last=3 * every, every=every)
        (out / "config.yaml").write_text(config, encoding="utf-8")
        command = [str(peer.python.with_name("eole")), "train", "-config", str(out / "config.yaml")]
        return statistics.fmean(reported(command, threads, r"\d+/\s*(\d+) tok/s", out))


class Sockeye:
    """Sockeye 3; it reports sentences a second, every 50 updates."""

    models = ("transformer",)
    every = 50

    def run(self, peer: Environment, model: str, text: Text, steps: int, threads: int) -> float:
        """Target tokens a second: sentences times the mean target, its end counted."""
        assert peer.python is not None
        out, folder = fresh(text, f"sockeye-{model}"), text.folder.resolve()
        write_dev(folder, out)
        command = [
            str(peer.python), "-m", "sockeye.train", "-s", f"{folder}/train.src", "-t", f"{folder}/train.tgt",
            "-vs", "dev.src", "-vt", "dev.tgt", "-o", "model", "--use-cpu", "--shared-vocab",
            "--weight-tying-type", "src_trg_softmax", "--num-layers", "4:4", "--num-embed", "128:128",
            "--transformer-model-size", "128", "--transformer-attention-heads", "4",
            "--transformer-feed-forward-num-hidden", "256", "--transformer-dropout-attention", "0.0:0.0",
            "--transformer-dropout-act", "0.0:0.0", "--bucket-width", "2", "--batch-type", "max-word",
            "--batch-size", str(BATCH_TOKENS), "--label-smoothing", "0.1", "--optimizer", "adam",
            "--initial-learning-rate", "0.001", "--max-updates", str(3 * self.every + 1),
            "--checkpoint-interval", "1000",
            "--decode-and-evaluate", "0", "--max-seq-len", "101:101", "--seed", "1",
        ]  # fmt: skip
        targets = (folder / "train.tgt").read_text(encoding="utf-8").splitlines()
        length = statistics.fmean(len(line.split()) + 1 for line in targets)
        return length * statistics.fmean(reported(command, threads, r"\bs/sec=([\d.]+)", out))


class Joey:
    """Joey NMT."""

    models = ("rnn", "transformer")
    parts: ClassVar[dict[str, str]] = {
        "rnn": """
  initializer: "xavier_uniform"
  tied_embeddings: true
  tied_softmax: true
  encoder: {type: recurrent, rnn_type: gru, embeddings: {embedding_dim: 256}, hidden_size: 128, bidirectional: true,
            dropout: 0.1, num_layers: 1}
  decoder: {type: recurrent, rnn_type: gru, embeddings: {embedding_dim: 256}, hidden_size: 256, dropout: 0.1,
            hidden_dropout: 0.1, num_layers: 1, input_feeding: true, init_hidden: bridge, attention: bahdanau}
""",
        "transformer": """
  initializer: "xavier_uniform"
  tied_embeddings: true
  tied_softmax: true
  encoder: {type: transformer, num_layers: 4, num_heads: 4, embeddings: {embedding_dim: 128}, hidden_size: 128,
            ff_size: 256, dropout: 0.1, layer_norm: pre}
  decoder: {type: transformer, num_layers: 4, num_heads: 4, embeddings: {embedding_dim: 128}, hidden_size: 128,
            ff_size: 256, dropout: 0.1, layer_norm: pre}
""",
    }
    common = """
name: "peer"
joeynmt_version: "2.3.0"
model_dir: "{out}/model"
use_cuda: false
fp16: false
random_seed: 1
data:
  train: "{folder}/train"
  dev: "{out}/dev"
  dataset_type: "plain"
  src: {{lang: "src", level: "word", voc_file: "{out}/vocab.txt"}}
  trg: {{lang: "tgt", level: "word", voc_file: "{out}/vocab.txt"}}
testing: {{beam_size: 1, batch_size: 32, batch_type: "sentence", max_output_length: 30, eval_metrics: ["bleu"]}}
training:
  optimizer: "adam"
  scheduling: "exponential"
  decrease_factor: 1.0
  learning_rate: 0.001
  label_smoothing: 0.1
  normalization: "tokens"
  clip_grad_norm: 1.0
  batch_size: {tokens}
  batch_type: "token"
  epochs: 1
  updates: {last}
  validation_freq: {never}
  logging_freq: {every}
  overwrite: true
  shuffle: true
model:
"""

    def run(self, peer: Environment, model: str, text: Text, steps: int, threads: int) -> float:
        """Target tokens a second, from the reports after the first."""
        assert peer.python is not None
        out, folder, every = fresh(text, f"joeynmt-{model}"), text.folder.resolve(), max(1, steps // 2)
        write_dev(folder, out)
        pieces = [line.split("\t")[0] for line in (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()]
        words = ["<unk>", "<pad>", "<s>", "</s>", *pieces]
        (out / "vocab.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
        config = self.common.format(
            folder=folder, out=out, tokens=BATCH_TOKENS, last=3 * every, every=every, never=1000 * every
        )
        (out / "config.yaml").write_text(config + self.parts[model], encoding="utf-8")
        command = [str(peer.python), "-m", "joeynmt", "train", str(out / "config.yaml"), "--skip-test"]
        return statistics.fmean(reported(command, threads, r"Tokens per Sec:\s*([\d.]+)", out))


TOOLKITS: dict[str, Toolkit] = {"opennmt": OpenNMT(), "eole": Eole(), "sockeye": Sockeye(), "joeynmt": Joey()}
