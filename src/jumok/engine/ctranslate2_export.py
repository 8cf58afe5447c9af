"""The export of a run to CTranslate2.

What CTranslate2 can express is exported weight for weight: pre- or post-norm, sinusoidal, learned or rotary
positions, scaled dot products of several heads. Word vectors of another size than the model's, and the scale √E of the
words, are folded into the embedding. The head (or heads) that alignment reads come first in their layer, because
CTranslate2 shows the mean of a layer's first heads.
"""

import json
import math
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jumok.config import LinearHeadConfig, ModelConfig, TransformerDecoderConfig, TransformerEncoderConfig
from jumok.config.model import TransformerKeys
from jumok.durable import disk_errors, new_folder, replace_folder
from jumok.engine.packing import Precision, Weights
from jumok.engine.shortlist import Shortlist, load_shortlist
from jumok.engine.weights import Parts, load_parts
from jumok.errors import RunError
from jumok.output import require_folder_place
from jumok.run import manifest
from jumok.run.folder import for_text
from jumok.run.names import MANIFEST
from jumok.shapes import BOS, EOS, PAD, UNK

NOTE = "jumok.json"
MAP = "vmap.txt"
WRITTEN = {
    NOTE,
    MANIFEST,
    MAP,
    "config.json",
    "model.bin",
    *(f"{side}_vocabulary.{ending}" for side in ("source", "target", "shared") for ending in ("json", "txt")),
}
"""Every file that an export may hold."""
POSITIONS = 2048
"""Sinusoidal positions that are written out; learned ones end where they end."""
LARGEST = 64
"""What the largest weight of a row becomes in int8.

Without VNNI, oneDNN multiplies 8-bit numbers two by two into 16 bits and cuts off what is larger. CTranslate2's
activations go up to 255 and its own weights to 127: 2 · 255 · 127 is too much, 2 · 255 · 64 is not.
"""
KNOWN = ("transformer", "scaled_dot")
Array = NDArray[np.float32]


def library() -> Any:
    """CTranslate2, which is an extra."""
    try:
        return import_module("ctranslate2")
    except ImportError:
        raise RunError("CTranslate2 is not installed; install it with `pip install jumok[ctranslate2]`.") from None


def why_not(config: ModelConfig) -> str | None:
    """Why CTranslate2 cannot run such a model, or None where it can."""
    encoder, decoder = config.encoder, config.decoder
    if not isinstance(config.head, LinearHeadConfig):  # first: our own engine does not know others either
        return f"it knows a linear head, not '{config.head.kind}'"
    if not isinstance(encoder, TransformerEncoderConfig) or not isinstance(decoder, TransformerDecoderConfig):
        return "it has no recurrent models; our own engine (--engine fast) runs them"
    for own in (encoder.attention, decoder.self_attention):
        if own not in KNOWN:
            return f"it knows scaled dot products of heads, not self-attention by the mechanism '{own}'"
    if encoder.attention_options or decoder.self_attention_options:
        return "it cannot take options of self-attention"
    for side in (encoder, decoder):
        if side.positions == "rotary" and side.size // side.heads % 2:
            return "its rotary positions need heads of an even size"
    if decoder.attention not in KNOWN:
        return f"it knows scaled dot products of heads, not the mechanism '{decoder.attention}'"
    options = {name: value for name, value in decoder.attention_options.items() if name != "heads"}
    if options or decoder.attention_options.get("heads", decoder.heads) != decoder.heads:
        return f"it cannot take the mechanism's options {decoder.attention_options}"
    if encoder.size != decoder.size:
        return "encoder and decoder must be of one size there"
    if config.reverse_source:
        return "it cannot read the source backwards"
    return None


def export(folder: Path, out: Path, *, quantization: Precision = "float32") -> Path:
    """Writes a run as a CTranslate2 model; its shortlist, where it has one, becomes the `vmap.txt`.

    folder         the run folder
    out            the folder to write; one that holds anything but an earlier export is refused
    quantization   weights as float32 or int8
    """
    require_folder_place(out, "an export of Jumok", _foreign)
    run = load_parts(folder)
    reason = why_not(for_text(run.config, folder).model)
    if reason:
        raise RunError(f"{folder} cannot be exported to CTranslate2: {reason}.")
    with disk_errors(out), new_folder(out, replace_folder) as aside:
        write(run, aside, quantization)
    return out


def _foreign(folder: Path) -> str | None:
    """What tells a folder from an export: a name that no export has, or the lack of our note."""
    others = sorted(path.name for path in folder.iterdir() if path.name not in WRITTEN)
    if others:
        return f"it holds {others[0]}"
    return None if (folder / NOTE).is_file() else f"it has no {NOTE}"


def write(run: Parts, out: Path, quantization: Precision) -> Path:
    """Writes the model, its vocabularies, its map of words and a note of where it is from."""
    specs = library().specs
    spec = _specification(specs, run)
    spec.register_source_vocabulary(names_of(run.source_tokenizer))
    spec.register_target_vocabulary(names_of(run.target_tokenizer))
    spec.config.add_source_eos = True
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = "<unk>", "<s>", "</s>"
    spec.config.decoder_start_token = "<s>"
    spec.config.layer_norm_epsilon = 1e-5
    out.mkdir(parents=True, exist_ok=True)
    words = load_shortlist(run.path, run.source_tokenizer.size, run.target_tokenizer.size)
    if words is not None:
        _write_map(out / MAP, words, run)
    spec.validate()
    spec.optimize(quantization="float32")
    if quantization == "int8":
        _round_matrices(specs.model_spec, spec)
    spec.save(str(out))
    note: dict[str, Any] = {"run": run.sha256, "quantization": quantization, "shortlist": words is not None}
    if quantization == "int8":
        note["largest"] = LARGEST
    (out / NOTE).write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
    files = {path.name: path.read_bytes() for path in sorted(out.iterdir())}
    (out / MANIFEST).write_bytes(manifest.content_of(files))
    return out


def names_of(tokenizer: Any) -> list[str]:
    """A name for each token, the special ones as CTranslate2 knows them."""
    special = {PAD: "<pad>", UNK: "<unk>", BOS: "<s>", EOS: "</s>"}
    names = [special.get(token) or tokenizer.token(token) for token in range(tokenizer.size)]
    if len({*names}) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise RunError(f"The vocabulary has two tokens '{twice}', which CTranslate2 could not tell apart.")
    return names


def _write_map(path: Path, words: Shortlist, run: Parts) -> None:
    """The shortlist as CTranslate2 reads it: a source token, a tab, and what it may become; first, for all."""
    source, target = names_of(run.source_tokenizer), names_of(run.target_tokenizer)
    lines = ["\t" + " ".join(target[token] for token in words.common)]
    for token in range(words.source_size):
        own = words.words[words.begins[token] : words.begins[token + 1]]
        if len(own):
            lines.append(f"{source[token]}\t{' '.join(target[word] for word in own)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def transformer_sides(config: ModelConfig) -> tuple[TransformerEncoderConfig, TransformerDecoderConfig]:
    """Both sides of a model that CTranslate2 can run."""
    encoder, decoder = config.encoder, config.decoder
    assert isinstance(encoder, TransformerEncoderConfig), why_not(config)
    assert isinstance(decoder, TransformerDecoderConfig), why_not(config)
    return encoder, decoder


def _specification(specs: Any, run: Parts) -> Any:
    """CTranslate2's description of the model, with its weights."""
    weights, choice = run.weights, run.choice
    reads, writes = transformer_sides(run.config.model)
    kinds = specs.transformer_spec
    encoder = kinds.TransformerEncoderSpec(
        reads.layers,
        reads.heads,
        pre_norm=reads.norm == "pre",
        rotary_dim=_rotary(reads.positions),
        activation=_activation(specs, reads.activation),
    )
    layer = choice.layer % writes.layers
    heads = tuple(range(writes.heads)) if choice.heads is None else choice.heads
    decoder = kinds.TransformerDecoderSpec(
        writes.layers, writes.heads, pre_norm=writes.norm == "pre",
        alignment_layer=layer, alignment_heads=len(heads), rotary_dim=_rotary(writes.positions),
        activation=_activation(specs, writes.activation),
    )  # fmt: skip
    encoder.scale_embeddings = decoder.scale_embeddings = False
    own = "own_source_embedding.weight"
    read = own if own in weights else "target_embedding.weight"
    encoder.embeddings[0].weight = _words(weights, read, "encoder", (reads if read == own else writes).scale_words)
    decoder.embeddings.weight = _words(weights, "target_embedding.weight", "decoder", writes.scale_words)
    longest = max(POSITIONS, run.config.data.max_length + 1)
    added = _positions(weights, "encoder", reads, longest)
    # Its encoders always add positions: with rotary ones they add nothing.
    encoder.position_encodings.encodings = added * 0.0 if reads.positions == "rotary" else added
    if writes.positions != "rotary":
        decoder.position_encodings.encodings = _positions(weights, "decoder", writes, longest)
    for side, spec in (("encoder", encoder), ("decoder", decoder)):
        if f"{side}.last_norm.weight" in weights:
            _norm(spec.layer_norm, weights, f"{side}.last_norm")
        for number, block in enumerate(spec.layer):
            _layer(block, weights, f"{side}.layers.{number}")
    _reorder_heads(decoder.layer[layer].attention, heads, writes.heads)
    _output(decoder.projection, weights)
    return kinds.TransformerSpec(encoder, decoder)


def _round_matrices(kinds: Any, spec: Any) -> None:
    """Every matrix in 8 bits, one scale per row, as CTranslate2 does it but for `LARGEST`."""

    def visit(part: Any, name: str, value: Any) -> None:
        key = name.rpartition("/")[2]
        if not isinstance(value, kinds.Variable) or not hasattr(part, f"{key}_scale"):
            return
        matrix = np.asarray(value.numpy(), np.float32)
        scale = np.float32(LARGEST) / np.maximum(np.abs(matrix).max(axis=1), np.float32(1e-30))
        setattr(part, key, kinds.NumpyVariable(np.rint(matrix * scale[:, None]).astype(np.int8)))
        setattr(part, f"{key}_scale", kinds.NumpyVariable(scale))

    kinds.visit_spec(spec, visit)


def _rotary(positions: str) -> int | None:
    """CTranslate2's `rotary_dim`: 0 turns all coordinates, None turns none."""
    return 0 if positions == "rotary" else None


def _activation(specs: Any, name: str) -> Any:
    """CTranslate2's number of a non-linearity."""
    return getattr(specs.common_spec.Activation, name.upper())


def _words(weights: Weights, name: str, side: str, scaled: bool) -> Array:
    """Word vectors as the first layer gets them: scaled by √E and at the model's size."""
    vectors = weights[name] * np.float32(math.sqrt(weights[name].shape[1])) if scaled else weights[name]
    entrance = f"{side}.entrance.W.weight"
    return vectors @ weights[entrance].T if entrance in weights else vectors


def _positions(weights: Weights, side: str, section: TransformerKeys, longest: int) -> Array:
    size = section.size
    learned = f"{side}.entrance.positions.weight"
    if learned in weights:
        return weights[learned]
    # p_{i,2k} = sin(i / 10000^{2k/D}),  p_{i,2k+1} = cos(i / 10000^{2k/D})
    rate = np.exp(np.arange(0, size, 2, dtype=np.float32) * np.float32(-math.log(10_000.0) / size))
    angle = np.arange(longest, dtype=np.float32)[:, None] * rate
    if section.positions == "sinusoidal_halves":
        return np.concatenate([np.sin(angle), np.cos(angle)], axis=-1)[:, :size].astype(np.float32)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(longest, -1)[:, :size].astype(np.float32)


def _layer(block: Any, weights: Weights, name: str) -> None:
    """One layer: attention to itself, to the source in a decoder, and the feed-forward network."""
    _linear(block.self_attention.linear[0], weights, f"{name}.attention.W_qkv")
    _linear(block.self_attention.linear[1], weights, f"{name}.attention.W_o")
    _norm(block.self_attention.layer_norm, weights, f"{name}.around_attention.norm")
    if f"{name}.cross.W_q.weight" in weights:
        cross = block.attention
        _linear(cross.linear[0], weights, f"{name}.cross.W_q")
        for part in ("weight", "bias"):
            both = [weights[f"{name}.cross.{which}.{part}"] for which in ("W_k", "W_v")]
            setattr(cross.linear[1], part, np.concatenate(both))
        _linear(cross.linear[2], weights, f"{name}.cross.W_o")
        _norm(cross.layer_norm, weights, f"{name}.around_cross.norm")
    _linear(block.ffn.linear_0, weights, f"{name}.feed_forward.W_1")
    _linear(block.ffn.linear_1, weights, f"{name}.feed_forward.W_2")
    _norm(block.ffn.layer_norm, weights, f"{name}.around_feed_forward.norm")


def _linear(spec: Any, weights: Weights, name: str) -> None:
    spec.weight = weights[f"{name}.weight"]
    if f"{name}.bias" in weights:
        spec.bias = weights[f"{name}.bias"]


def _norm(spec: Any, weights: Weights, name: str) -> None:
    spec.gamma, spec.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]


def _output(spec: Any, weights: Weights) -> None:
    own = "generator.own_weight"
    matrix = weights[own if own in weights else "target_embedding.weight"]
    if "decoder.exit.weight" in weights:
        matrix = matrix @ weights["decoder.exit.weight"]
    spec.weight, spec.bias = matrix, weights["generator.bias"]


def _reorder_heads(cross: Any, first: Sequence[int], heads: int) -> None:
    """Puts some heads of a layer in front. Heads are summed, so their order changes nothing else."""
    order = [*first, *(head for head in range(heads) if head not in first)]

    def rows(matrix: Array, parts: int) -> Array:
        shaped = matrix.reshape(parts, heads, -1, *matrix.shape[1:])
        return np.ascontiguousarray(shaped[:, order].reshape(matrix.shape))

    for linear, parts in ((cross.linear[0], 1), (cross.linear[1], 2)):
        linear.weight, linear.bias = rows(linear.weight, parts), rows(linear.bias, parts)
    cross.linear[2].weight = np.ascontiguousarray(rows(np.ascontiguousarray(cross.linear[2].weight.T), 1).T)
