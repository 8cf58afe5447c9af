"""`jumok export --to safetensors-hf`: a run as a MarianMT model in Hugging Face's layout, where the model allows it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from jumok.config import LinearHeadConfig, ModelConfig, TransformerDecoderConfig, TransformerEncoderConfig
from jumok.durable import replace_folder, write_folder
from jumok.engine.ctranslate2_export import NOTE, transformer_sides, why_not
from jumok.engine.weights import Parts, load_parts
from jumok.errors import RunError
from jumok.output import require_folder_place
from jumok.run.folder import for_text
from jumok.shapes import BOS, EOS, PAD, UNK
from jumok.tasks.translation.card import languages
from jumok.tasks.translation.marian import layout
from jumok.text.pieces import PiecesTokenizer
from jumok.text.tokenizer import Tokenizer, standalone

POSITIONS = 512
"""Positions that are promised to other programs where the run has no limit of its own."""


def reason_against(config: ModelConfig) -> str | None:
    """Why a model cannot be written as MarianMT, or None where it can."""
    encoder, decoder = config.encoder, config.decoder
    if not isinstance(encoder, TransformerEncoderConfig) or not isinstance(decoder, TransformerDecoderConfig):
        return "MarianMT has no recurrent models"
    if found := why_not(config):
        return found.replace("it ", "MarianMT ", 1)
    for side in (encoder, decoder):
        if side.norm != "post":
            return "MarianMT has post-norm layers only (model.encoder.norm and model.decoder.norm)"
        if side.positions != "sinusoidal_halves":
            return f"MarianMT has positions of the kind sinusoidal_halves, not {side.positions}"
    if encoder.activation != decoder.activation or encoder.scale_words != decoder.scale_words:
        return "both sides of a MarianMT model have the same activation and scale of words"
    if config.embedding not in (None, encoder.size):
        return "word vectors of a MarianMT model have the size of its states"
    return None if isinstance(config.head, LinearHeadConfig) else "MarianMT has a linear head"


def export_marian(folder: Path, out: Path) -> Path:
    """Writes a run as a MarianMT folder that `transformers` and `jumok import` read.

    folder   the run folder
    out      the folder to write; one that holds anything but an earlier export is refused
    """
    require_folder_place(out, "an exported MarianMT model", _foreign)
    run = load_parts(folder)
    if reason := reason_against(for_text(run.config, folder).model):
        raise RunError(f"{folder} cannot be written as MarianMT: {reason}.")
    write_folder(out, files_of(run), replace_folder)
    return out


def _foreign(folder: Path) -> str | None:
    """What tells a folder from an export."""
    others = sorted(path.name for path in folder.iterdir() if path.name not in {*layout.FILES, NOTE})
    if others:
        return f"it holds {others[0]}"
    return None if (folder / NOTE).is_file() else f"it has no {NOTE}"


def files_of(run: Parts) -> dict[str, bytes]:
    """Every file of the export by its name."""
    copied = has_copied_start(run)
    rows = [rows_of(tokenizer, copied) for tokenizer in (run.source_tokenizer, run.target_tokenizer)]
    weights = layout.to_marian(run.config.model, run.weights, *(list(part.values()) for part in rows))
    words = [{name: row for row, name in enumerate(part)} for part in rows]
    shared = run.config.model.tie_source
    read, written = languages(for_text(run.config, run.path))
    about = {
        "source_lang": read,
        "target_lang": written,
        "separate_vocabs": not shared,
        "tokenizer_class": "MarianTokenizer",
    }
    files = {
        layout.CONFIG: _json(config_of(run, words)),
        layout.WEIGHTS: save(weights, {"format": "pt"}),
        layout.VOCABULARY: _json(words[0]),
        layout.SOURCE_PIECES: standalone(run.source_tokenizer),
        layout.TARGET_PIECES: standalone(run.target_tokenizer),
        layout.TOKENIZER: _json(about),
        layout.GENERATION: _json(generation_of(words[1])),
        NOTE: _json({"run": run.sha256}),
    }
    return files if shared else files | {layout.TARGET_VOCABULARY: _json(words[1])}


def has_copied_start(run: Parts) -> bool:
    """Whether `<s>` still is the copy of `<pad>` that an import made, which MarianMT does without."""
    words, bias = run.weights["target_embedding.weight"], run.weights["generator.bias"]
    same = np.array_equal(words[BOS], words[PAD]) and bias[BOS] == bias[PAD] - np.float32(layout.NEVER)
    own = run.weights.get("generator.own_weight")
    return same and (own is None or np.array_equal(own[BOS], own[PAD]))


def rows_of(tokenizer: Tokenizer, copied_start: bool) -> dict[str, int]:
    """The names of the rows in Marian's order, with the id that each has in the run."""
    names = {"</s>": EOS, "<unk>": UNK} | {tokenizer.token(number): number for number in range(4, tokenizer.size)}
    if len(names) != tokenizer.size - 2:
        raise RunError("the vocabulary has two tokens of one name, which MarianMT could not tell apart.")
    return names | ({} if copied_start else {"<s>": BOS}) | {"<pad>": PAD}


def config_of(run: Parts, words: list[dict[str, int]]) -> dict[str, Any]:
    """`config.json` as transformers reads it."""
    model = run.config.model
    encoder, decoder = transformer_sides(model)
    source, target = words
    sides = {
        f"{name}_{key}": value
        for name, side in (("encoder", encoder), ("decoder", decoder))
        for key, value in (("layers", side.layers), ("attention_heads", side.heads), ("ffn_dim", side.ff))
    }
    return sides | {
        "model_type": "marian",
        "architectures": ["MarianMTModel"],
        "d_model": encoder.size,
        "activation_function": encoder.activation,
        "scale_embedding": encoder.scale_words,
        "dropout": model.dropout,
        "max_position_embeddings": positions_of(run),
        "static_position_embeddings": True,
        "normalize_before": False,
        "vocab_size": len(source),
        "decoder_vocab_size": len(target),
        "share_encoder_decoder_embeddings": model.tie_source,
        "tie_word_embeddings": model.tie_output,
        "pad_token_id": target["<pad>"],
        "eos_token_id": target["</s>"],
        "forced_eos_token_id": target["</s>"],
        "decoder_start_token_id": target.get("<s>", target["<pad>"]),
        "is_encoder_decoder": True,
    }


def positions_of(run: Parts) -> int:
    """How many positions other programs may use: an imported model keeps its limit."""
    limit = run.config.data.max_length + 1
    return limit if run.config.text.kind == PiecesTokenizer.kind else max(POSITIONS, limit)


def generation_of(target: dict[str, int]) -> dict[str, Any]:
    """How transformers should search: a beam, and no padding or start symbols in the output."""
    never = [[target[name]] for name in ("<pad>", "<s>") if name in target]
    start = target.get("<s>", target["<pad>"])
    tokens = {"pad_token_id": target["<pad>"], "eos_token_id": target["</s>"], "decoder_start_token_id": start}
    return tokens | {"bad_words_ids": never, "num_beams": 5, "max_length": POSITIONS}


def _json(tree: Any) -> bytes:
    return (json.dumps(tree, ensure_ascii=False, indent=2) + "\n").encode("utf-8")
