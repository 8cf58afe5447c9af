"""Which weight of a run is which weight of a MarianMT model, and in what order words stand.

A run begins its vocabulary with `<pad>`, `<unk>`, `<s>` and `</s>`; Marian has `</s>`, `<unk>`, the pieces, and
`<pad>`, with which its decoder also starts. So rows are reordered, and `<s>` gets a row of its own: a copy of what the
decoder starts with.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jumok.config import ModelConfig
from jumok.errors import InputError
from jumok.shapes import BOS

Array = NDArray[np.float32]
Arrays = dict[str, Array]
CONFIG, WEIGHTS, PICKLED = "config.json", "model.safetensors", "pytorch_model.bin"
VOCABULARY, TARGET_VOCABULARY = "vocab.json", "target_vocab.json"
SOURCE_PIECES, TARGET_PIECES = "source.spm", "target.spm"
TOKENIZER, GENERATION = "tokenizer_config.json", "generation_config.json"
FILES = {CONFIG, WEIGHTS, VOCABULARY, TARGET_VOCABULARY, SOURCE_PIECES, TARGET_PIECES, TOKENIZER, GENERATION}
SHARED = "model.shared.weight"
WORDS = {"encoder": "model.encoder.embed_tokens.weight", "decoder": "model.decoder.embed_tokens.weight"}
OUTPUT, BIAS = "lm_head.weight", "final_logits_bias"
NEVER = 30.0
"""How much less likely than `<pad>` the copy of a start symbol is as an output: e⁻³⁰, nothing in float32."""


@dataclass(frozen=True)
class Order:
    """The rows of a Marian vocabulary in the order of a run's ids."""

    rows: list[int]
    copied_start: bool
    """Whether `<s>` is a copy of the row of `<pad>`."""

    @classmethod
    def of(cls, size: int, *, pad: int, unk: int, start: int, eos: int) -> "Order":
        """The order for a vocabulary of so many rows with these special ones."""
        special = {pad, unk, start, eos}
        rest = [row for row in range(size) if row not in special]
        return cls([pad, unk, start, eos, *rest], start == pad)

    def take(self, table: Array) -> Array:
        """A table with a row for each word, in the order of the run."""
        if len(table) != len(self.rows) - self.copied_start:
            raise InputError(
                f"a table has {len(table)} rows, but config.json says {len(self.rows) - self.copied_start}."
            )
        return table[self.rows]

    def bias(self, bias_V: Array) -> Array:
        """The bias of the output; a copied start symbol must not share in the probability."""
        found = self.take(bias_V).copy()
        if self.copied_start:
            found[BOS] -= NEVER
        return found


def pairs(config: ModelConfig) -> Iterator[tuple[str, str]]:
    """Names of the same weight in a run and in a MarianMT model, word tables and fused matrices aside."""
    for side, layers in (("encoder", config.encoder.layers), ("decoder", config.decoder.layers)):
        for number in range(layers):
            ours, theirs = f"{side}.layers.{number}", f"model.{side}.layers.{number}"
            yield f"{ours}.attention.W_o", f"{theirs}.self_attn.out_proj"
            yield f"{ours}.around_attention.norm", f"{theirs}.self_attn_layer_norm"
            yield f"{ours}.feed_forward.W_1", f"{theirs}.fc1"
            yield f"{ours}.feed_forward.W_2", f"{theirs}.fc2"
            yield f"{ours}.around_feed_forward.norm", f"{theirs}.final_layer_norm"
            if side == "decoder":
                for mine, yours in (("q", "q_proj"), ("k", "k_proj"), ("v", "v_proj"), ("o", "out_proj")):
                    yield f"{ours}.cross.W_{mine}", f"{theirs}.encoder_attn.{yours}"
                yield f"{ours}.around_cross.norm", f"{theirs}.encoder_attn_layer_norm"


def fused(config: ModelConfig) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """The one matrix of queries, keys and values of a layer, and the three of a MarianMT model."""
    for side, layers in (("encoder", config.encoder.layers), ("decoder", config.decoder.layers)):
        for number in range(layers):
            theirs = f"model.{side}.layers.{number}.self_attn"
            yield (
                f"{side}.layers.{number}.attention.W_qkv",
                (f"{theirs}.q_proj", f"{theirs}.k_proj", f"{theirs}.v_proj"),
            )


def from_marian(config: ModelConfig, given: Mapping[str, Array], source: Order, target: Order) -> Arrays:
    """The weights of a run from those of a MarianMT model."""
    found: Arrays = {}
    for part in ("weight", "bias"):
        for ours, theirs in pairs(config):
            found[f"{ours}.{part}"] = _one(given, f"{theirs}.{part}")
        for ours, three in fused(config):
            found[f"{ours}.{part}"] = np.concatenate([_one(given, f"{theirs}.{part}") for theirs in three])
    shared = [SHARED, *WORDS.values(), OUTPUT]
    written = [WORDS["decoder"], OUTPUT] if config.tie_output else [WORDS["decoder"]]
    found["target_embedding.weight"] = target.take(_first(given, shared if config.tie_source else written))
    if not config.tie_source:
        found["own_source_embedding.weight"] = source.take(_one(given, WORDS["encoder"]))
    if not config.tie_output:
        found["generator.own_weight"] = target.take(_one(given, OUTPUT))
    rows = len(target.rows) - target.copied_start
    found["generator.bias"] = target.bias(given.get(BIAS, np.zeros((1, rows), np.float32)).reshape(-1))
    return found


def to_marian(config: ModelConfig, own: Mapping[str, Array], source: list[int], target: list[int]) -> Arrays:
    """The weights of a MarianMT model from those of a run; `source` and `target` are the ids of its rows in order."""
    found: Arrays = {}
    for part in ("weight", "bias"):
        for ours, theirs in pairs(config):
            found[f"{theirs}.{part}"] = own[f"{ours}.{part}"]
        for ours, three in fused(config):
            found |= {
                f"{one}.{part}": rows for one, rows in zip(three, np.split(own[f"{ours}.{part}"], 3), strict=True)
            }
    words = own["target_embedding.weight"][target]
    if config.tie_source:
        found[SHARED] = words
    else:
        found[WORDS["encoder"]] = own["own_source_embedding.weight"][source]
        found[WORDS["decoder"]] = words
    if not config.tie_output:
        found[OUTPUT] = own["generator.own_weight"][target]
    found[BIAS] = own["generator.bias"][target][None]
    return {name: np.ascontiguousarray(value, np.float32) for name, value in found.items()}


def _one(given: Mapping[str, Array], name: str) -> Array:
    if name not in given:
        raise InputError(f"the model lacks the weight '{name}', which its config asks for.")
    return given[name]


def _first(given: Mapping[str, Array], names: list[str]) -> Array:
    return _one(given, next((name for name in names if name in given), names[0]))
