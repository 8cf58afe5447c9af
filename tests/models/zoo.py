"""Small models of every kind: each encoder × decoder × mechanism, with all other options covered pairwise."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

import torch
from torch import Tensor

from jumok.attention import catalog
from jumok.config import PRESETS, ModelConfig, fitting, resolve
from jumok.models.build import build_model
from jumok.models.seq2seq import Seq2Seq
from jumok.shapes import BOS, PAD

Case = dict[str, Any]

SOURCE_WORDS, TARGET_WORDS = 23, 29
KINDS = ("rnn", "transformer")
MECHANISMS = [*(mechanism.name for mechanism in catalog()), "none"]
# Scores that compare a state with a state: a recurrent decoder must then have the encoder's size.
EQUAL_SIZES = {
    m.name for m in catalog() if m.score in ("dot", "scaled_dot", "cosine", "kernel") and "heads" not in m.options
}

OPTIONS: dict[str, tuple[Any, ...]] = {
    "encoder.cell": ("gru", "tanh", "lstm"),
    "encoder.bidirectional": (True, False),
    "encoder.layers": (1, 2),
    "encoder.norm": ("pre", "post"),
    "encoder.positions": ("sinusoidal", "learned", "rotary"),
    "encoder.heads": (2, 3),
    "encoder.attention": ("transformer", "bahdanau", "window", "entmax15", "cosine"),
    "decoder.cell": ("gru", "tanh", "lstm"),
    "decoder.layers": (1, 2),
    "decoder.order": ("before", "after"),
    "decoder.input_feeding": (False, True),
    "decoder.readout": (True, False),
    "decoder.norm": ("pre", "post"),
    "decoder.positions": ("sinusoidal", "learned", "rotary"),
    "decoder.heads": (2, 3),
    "decoder.self_attention": ("transformer", "window", "luong-local-p", "general", "sparsemax", "kernel"),
    "decoder.size": (12, 18),
    "reverse_source": (False, True),
    "tie_output": (True, False),
    "embedding": (12, 7),
}
ONLY_RNN = {"cell", "bidirectional", "order", "input_feeding", "readout"}
ONLY_TRANSFORMER = {"norm", "positions", "heads", "self_attention"}


def counts(case: Case, option: str) -> bool:
    """Whether an option changes anything in a case."""
    side, _, key = option.rpartition(".")
    kind = case.get(f"{side}.kind")
    if option == "encoder.attention" and kind != "transformer":
        return False
    if (key in ONLY_RNN and kind != "rnn") or (key in ONLY_TRANSFORMER and kind != "transformer"):
        return False
    if option == "decoder.order" and case["decoder.attention"] == "none":
        return False
    return option != "decoder.size" or not (case["decoder.kind"] == "rnn" and case["decoder.attention"] in EQUAL_SIZES)


def pairs_of(case: Case) -> Iterator[tuple[tuple[str, Any], tuple[str, Any]]]:
    """The pairs of option values that a case tries together, the three named axes among them."""
    axes = [(key, case[key]) for key in ("encoder.kind", "decoder.kind", "decoder.attention")]
    live = [(option, case[option]) for option in OPTIONS if counts(case, option)]
    return combinations(axes + live, 2)


def random_case(draw: random.Random, encoder: str, decoder: str, mechanism: str) -> Case:
    """A case with drawn options."""
    case: Case = {"encoder.kind": encoder, "decoder.kind": decoder, "decoder.attention": mechanism}
    case |= {option: draw.choice(values) for option, values in OPTIONS.items()}
    if not counts(case, "decoder.size"):
        case["decoder.size"] = 12
    return case


@cache
def cases() -> tuple[Case, ...]:
    """Every encoder × decoder × mechanism once, options chosen greedily for new pairs, then what pairs are left."""
    draw = random.Random(7)
    wanted: set[Any] = set()
    for encoder, decoder in product(KINDS, KINDS):
        wanted |= option_pairs({"encoder.kind": encoder, "decoder.kind": decoder, "decoder.attention": "bahdanau"})
    found: list[Case] = []
    rows = list(product(KINDS, KINDS, MECHANISMS))
    while rows or wanted:
        row = rows.pop() if rows else (draw.choice(KINDS), draw.choice(KINDS), draw.choice(MECHANISMS))
        tries = [random_case(draw, *row) for _ in range(24)]
        best = max(tries, key=lambda case: len(wanted.intersection(pairs_of(case))))
        wanted.difference_update(pairs_of(best))
        found.append(best)
    return tuple(found)


def option_pairs(kinds: Case) -> set[Any]:
    """All pairs of option values that count together for these kinds."""
    live = [option for option in OPTIONS if counts(kinds, option)]
    return {((a, x), (b, y)) for a, b in combinations(live, 2) for x, y in product(OPTIONS[a], OPTIONS[b])}


def name(case: Case) -> str:
    """A short id for a test."""
    return f"{case['encoder.kind']}-{case['decoder.kind']}-{case['decoder.attention']}"


def config(case: Case) -> ModelConfig:
    """The config of a case, at small sizes and with windows narrower than the sentences."""
    keys = {"encoder.size": 12, "encoder.ff": 17, "decoder.ff": 19, "dropout": 0.0, "decoder.max_positions": 13}
    options = {"luong-local-m": {"D": 2}, "luong-local-p": {"D": 2}, "window": {"w": 2}}
    given = {**keys, **case, "decoder.attention_options": options.get(case.get("decoder.attention", ""), {})}
    preset = given.pop("preset", "rnnsearch")
    flat = {f"model.{key}": value for key, value in given.items()}
    kinds = PRESETS[preset] | flat
    return resolve({"model.preset": preset} | {**fitting(flat, kinds), **moved_heads(flat, kinds)}).model


def moved_heads(flat: Case, kinds: Case) -> Case:
    """The heads of a mechanism with heads in a recurrent decoder, which are an option of the mechanism there."""
    recurrent = kinds.get("model.decoder.kind", "rnn") == "rnn"
    if not recurrent or kinds.get("model.decoder.attention") != "transformer" or "model.decoder.heads" not in flat:
        return {}
    return {"model.decoder.attention_options": {"heads": flat["model.decoder.heads"]}}


def model(case: Case, seed: int = 3) -> Seq2Seq:
    """The model of a case in double precision, evaluating."""
    torch.manual_seed(seed)
    return build_model(config(case), SOURCE_WORDS, TARGET_WORDS).double().eval()


def preset(preset: str, **keys: Any) -> Case:
    """A preset at the small sizes."""
    small = {"preset": preset, "embedding": 12, "decoder.size": 12, "encoder.heads": 2, "decoder.heads": 3}
    return small | {key.replace("__", "."): value for key, value in keys.items()}


def batch(seed: int = 5) -> tuple[Tensor, Tensor, Tensor]:
    """Sources [3, 11] of different lengths, their mask, and targets [3, 5] that begin with BOS."""
    generator = torch.Generator().manual_seed(seed)
    mask_BS = torch.arange(11) < torch.tensor([11, 7, 2])[:, None]
    source_BS = torch.randint(4, SOURCE_WORDS, (3, 11), generator=generator).masked_fill(~mask_BS, PAD)
    target_BT = torch.randint(4, TARGET_WORDS, (3, 5), generator=generator)
    target_BT[:, 0] = BOS
    return source_BS, mask_BS, target_BT
