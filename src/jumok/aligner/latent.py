"""The model of one direction: each target word comes from one source word, or from none.

    p(e | f) = Σ_a Π_j a(a_j | a_{j−1}, f) p(e_j | f_{a_j})

The lexicon p(e | f) is a softmax over target words between vectors that are sums of n-gram vectors, on both sides. The
jump distribution is attention from the position left to those that may come next (score: the distance, and for staying
the word left — a word that is said with several target words keeps its place; Toutanova, Ilhan and Manning 2002).
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from jumok.aligner.bitext import Batch
from jumok.aligner.chain import Chain, log_likelihood, posteriors
from jumok.aligner.lexicon import SpelledWords, log_normaliser
from jumok.aligner.spelling import is_mark
from jumok.attention.attention import normalise_within
from jumok.attention.normalise import Softmax

FARTHEST = 15
"""Jumps farther than this are all alike."""
NEVER = -1e4
"""Log-probability of what cannot be; finite, so that gradients are too."""


class LatentAlignment(nn.Module):
    """p(target | source) with the alignment summed out; its posteriors are the attention."""

    def __init__(
        self,
        source_words: Sequence[str],
        target_words: Sequence[str],
        target_counts_V: Tensor,
        *,
        size: int = 96,
        spelled: bool = True,
        marks_apart: bool = True,
        null: float = 0.1,
    ) -> None:
        super().__init__()
        self.source = SpelledWords(source_words, size, spelled=spelled)
        self.target = SpelledWords(target_words, size, spelled=spelled)
        log_frequency_V = (target_counts_V + 0.5).log().log_softmax(-1)
        self.bias = nn.Parameter(log_frequency_V)
        self.null_word = nn.Parameter(log_frequency_V.clone())
        self.null_logit = nn.Parameter(torch.tensor(null).logit())
        self.distance = nn.Parameter(torch.zeros(2 * FARTHEST + 1))
        self.stay = nn.Linear(size, 1)
        nn.init.zeros_(self.stay.weight)
        nn.init.zeros_(self.stay.bias)
        self.align = Softmax()
        # Punctuation says nothing of what the words say: it comes from punctuation, or from nothing.
        self.register_buffer("source_kind", _kinds(source_words, marks_apart))
        self.register_buffer("target_kind", _kinds(target_words, marks_apart))
        self.source_kind: Tensor
        self.target_kind: Tensor

    def rates(self) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
        """The parameters of the lexicon, and the few of the chain, which every word moves and which may move fast."""
        chain_parameters = [self.null_logit, self.distance, self.stay.bias]
        fast = {id(parameter) for parameter in chain_parameters}
        return [parameter for parameter in self.parameters() if id(parameter) not in fast], chain_parameters

    def chain(self, batch: Batch, *, jumps: bool = True) -> Chain:
        """Emissions and jumps of a batch; without `jumps` every position is as likely as another (IBM model 1)."""
        types_N, place_BS = batch.source_BS.unique(return_inverse=True)
        vectors_ND, targets_VD = self.source(types_N), self.target.every()
        # log p(e_j | f_i) = x_i · y_j + b_j − log Z_i
        log_Z_N = log_normaliser(vectors_ND, targets_VD, self.bias)
        x_BSD, y_BTD = embedding(place_BS, vectors_ND), embedding(batch.target_BT, targets_VD)
        log_emit_BTS = y_BTD @ x_BSD.mT + self.bias[batch.target_BT][:, :, None] - log_Z_N[place_BS][:, None, :]
        alike_BTS = self.source_kind[batch.source_BS][:, None, :] == self.target_kind[batch.target_BT][:, :, None]
        log_emit_BTS = log_emit_BTS.masked_fill(~(alike_BTS & batch.source_mask_BS[:, None, :]), NEVER)
        log_null_BT = self.null_word.log_softmax(-1)[batch.target_BT]
        stay_BS = self.stay(vectors_ND).squeeze(-1)[place_BS]
        jump_BSS, start_BS = self._jumps(stay_BS, batch.source_mask_BS, jumps)
        null = self.null_logit.sigmoid()
        return Chain(log_emit_BTS, log_null_BT, jump_BSS, start_BS, null, batch.target_mask_BT)

    def _jumps(self, stay_BS: Tensor, mask_BS: Tensor, jumps: bool) -> tuple[Tensor, Tensor]:
        """a(i | i') as attention from the position left, and from before the first position."""
        count = mask_BS.shape[1]
        position_S = torch.arange(count, device=mask_BS.device)
        step_SS = (position_S[None, :] - position_S[:, None]).clamp(-FARTHEST, FARTHEST) + FARTHEST
        scores_BSS = self.distance[step_SS] + torch.diag_embed(stay_BS)
        start_BS = self.distance[(position_S + 1).clamp(max=FARTHEST) + FARTHEST].expand_as(stay_BS)
        if not jumps:
            scores_BSS, start_BS = scores_BSS.detach() * 0, start_BS.detach() * 0
        return (
            normalise_within(self.align, scores_BSS, mask_BS[:, None, :]).weights,
            normalise_within(self.align, start_BS[:, None], mask_BS[:, None]).weights[:, 0],
        )

    def forward(self, batch: Batch, *, jumps: bool = True) -> Tensor:
        """log p(target | source) of each pair of the batch."""
        return log_likelihood(self.chain(batch, jumps=jumps))

    @torch.no_grad()
    def attention(self, batch: Batch) -> Tensor:
        """Posterior attention [B, T, S]."""
        return posteriors(self.chain(batch))


def _kinds(words: Sequence[str], marks_apart: bool) -> Tensor:
    return torch.tensor([marks_apart and is_mark(word) for word in words])
