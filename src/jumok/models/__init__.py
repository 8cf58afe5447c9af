"""Models: frontend → encoder → decoder → head. What is exported here is what one builds a part of one's own on."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jumok.models.build import add_decoder as add_decoder
    from jumok.models.build import add_encoder as add_encoder
    from jumok.models.build import add_frontend as add_frontend
    from jumok.models.build import add_head as add_head
    from jumok.models.build import build_model as build_model
    from jumok.models.contract import Decoded as Decoded
    from jumok.models.contract import Decoder as Decoder
    from jumok.models.contract import Encoder as Encoder
    from jumok.models.contract import Frontend as Frontend
    from jumok.models.contract import Head as Head
    from jumok.models.contract import Memory as Memory
    from jumok.models.contract import Stepped as Stepped
    from jumok.models.contract import TokenLoss as TokenLoss
    from jumok.models.contract import Vectors as Vectors
    from jumok.models.cross_entropy import logits_cross_entropy as logits_cross_entropy
    from jumok.models.embedding import TokenEmbedding as TokenEmbedding
    from jumok.models.grid_attention import GridSelfAttention as GridSelfAttention
    from jumok.models.heads import LinearHead as LinearHead
    from jumok.models.image_frontends import PixelFrontend as PixelFrontend
    from jumok.models.layout import Grid as Grid
    from jumok.models.seq2seq import Seq2Seq as Seq2Seq
    from jumok.models.snail import AttentionBlock as AttentionBlock
    from jumok.models.snail import Block as Block
    from jumok.models.snail import DenseBlock as DenseBlock
    from jumok.models.snail import Stack as Stack
    from jumok.models.snail import TemporalBlock as TemporalBlock

_BUILD = ("add_decoder", "add_encoder", "add_frontend", "add_head", "build_model")
_CONTRACT = ("Decoded", "Decoder", "Encoder", "Frontend", "Head", "Memory", "Stepped", "TokenLoss", "Vectors")
_SNAIL = ("AttentionBlock", "Block", "DenseBlock", "Stack", "TemporalBlock")
# Imported when asked for: the quick engines read `reach` and must not wait for torch.
_FOUND_IN = {
    **dict.fromkeys(_BUILD, "jumok.models.build"),
    **dict.fromkeys(_CONTRACT, "jumok.models.contract"),
    **dict.fromkeys(_SNAIL, "jumok.models.snail"),
    "Grid": "jumok.models.layout",
    "GridSelfAttention": "jumok.models.grid_attention",
    "LinearHead": "jumok.models.heads",
    "PixelFrontend": "jumok.models.image_frontends",
    "Seq2Seq": "jumok.models.seq2seq",
    "TokenEmbedding": "jumok.models.embedding",
    "logits_cross_entropy": "jumok.models.cross_entropy",
}
__all__ = [*_FOUND_IN]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _FOUND_IN:
        raise AttributeError(f"module 'jumok.models' has no attribute '{name}'")
    return getattr(import_module(_FOUND_IN[name]), name)
