"""Our Transformer's weights under other toolkits' names, so that all translate with one model.

OpenNMT-py's Transformer is pre-norm, MarianMT's post-norm; both scale the words by √E and add sinusoidal positions.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from peer_environments import Environment

Weights = dict[str, Any]
PARTS = ("weight", "bias")


def post_norm(config: Any) -> bool:
    """Whether MarianMT could hold this model."""
    sides = (config.model.encoder, config.model.decoder)
    usual = config.model.embedding in (None, config.model.decoder.size) and config.model.tie_source
    return usual and all(side.norm == "post" and side.positions == "sinusoidal" for side in sides)


# ------------------------------------------------------------ OpenNMT-py


def opennmt_names(weights: Weights) -> Weights:
    """The weights as OpenNMT-py calls them; the rows of words are still in our order."""
    found: Weights = {}

    def put(name: str, ours: str) -> None:
        found.update({f"{name}.{part}": weights[f"{ours}.{part}"] for part in PARTS})

    for side, layers in (("encoder", "transformer"), ("decoder", "transformer_layers")):
        put(f"{side}.layer_norm", f"{side}.last_norm")
        for number in range(count_of(weights, side)):
            ours, theirs = f"{side}.layers.{number}", f"{side}.{layers}.{number}"
            for place, which in enumerate(("query", "keys", "values")):
                for part in PARTS:
                    third = np.split(weights[f"{ours}.attention.W_qkv.{part}"], 3)[place]
                    found[f"{theirs}.self_attn.linear_{which}.{part}"] = third
            put(f"{theirs}.self_attn.final_linear", f"{ours}.attention.W_o")
            put(f"{theirs}.layer_norm{'_1' if side == 'decoder' else ''}", f"{ours}.around_attention.norm")
            if side == "decoder":
                for short, which in (("q", "query"), ("k", "keys"), ("v", "values")):
                    put(f"{theirs}.context_attn.linear_{which}", f"{ours}.cross.W_{short}")
                put(f"{theirs}.context_attn.final_linear", f"{ours}.cross.W_o")
                put(f"{theirs}.layer_norm_2", f"{ours}.around_cross.norm")
            put(f"{theirs}.feed_forward.w_1", f"{ours}.feed_forward.W_1")
            put(f"{theirs}.feed_forward.w_2", f"{ours}.feed_forward.W_2")
            put(f"{theirs}.feed_forward.layer_norm", f"{ours}.around_feed_forward.norm")
    return found


def count_of(weights: Weights, side: str) -> int:
    """Layers of a side."""
    return len({name.split(".")[2] for name in weights if name.startswith(f"{side}.layers.")})


def write_opennmt(peer: Environment, run: Path, checkpoint: Path) -> None:
    """A checkpoint of OpenNMT-py with our weights: one step of its training makes the frame, then they are put in."""
    from jumok.engine.ctranslate2_export import names_of
    from jumok.engine.weights import load_parts

    parts = load_parts(run)
    model = parts.config.model
    if not {"encoder.last_norm.weight", "decoder.last_norm.weight"} <= set(parts.weights):
        raise ValueError("OpenNMT-py has pre-norm Transformers only")
    if {model.encoder.positions, model.decoder.positions} != {"sinusoidal"}:
        raise ValueError(f"it has sinusoidal positions, the run {model.encoder.positions} ones")
    if any("entrance" in name or "exit" in name for name in parts.weights):
        raise ValueError("its words are as long as its states, and the run's are not")
    assert peer.python is not None
    out = checkpoint.with_suffix("")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    names = {"src": names_of(parts.source_tokenizer), "tgt": names_of(parts.target_tokenizer)}
    for side, words in names.items():
        (out / f"vocab.{side}").write_text("".join(f"{word}\t1\n" for word in words[4:]), encoding="utf-8")
        (out / f"train.{side}").write_text(f"{' '.join(words[4:12])}\n" * 8, encoding="utf-8")
    (out / "config.yaml").write_text(frame(out, model), encoding="utf-8")
    command = [str(peer.python.with_name("onmt_train")), "-config", str(out / "config.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"onmt_train failed: {done.stderr.strip()[-400:]}")
    own = "own_source_embedding.weight"
    words = {
        "src": parts.weights[own if own in parts.weights else "target_embedding.weight"],
        "tgt": parts.weights["target_embedding.weight"],
        "bias": parts.weights["generator.bias"],
    }
    arrays = {**opennmt_names(parts.weights), **{f"words.{name}": one for name, one in words.items()}}
    np.savez(out / "weights.npz", **arrays)
    (out / "names.json").write_text(json.dumps(names), encoding="utf-8")
    fill = [str(peer.python), str(Path(__file__).with_name("elsewhere_opennmt.py")), str(out), str(checkpoint)]
    done = subprocess.run(fill, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"the weights do not fit: {done.stderr.strip()[-400:]}")
    print(f"wrote {checkpoint}", file=sys.stderr)


def frame(out: Path, model: Any) -> str:
    """The config of a Transformer of this size in OpenNMT-py."""
    return f"""
data: {{corpus: {{path_src: {out}/train.src, path_tgt: {out}/train.tgt, transforms: [], weight: 1}}}}
src_vocab: {out}/vocab.src
tgt_vocab: {out}/vocab.tgt
vocab_size_multiple: 1
save_data: {out}
save_model: {out}/model
overwrite: true
encoder_type: transformer
decoder_type: transformer
self_attn_type: scaled-dot
enc_layers: {model.encoder.layers}
dec_layers: {model.decoder.layers}
heads: {model.decoder.heads}
hidden_size: {model.decoder.size}
word_vec_size: {model.decoder.size}
transformer_ff: {model.decoder.ff}
position_encoding: true
add_qkvbias: true
add_ffnbias: true
norm_eps: 0.00001
batch_size: 64
batch_type: tokens
optim: adam
learning_rate: 0.001
num_workers: 0
bucket_size: 8
train_steps: 1
save_checkpoint_steps: 1
valid_steps: 100000
world_size: 1
gpu_ranks: []
"""


# ------------------------------------------------------------ MarianMT


def marian_weights(run: Path, path: Path) -> Path:
    """The weights of a post-norm run as MarianMT calls them, positions as ours are."""
    from jumok.engine.weights import load_parts

    weights = load_parts(run).weights
    found: Weights = {"model.shared.weight": weights["target_embedding.weight"]}
    found["final_logits_bias"] = weights["generator.bias"][None]

    def put(name: str, ours: str) -> None:
        found.update({f"{name}.{part}": weights[f"{ours}.{part}"] for part in PARTS})

    size = weights["target_embedding.weight"].shape[1]
    for side in ("encoder", "decoder"):
        found[f"model.{side}.embed_positions.weight"] = sinusoidal(size, 512)
        for number in range(count_of(weights, side)):
            ours, theirs = f"{side}.layers.{number}", f"model.{side}.layers.{number}"
            for place, which in enumerate(("q", "k", "v")):
                for part in PARTS:
                    third = np.split(weights[f"{ours}.attention.W_qkv.{part}"], 3)[place]
                    found[f"{theirs}.self_attn.{which}_proj.{part}"] = third
            put(f"{theirs}.self_attn.out_proj", f"{ours}.attention.W_o")
            put(f"{theirs}.self_attn_layer_norm", f"{ours}.around_attention.norm")
            if side == "decoder":
                for which in ("q", "k", "v"):
                    put(f"{theirs}.encoder_attn.{which}_proj", f"{ours}.cross.W_{which}")
                put(f"{theirs}.encoder_attn.out_proj", f"{ours}.cross.W_o")
                put(f"{theirs}.encoder_attn_layer_norm", f"{ours}.around_cross.norm")
            put(f"{theirs}.fc1", f"{ours}.feed_forward.W_1")
            put(f"{theirs}.fc2", f"{ours}.feed_forward.W_2")
            put(f"{theirs}.final_layer_norm", f"{ours}.around_feed_forward.norm")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(one) for name, one in found.items()}, path)
    return path


def sinusoidal(size: int, count: int) -> Any:
    """p_{i,2k} = sin(i / 10000^{2k/D}), p_{i,2k+1} = cos(…)."""
    angle = np.arange(count)[:, None] / 10_000.0 ** (np.arange(0, size, 2) / size)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(count, size).astype(np.float32)
