"""A head of one's own: a mixture of softmaxes (Yang et al. 2018), which can say what one softmax cannot."""

import torch
from torch import Tensor, nn

from jumok.config import Field, HeadConfig, ModelConfig
from jumok.models import Decoded, Head, LinearHead, Memory, TokenEmbedding, TokenLoss, add_head, logits_cross_entropy
from jumok.shapes import PAD


class MixtureConfig(HeadConfig):
    """Keys of `model.head` where its kind is mixture."""

    kind: str = Field(default="mixture", description="mixture: several softmaxes, mixed")
    parts: int = Field(default=2, ge=1, description="softmaxes that are mixed")


class MixtureHead(Head):
    """p(w) = Σ_k π_k softmax(W tanh(V_k o))_w  with  π = softmax(U o)."""

    def __init__(self, size: int, words: int, parts: int, tied: TokenEmbedding | None) -> None:
        super().__init__()
        self.parts = parts
        self.V, self.U = nn.Linear(size, parts * size), nn.Linear(size, parts)
        self.words = LinearHead(size, words, tied)

    def logits(self, outputs: Tensor, memory: Memory, cross: list[Tensor]) -> Tensor:
        inner = torch.tanh(self.V(outputs)).unflatten(-1, (self.parts, -1))
        log_p = torch.log_softmax(self.words(inner), -1)
        return torch.logsumexp(torch.log_softmax(self.U(outputs), -1)[..., None] + log_p, dim=-2)

    def loss(self, decoded: Decoded, memory: Memory, target_BT: Tensor, smoothing: float) -> TokenLoss:
        logits_BTV = self.logits(decoded.outputs_BTD, memory, decoded.attention.cross)
        return logits_cross_entropy(logits_BTV, target_BT, smoothing)

    def log_probs(self, decoded: Decoded, memory: Memory, target_BT: Tensor) -> Tensor:
        log_p_BTV = self.logits(decoded.outputs_BTD, memory, decoded.attention.cross).double()
        return log_p_BTV.gather(-1, target_BT[..., None])[..., 0] * (target_BT != PAD)


def build(config: ModelConfig, output_size: int, words: int, tied: TokenEmbedding | None) -> MixtureHead:
    """The head of a config; `tied` is the embedding that it shares its matrix with, or None."""
    section = config.head
    assert isinstance(section, MixtureConfig)
    return MixtureHead(output_size, words, section.parts, tied)


add_head(MixtureConfig, build)
