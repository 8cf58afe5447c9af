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
    for side, layers in (("encoder", "transformer"), ("decoder", "transformer_layers")):
        found |= both(weights, {f"{side}.last_norm": f"{side}.layer_norm"})
        first = "layer_norm_1" if side == "decoder" else "layer_norm"
        names = {
            "attention": ("self_attn.linear_query", "self_attn.linear_keys", "self_attn.linear_values"),
            "attention.W_o": "self_attn.final_linear", "around_attention.norm": first,
            "cross.W_q": "context_attn.linear_query", "cross.W_k": "context_attn.linear_keys",
            "cross.W_v": "context_attn.linear_values", "cross.W_o": "context_attn.final_linear",
            "around_cross.norm": "layer_norm_2", "feed_forward.W_1": "feed_forward.w_1",
            "feed_forward.W_2": "feed_forward.w_2", "around_feed_forward.norm": "feed_forward.layer_norm",
        }  # fmt: skip
        found |= layers_as(weights, side, f"{side}.{layers}", names)
    return found


def layers_as(weights: Weights, side: str, place: str, names: dict[str, Any]) -> Weights:
    """The layers of a side under other names; `attention` names the query's, keys' and values' thirds of one matrix."""
    found: Weights = {}
    for number in range(count_of(weights, side)):
        ours, theirs = f"{side}.layers.{number}", f"{place}.{number}"
        for part in PARTS:
            thirds = np.split(weights[f"{ours}.attention.W_qkv.{part}"], 3)
            found |= {f"{theirs}.{name}.{part}": one for name, one in zip(names["attention"], thirds, strict=True)}
        whole = {name: other for name, other in names.items() if name != "attention"}
        there = {name: other for name, other in whole.items() if f"{ours}.{name}.weight" in weights}
        found |= both(weights, {f"{ours}.{name}": f"{theirs}.{other}" for name, other in there.items()})
    return found


def both(weights: Weights, names: dict[str, str]) -> Weights:
    """Weight and bias of each, under its other name."""
    return {f"{other}.{part}": weights[f"{name}.{part}"] for name, other in names.items() for part in PARTS}


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

    names = {
        "attention": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
        "attention.W_o": "self_attn.out_proj", "around_attention.norm": "self_attn_layer_norm",
        "cross.W_q": "encoder_attn.q_proj", "cross.W_k": "encoder_attn.k_proj", "cross.W_v": "encoder_attn.v_proj",
        "cross.W_o": "encoder_attn.out_proj", "around_cross.norm": "encoder_attn_layer_norm",
        "feed_forward.W_1": "fc1", "feed_forward.W_2": "fc2", "around_feed_forward.norm": "final_layer_norm",
    }  # fmt: skip
    for side in ("encoder", "decoder"):
        found[f"model.{side}.embed_positions.weight"] = sinusoidal(found["model.shared.weight"].shape[1], 512)
        found |= layers_as(weights, side, f"model.{side}.layers", names)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(one) for name, one in found.items()}, path)
    return path


def sinusoidal(size: int, count: int) -> Any:
    """p_{i,2k} = sin(i / 10000^{2k/D}), p_{i,2k+1} = cos(…)."""
    angle = np.arange(count)[:, None] / 10_000.0 ** (np.arange(0, size, 2) / size)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(count, size).astype(np.float32)
