"""Frontends: what turns a source into the vectors that an encoder reads."""

import torch
from torch import Tensor

from jumok.data.sources import Source, Tokens
from jumok.errors import InputError, ShapeError
from jumok.models.contract import Frontend, Vectors
from jumok.models.embedding import TokenEmbedding
from jumok.models.order import reversal


class WordsFrontend(Frontend):
    """A vector for each word; with `reverse` the words are read backwards (Sutskever et al. 2014)."""

    def __init__(self, embedding: TokenEmbedding, *, reverse: bool = False) -> None:
        super().__init__()
        # A tuple hides the module from torch: the matrix is stored with the model, once also where sides share it.
        self._embedding = (embedding,)
        self.reverse = reverse
        self.size = embedding.size

    @property
    def embedding(self) -> TokenEmbedding:
        """The vectors of the words."""
        return self._embedding[0]

    def forward(self, source: Source) -> Vectors:
        if not isinstance(source, Tokens):
            raise ShapeError(f"This model reads words, not {type(source).__name__.lower()}.")
        ids_BS, mask_BS = source.ids_BS, source.mask_BS
        check_ids(ids_BS, mask_BS)
        if not self.reverse:
            return Vectors(self.embedding(ids_BS), mask_BS)
        order_BS = reversal(mask_BS)
        return Vectors(self.embedding(ids_BS.gather(1, order_BS)), mask_BS, order_BS=order_BS)


def check_ids(source_BS: Tensor, mask_BS: Tensor) -> None:
    """Raises unless sources are a batch of ids with a boolean mask alike, and none is empty."""
    if source_BS.ndim != 2 or mask_BS.shape != source_BS.shape or mask_BS.dtype != torch.bool:
        raise ShapeError(
            "encode needs source ids [B, S] and a boolean mask of the same shape, got "
            f"{list(source_BS.shape)} and {list(mask_BS.shape)} of {mask_BS.dtype}."
        )
    if source_BS.shape[1] == 0:
        raise InputError("There is nothing to encode: the sources have no tokens; end each with EOS.")
