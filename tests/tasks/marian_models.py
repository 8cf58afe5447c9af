"""MarianMT models with random weights and SentencePiece models of a tiny text, in Hugging Face's layout."""

import io
import json
from pathlib import Path

import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel

SOURCE = [
    "the small house by the river",
    "a window of the old house",
    "who sees the river today?",
    "half of it: ½ and 3.5",
]
TARGET = ["강가의 작은 집", "낡은 집의 창문", "오늘 누가 강을 봅니까?", "그것의 절반"]
TEXT = [*SOURCE, "the window", "who knows the zebra?", "  ½ of   the Ｈouse ", ""]


def pieces(lines: list[str], size: int) -> bytes:
    """A SentencePiece model as OPUS-MT has them: unigram, NFKC, with a space before the text."""
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines * 20), model_writer=writer, vocab_size=size, hard_vocab_limit=False,
        character_coverage=1.0, minloglevel=2, num_threads=1, normalization_rule_name="nmt_nfkc",
    )  # fmt: skip
    return writer.getvalue()


def listed(*models: bytes) -> list[str]:
    """The pieces of SentencePiece models, each once, without their special ones."""
    found: dict[str, None] = {}
    for model in models:
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        found |= {processor.id_to_piece(number): None for number in range(3, processor.get_piece_size())}
    return list(found)


def rows(names: list[str]) -> dict[str, int]:
    """A vocabulary in Marian's order."""
    return {name: row for row, name in enumerate(["</s>", "<unk>", *names, "<pad>"])}


def make(folder: Path, *, shared: bool = True, seed: int = 1, ends: float = 7.0, **keys) -> MarianMTModel:
    """Writes a model and its vocabularies; gives the model. `ends` makes the end of a sentence more or less likely."""
    folder.mkdir(parents=True)
    source, target = pieces(SOURCE, 60), pieces(TARGET, 50)
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    words = rows(listed(source, target) if shared else listed(source))
    written = words if shared else rows(listed(target))
    (folder / "vocab.json").write_text(json.dumps(words), encoding="utf-8")
    about = {"source_lang": "en", "target_lang": "ko", "separate_vocabs": not shared}
    (folder / "tokenizer_config.json").write_text(json.dumps(about), encoding="utf-8")
    if not shared:
        (folder / "target_vocab.json").write_text(json.dumps(written), encoding="utf-8")
    pad = written["<pad>"]
    torch.manual_seed(seed)
    usual = {
        "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "activation_function": "swish",
        "scale_embedding": True, "max_position_embeddings": 64, "init_std": 0.3,
    }  # fmt: skip
    config = MarianConfig(
        vocab_size=len(words), decoder_vocab_size=len(written), share_encoder_decoder_embeddings=shared,
        pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0, forced_eos_token_id=None, **(usual | keys),
    )  # fmt: skip
    model = MarianMTModel(config).eval()
    drawn = torch.Generator().manual_seed(seed + 1)
    with torch.no_grad():
        for _name, value in model.named_parameters():
            if value.ndim == 1:
                value.add_(0.2 * torch.randn(value.shape, generator=drawn))
        model.final_logits_bias.copy_(torch.randn(model.final_logits_bias.shape, generator=drawn))
        model.final_logits_bias[0, 0] += ends
    model.save_pretrained(folder)
    return model
