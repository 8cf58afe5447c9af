"""An encoder of one's own: each word sees itself and the mean of all words."""

import torch
from torch import Tensor, nn

from jumok.config import EncoderConfig, Field, ModelConfig
from jumok.models import Encoder, Memory, add_encoder


class AverageConfig(EncoderConfig):
    """Keys of `model.encoder` where its kind is average; size and layers it has already."""

    title = "averaging"

    kind: str = Field(default="average", description="average: a word and the mean of all words")
    tanh: bool = Field(default=True, description="squash the states")


class AverageEncoder(Encoder):
    """h_i = tanh(W [x_i; mean x])."""

    def __init__(self, input_size: int, size: int, tanh: bool) -> None:
        super().__init__()
        self.size, self.tanh = size, tanh
        self.W = nn.Linear(2 * input_size, size)

    def forward(self, words_BSE: Tensor, mask_BS: Tensor, need_weights: bool = False) -> Memory:
        real_BS1 = mask_BS[..., None].to(words_BSE.dtype)
        mean_BE = (words_BSE * real_BS1).sum(1) / real_BS1.sum(1)
        both = torch.cat([words_BSE, mean_BE[:, None].expand_as(words_BSE)], -1)
        states_BSD = torch.tanh(self.W(both)) if self.tanh else self.W(both)
        summary_BD = (states_BSD * real_BS1).sum(1) / real_BS1.sum(1)
        return Memory(states_BSD, mask_BS, summary_BD)


def build(config: ModelConfig, word_size: int) -> AverageEncoder:
    """The encoder of a config; `word_size` is the size of the vectors it gets."""
    section = config.encoder
    assert isinstance(section, AverageConfig)
    return AverageEncoder(word_size, section.size, section.tanh)


add_encoder(AverageConfig, build)
