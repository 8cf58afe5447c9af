"""`jumok import`: a MarianMT model in Hugging Face's layout becomes a run.

Nothing in the folder is executed. Weights are read from safetensors; a pickled file is read with torch's
`weights_only=True`, which builds tensors and nothing else.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from jumok.config import TranslationConfig, resolve
from jumok.durable import digest, write_file
from jumok.errors import InputError, JumokError, TextError
from jumok.run import manifest
from jumok.run.folder import vocabulary_of, write_config
from jumok.run.names import IMPORTED
from jumok.run.names import WEIGHTS as RUN_WEIGHTS
from jumok.tasks.staging import staged
from jumok.tasks.task import Say
from jumok.tasks.training import require_free, say_nothing
from jumok.tasks.translation.card import write_card
from jumok.tasks.translation.marian import layout
from jumok.tasks.translation.marian.layout import Arrays, Order
from jumok.text.options import TokenizerOptions
from jumok.text.pieces import PiecesTokenizer

ACTIVATIONS = {"swish": "swish", "silu": "swish", "relu": "relu", "gelu": "gelu"}
# What a Marian model may say of itself only in this way; another value would need another network.
REQUIRED = {"normalize_before": False, "add_final_layer_norm": False, "normalize_embedding": False}
_NAME = re.compile(r"opus-mt-(?:tc-\w+-)?([a-z]{2,3})-([a-z]{2,3})\Z")


@dataclass(frozen=True)
class Marian:
    """A folder with a MarianMT model, its small files read."""

    folder: Path
    config: dict[str, Any]
    source_words: dict[str, int]
    target_words: dict[str, int]
    languages: tuple[str | None, str | None]

    @property
    def shared(self) -> bool:
        """Whether both sides have one table of word vectors."""
        return bool(self.config.get("share_encoder_decoder_embeddings", True))


def import_model(
    folder: str | Path,
    out: str | Path,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    say: Say = say_nothing,
) -> Path:
    """Writes a run with the weights and vocabularies of a MarianMT model in Hugging Face's layout.

    folder             has config.json, model.safetensors (or pytorch_model.bin), source.spm, target.spm, vocab.json
    out                the run folder to write; it must not exist
    source_language    its code, and `target_language` that of the other, where the folder does not tell them
    say                called with a line about what was imported
    """
    folder, out = Path(folder), Path(out)
    require_free(out)
    model = read_folder(folder, source_language, target_language)
    try:
        (source, target), config = orders(model), config_of(model)
    except JumokError:
        raise
    except KeyError as error:
        raise InputError(f"{folder / layout.CONFIG} lacks {error}, which every MarianMT model has.") from None
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"{folder / layout.CONFIG} has a value of the wrong kind: {error}.") from None
    weights = layout.from_marian(config.model, read_weights(folder, say), source, target)
    tokenizers = read_tokenizers(model, source, target)
    _check_sizes(weights, tokenizers)
    with staged(out) as staging:
        for side, tokenizer in zip(("source", "target"), tokenizers, strict=True):
            tokenizer.save(staging, side)
        content = save({name: np.ascontiguousarray(value) for name, value in weights.items()}, {"format": "pt"})
        write_file(staging / RUN_WEIGHTS, content)
        write_config(staging, config, vocabulary_of(*tokenizers))
        about = {"name": folder.resolve().name, "format": "MarianMT (Hugging Face)", "weights": digest(content)}
        write_file(staging / IMPORTED, (json.dumps(about, indent=2) + "\n").encode("utf-8"))
        manifest.write(staging)
    write_card(out)
    say(f"Imported {folder.resolve().name}: {sum(value.size for value in weights.values()):,} weights, "
        f"{tokenizers[0].size:,} source and {tokenizers[1].size:,} target pieces.")  # fmt: skip
    return out


def read_folder(folder: Path, source_language: str | None = None, target_language: str | None = None) -> Marian:
    """The small files of a MarianMT folder; everything that would need another network is refused here."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; name the folder of a MarianMT model.")
    config = read_json(folder / layout.CONFIG)
    if config.get("model_type") != "marian":
        raise InputError(f"{folder} has model_type '{config.get('model_type')}'; only 'marian' can be imported.")
    for key, wanted in REQUIRED.items():
        if config.get(key, wanted) != wanted:
            raise InputError(
                f"{folder} has {key}={config[key]}, which MarianMT itself does not compute; it is refused."
            )
    if config.get("activation_function", "gelu") not in ACTIVATIONS:
        raise InputError(
            f"{folder} has activation_function={config['activation_function']}; one of {', '.join(ACTIVATIONS)}."
        )
    about = read_json(folder / layout.TOKENIZER) if (folder / layout.TOKENIZER).is_file() else {}
    words = read_vocabulary(folder / layout.VOCABULARY)
    separate = bool(about.get("separate_vocabs")) or (folder / layout.TARGET_VOCABULARY).is_file()
    target = read_vocabulary(folder / layout.TARGET_VOCABULARY) if separate else words
    named = _NAME.search(folder.resolve().name)
    known = (
        (about.get("source_lang"), about.get("target_lang")) if about.get("source_lang") else named and named.groups()
    )
    found = tuple(
        given or own for given, own in zip((source_language, target_language), known or (None, None), strict=True)
    )
    return Marian(folder, config, words, target, cast("tuple[str | None, str | None]", found))


def read_json(path: Path) -> dict[str, Any]:
    """The keys of a JSON file."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no {path}; name the folder of a MarianMT model in Hugging Face's layout.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    if not isinstance(tree, dict):
        raise InputError(f"{path} must hold keys and values.")
    return cast("dict[str, Any]", tree)


def read_vocabulary(path: Path) -> dict[str, int]:
    """The rows of the pieces; no two pieces may have the same row."""
    tree = read_json(path)
    if not all(isinstance(row, int) and row >= 0 for row in tree.values()) or len({*tree.values()}) < len(tree):
        raise InputError(f"{path} must give each piece a row of its own.")
    for needed in ("<unk>", "</s>", "<pad>"):
        if needed not in tree:
            raise InputError(f"{path} lacks '{needed}', which every Marian vocabulary has.")
    return tree


def orders(model: Marian) -> tuple[Order, Order]:
    """How the rows of both vocabularies are reordered."""
    config, words = model.config, model.target_words
    size = int(config["vocab_size"] if model.shared else config.get("decoder_vocab_size") or config["vocab_size"])
    pad, eos = int(config.get("pad_token_id", words["<pad>"])), int(config.get("eos_token_id", words["</s>"]))
    start = int(config.get("decoder_start_token_id", pad))
    if not all(0 <= row < size for row in (pad, eos, start, words["<unk>"])) or len({pad, eos, words["<unk>"]}) < 3:
        raise InputError(f"{model.folder}: the special tokens of {layout.CONFIG} and {layout.VOCABULARY} do not fit.")
    target = Order.of(size, pad=pad, unk=words["<unk>"], start=start, eos=eos)
    if model.shared or model.source_words is model.target_words:
        return target, target
    own = model.source_words
    begin = own.get("<s>", own["<pad>"])
    source = Order.of(int(config["vocab_size"]), pad=own["<pad>"], unk=own["<unk>"], start=begin, eos=own["</s>"])
    return source, target


def config_of(model: Marian) -> TranslationConfig:
    """The keys of the run."""
    given, name = model.config, f"the text of {model.folder.resolve().name}"
    size = int(given["d_model"])
    keys: dict[str, Any] = {
        "model.preset": "transformer",
        "model.embedding": size,
        "model.tie_output": bool(given.get("tie_word_embeddings", True)),
        "model.tie_source": model.shared,
        "model.dropout": float(given.get("dropout", 0.1)),
        "text.kind": "pieces",
        "text.joint": model.shared,
        "data.source": name,
        "data.target": name,
        "data.source_language": model.languages[0],
        "data.target_language": model.languages[1],
        "data.max_length": max(2, int(given.get("max_position_embeddings", 512)) - 1),
        "train.learning_rate": 0.0004,
    }
    for side in ("encoder", "decoder"):
        keys |= {
            f"model.{side}.size": size,
            f"model.{side}.layers": int(given[f"{side}_layers"]),
            f"model.{side}.heads": int(given[f"{side}_attention_heads"]),
            f"model.{side}.ff": int(given[f"{side}_ffn_dim"]),
            f"model.{side}.norm": "post",
            f"model.{side}.activation": ACTIVATIONS[given.get("activation_function", "gelu")],
            f"model.{side}.positions": "sinusoidal_halves",
            f"model.{side}.scale_words": bool(given.get("scale_embedding", False)),
        }
    found = resolve(overrides=[f"{key}={json.dumps(value)}" for key, value in keys.items()])
    assert isinstance(found, TranslationConfig)
    return found


def read_weights(folder: Path, say: Say) -> Arrays:
    """The weights in float32."""
    path, pickled = folder / layout.WEIGHTS, folder / layout.PICKLED
    try:
        if path.is_file():
            given = load_file(path)
        elif pickled.is_file():
            say(f"{layout.PICKLED} is a pickle: only its tensors are read (weights_only), and kept as safetensors.")
            given = _unpickled(pickled)
        else:
            raise InputError(
                f"{folder} has neither {layout.WEIGHTS} nor {layout.PICKLED}; weights in parts must be joined."
            )
        return {name: np.asarray(value, np.float32) for name, value in given.items()}
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(f"the weights in {folder} cannot be read: {error}.") from None


def _unpickled(path: Path) -> dict[str, Any]:
    """The tensors of a pickled file, by a reader that knows nothing else."""
    import pickle

    import torch

    try:
        tree = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
        raise InputError(
            f"{path} holds more than tensors, or is damaged, and is refused: {str(error).splitlines()[0]}"
        ) from None
    return {str(name): value.float().numpy() for name, value in tree.items() if isinstance(value, torch.Tensor)}


def read_tokenizers(model: Marian, source: Order, target: Order) -> tuple[PiecesTokenizer, PiecesTokenizer]:
    """The tokenizers of both sides."""
    found: list[PiecesTokenizer] = []
    sides = ((layout.SOURCE_PIECES, model.source_words, source), (layout.TARGET_PIECES, model.target_words, target))
    for file, words, order in sides:
        names = {row: piece for piece, row in words.items()}
        pieces = [names.get(row, f"<row-{row}>") for row in order.rows[4:]]
        path = model.folder / file
        try:
            found.append(PiecesTokenizer(pieces, path.read_bytes(), TokenizerOptions(byte_fallback=False)))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}.") from None
        except TextError:
            raise InputError(f"{path} is not a SentencePiece model.") from None
    return found[0], found[1]


def _check_sizes(weights: Arrays, tokenizers: tuple[PiecesTokenizer, PiecesTokenizer]) -> None:
    source = weights.get("own_source_embedding.weight", weights["target_embedding.weight"])
    for table, tokenizer in ((source, tokenizers[0]), (weights["target_embedding.weight"], tokenizers[1])):
        if len(table) != tokenizer.size:
            raise InputError(f"the model has {len(table)} rows of words, but its vocabulary {tokenizer.size}.")
