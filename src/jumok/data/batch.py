"""A batch of sentence pairs as tensors: the teacher-forcing shift happens here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from jumok.data.sources import Tokens
from jumok.errors import ShapeError
from jumok.shapes import BOS, EOS, PAD

Ids = Sequence[int] | np.ndarray
# Below this a share of a batch is too small for its own overhead.
LEAST_SENTENCES, LEAST_TOKENS = 4, 256


@dataclass(frozen=True)
class ForcedTargets:
    """Targets padded to the longest, shifted for teacher forcing: `<s> y_1 … y_m` in, `y_1 … y_m </s>` out."""

    in_BT: Tensor
    out_BT: Tensor
    mask_BT: Tensor
    tokens: int
    """Real tokens to be predicted, `</s>` included."""

    @classmethod
    def of(cls, target_ids: Sequence[Ids]) -> "ForcedTargets":
        """The targets of these ids, which have neither BOS nor EOS."""
        in_BT, lengths = _pad(target_ids, before=BOS, after=None)
        out_BT, _ = _pad(target_ids, before=None, after=EOS)
        return cls(torch.from_numpy(in_BT), torch.from_numpy(out_BT), _mask(out_BT, lengths), int(lengths.sum()))


@dataclass(frozen=True)
class Batch:
    """Sentence pairs padded to the longest of each side.

        source_BS      x_1 … x_n </s>        what the encoder reads
        target_in_BT   <s> y_1 … y_m         what the decoder is fed
        target_out_BT  y_1 … y_m </s>        what it should say at each of these positions

    Masks are True at real tokens, `</s>` and `<s>` included. Training sees it through `training.batch.Batch`.
    """

    unit: ClassVar[str] = "tokens"
    examples: ClassVar[str] = "sentences"

    source_BS: Tensor
    source_mask_BS: Tensor
    target_in_BT: Tensor
    target_out_BT: Tensor
    target_mask_BT: Tensor
    index_B: Tensor
    """The sentences' numbers in their store."""
    alignment: list[Tensor] | None
    """For each sentence its gold links [L, 2] of (source, target) token positions, columns of `source_BS` and
    `target_out_BT`; None when the corpus has no links."""
    source_tokens: int
    """Real source tokens, `</s>` included."""
    target_tokens: int
    """Real target tokens to be predicted, `</s>` included: what losses are averaged over."""

    @property
    def source(self) -> Tokens:
        """What the encoder reads."""
        return Tokens(self.source_BS, self.source_mask_BS)

    @classmethod
    def of(
        cls,
        source_ids: Sequence[Ids],
        target_ids: Sequence[Ids],
        index: Ids,
        alignment: Sequence[np.ndarray] | None = None,
    ) -> "Batch":
        """The batch of these sentences, ids without BOS and EOS. No sentences give tensors [0, 1]."""
        if not len(source_ids) == len(target_ids) == len(index):
            raise ShapeError(
                f"a batch needs as many sources as targets and numbers, not {len(source_ids)}, "
                f"{len(target_ids)} and {len(index)}."
            )
        source_BS, source_lengths = _pad(source_ids, before=None, after=EOS)
        target = ForcedTargets.of(target_ids)
        links = None
        if alignment is not None:
            links = [torch.as_tensor(np.asarray(pairs, dtype=np.int64).reshape(-1, 2)) for pairs in alignment]
        return cls(
            source_BS=torch.from_numpy(source_BS),
            source_mask_BS=_mask(source_BS, source_lengths),
            target_in_BT=target.in_BT,
            target_out_BT=target.out_BT,
            target_mask_BT=target.mask_BT,
            index_B=torch.as_tensor(np.asarray(index, dtype=np.int64)),
            alignment=links,
            source_tokens=int(source_lengths.sum()),
            target_tokens=target.tokens,
        )

    def without_links(self) -> "Batch":
        """The same batch without its word links."""
        return replace(self, alignment=None)

    def __len__(self) -> int:
        return self.source_BS.shape[0]

    @property
    def size(self) -> int:
        """Target tokens: what losses are averaged over."""
        return self.target_tokens

    @property
    def counts(self) -> dict[str, int]:
        """What a training step reports."""
        return {"target_tokens": self.target_tokens, "source_tokens": self.source_tokens}

    @property
    def numbers(self) -> list[int]:
        """The sentences' numbers in their store."""
        return self.index_B.tolist()

    @property
    def most_shares(self) -> int:
        """Into how many shares it can be split before each is too small for its own overhead."""
        return min(len(self) // LEAST_SENTENCES, self.target_tokens // LEAST_TOKENS)

    def share(self, rank: int, count: int) -> "Batch":
        """Every `count`-th sentence from the `rank`-th on, padded no further than it needs."""
        rows = slice(rank, None, count)
        source_mask, target_mask = self.source_mask_BS[rows], self.target_mask_BT[rows]
        source, target = int(source_mask.sum(1).max()), int(target_mask.sum(1).max())
        return replace(
            self,
            source_BS=self.source_BS[rows, :source].contiguous(),
            source_mask_BS=source_mask[:, :source].contiguous(),
            target_in_BT=self.target_in_BT[rows, :target].contiguous(),
            target_out_BT=self.target_out_BT[rows, :target].contiguous(),
            target_mask_BT=target_mask[:, :target].contiguous(),
            index_B=self.index_B[rows],
            alignment=None if self.alignment is None else self.alignment[rows],
            source_tokens=int(source_mask.sum()),
            target_tokens=int(target_mask.sum()),
        )

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device."""
        if self.source_BS.device == torch.device(device):
            return self
        return replace(
            self,
            source_BS=self.source_BS.to(device, non_blocking=True),
            source_mask_BS=self.source_mask_BS.to(device, non_blocking=True),
            target_in_BT=self.target_in_BT.to(device, non_blocking=True),
            target_out_BT=self.target_out_BT.to(device, non_blocking=True),
            target_mask_BT=self.target_mask_BT.to(device, non_blocking=True),
            index_B=self.index_B.to(device, non_blocking=True),
            alignment=None if self.alignment is None else [links.to(device) for links in self.alignment],
        )


def _pad(rows: Sequence[Ids], *, before: int | None, after: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The rows with one id before or after them, padded to the longest, and their lengths."""
    lengths = np.fromiter((len(row) + 1 for row in rows), dtype=np.int64, count=len(rows))
    padded = np.full((len(rows), int(lengths.max(initial=1))), PAD, dtype=np.int64)
    shift = 0 if before is None else 1
    for number, row in enumerate(rows):
        padded[number, shift : shift + len(row)] = row
        if after is not None:
            padded[number, len(row)] = after
    if before is not None:
        padded[:, 0] = before
    return padded, lengths


def _mask(padded: np.ndarray, lengths: np.ndarray) -> Tensor:
    return torch.from_numpy(np.arange(padded.shape[1])[None, :] < lengths[:, None])
