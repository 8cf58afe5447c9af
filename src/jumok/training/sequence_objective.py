"""What sequence-to-sequence models minimise: cross entropy, and where asked guided alignment and a reward."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from jumok.attention.normalise import Hard
from jumok.data.batch import Batch
from jumok.data.sources import Tokens
from jumok.errors import ConfigError
from jumok.models.contract import TokenLoss
from jumok.models.heads import LinearHead
from jumok.models.seq2seq import Seq2Seq
from jumok.training import teacher_forcing
from jumok.training.consistency import consistent_cross_entropy
from jumok.training.loss import coverage_loss, gold_rows, guided_alignment_loss, moved_baseline, reinforce_loss
from jumok.training.objective import Average, BatchLoss, Objective
from jumok.training.teacher_forcing import TeacherForcing


@dataclass(frozen=True)
class SequenceObjective(Objective):
    """The loss of a batch of sentence pairs under given settings."""

    smoothing: float
    forcing: TeacherForcing
    guided_weight: float = 0.0
    guided_layer: int = -1
    guided_heads: int = 1
    reinforce_weight: float = 1.0
    r_drop: float = 0.0
    coverage_weight: float = 0.0
    coverage_from: int = 1

    def check(self, model: Seq2Seq, has_links: bool) -> None:
        """Refuses settings that cannot work together."""
        if self.guided_weight > 0 and not has_links:
            raise ConfigError(
                "train.guided_alignment needs word links; set data.alignment to a Pharaoh file or use the phrasebook."
            )
        if self.coverage_weight > 0 and (self.r_drop > 0 or not model.decoder.cross_attentions()):
            raise ConfigError(
                "train.coverage_loss needs a decoder with attention, and train.r_drop=0; set train.coverage_loss=0."
            )
        if draws_by_reward(model) and not self.forcing.always:
            raise ConfigError(
                "Hard attention trained by reward needs train.teacher_forcing=always; "
                "or set model.decoder.attention_options.estimator=gumbel."
            )
        if self.r_drop > 0 and not isinstance(model.head, LinearHead):
            raise ConfigError("train.r_drop needs a model whose head is linear; set train.r_drop=0.")
        if self.r_drop > 0 and (not self.forcing.always or draws_by_reward(model)):
            raise ConfigError(
                "train.r_drop compares two passes over the same words; it needs train.teacher_forcing=always and "
                "no attention that is trained by reward."
            )

    @property
    def losses(self) -> dict[str, Average]:
        """Smoothed cross entropy, −log p and, where they are asked for, guided and coverage loss; per target token."""
        asked = {"guided": self.guided_weight, "coverage": self.coverage_weight}
        return {"loss": "unit", "nll": "unit", **{name: "unit" for name, weight in asked.items() if weight}}

    def carry(self, carried: Mapping[str, float], means: Mapping[str, float], step: int) -> dict[str, float]:
        """The baseline of hard attention's reward."""
        return {"baseline": moved_baseline(carried.get("baseline", 0.0), -means["nll"], first=step == 1)}

    def settings_at(self, step: int) -> dict[str, float]:
        """How often the true word is fed, where that changes."""
        return {} if self.forcing.always else {"teacher_forcing": self.forcing.probability(step)}

    def needed(self, batch: Batch) -> Batch:
        """Without word links where nothing is guided by them."""
        return batch if self.guided_weight else replace(batch, alignment=None)

    def __call__(
        self, model: Seq2Seq, batch: Batch, step: int, coins: torch.Generator, carried: Mapping[str, float]
    ) -> BatchLoss:
        """The losses of a batch at a step."""
        guided = self.guided_weight > 0 and batch.alignment is not None
        if self.r_drop > 0:
            return self._twice(model, batch, guided)
        memory = model.encode(batch.source)
        rewarded = torch.zeros((), device=batch.source_BS.device)
        if self.forcing.always:
            decoded = model.decode(memory, batch.target_in_BT, need_weights=guided or self.coverage_weight > 0)
            tokens = model.head.loss(decoded, memory, batch.target_out_BT, self.smoothing)
            cross = decoded.attention.cross
            if decoded.log_prob_BT is not None and draws_by_reward(model):
                mask = batch.target_mask_BT
                rewarded = reinforce_loss(decoded.log_prob_BT, tokens.nll_BT, mask, carried.get("baseline", 0.0))
        else:
            tokens, cross = self._free(model, memory, batch, step, coins, guided or self.coverage_weight > 0)
        aligned = self._guided(cross, batch) if guided else torch.zeros_like(rewarded)
        total = tokens.total + self.guided_weight * aligned + self.reinforce_weight * rewarded
        again = torch.zeros_like(rewarded)
        if self.coverage_weight > 0:
            again = coverage_loss(cross[-1].mean(1), batch.target_mask_BT)
            total = total + (self.coverage_weight * again if step >= self.coverage_from else 0.0)
        return self._named(total, tokens.total.detach(), tokens.nll_BT.sum(), aligned.detach(), again.detach())

    def _twice(self, model: Seq2Seq, batch: Batch, guided: bool) -> BatchLoss:
        """The losses of two passes with dropout of their own, held together (R-Drop)."""
        head = model.head
        assert isinstance(head, LinearHead)
        read = (batch.source_BS, batch.source_mask_BS, batch.target_in_BT)
        source_BS, mask_BS, target_BT = (part.repeat(2, 1) for part in read)
        decoded = model.decode(model.encode(Tokens(source_BS, mask_BS)), target_BT, need_weights=guided)
        loss = consistent_cross_entropy(
            decoded.outputs_BTD, head.weight, head.bias, batch.target_out_BT, self.smoothing, self.r_drop
        )  # fmt: skip
        cross = [layer[: len(batch)] for layer in decoded.attention.cross]
        aligned = self._guided(cross, batch) if guided else torch.zeros((), device=source_BS.device)
        total = loss.total + self.guided_weight * aligned
        return self._named(total, loss.smoothed, loss.nll_BT.sum(), aligned.detach())

    def _named(
        self, total: Tensor, smoothed: Tensor, nll: Tensor, guided: Tensor, again: Tensor | None = None
    ) -> BatchLoss:
        """The sums under their names."""
        sums = {"loss": smoothed, "nll": nll, "guided": guided, "coverage": again}
        return BatchLoss(total, {name: found for name in self.losses if (found := sums[name]) is not None})

    def _free(
        self, model: Seq2Seq, memory, batch: Batch, step: int, coins: torch.Generator, guided: bool
    ) -> tuple[TokenLoss, list[Tensor]]:
        size, length = batch.target_in_BT.shape
        forced_BT = teacher_forcing.toss(self.forcing, step, size, length, coins)
        ran = teacher_forcing.free_run(
            model,
            memory,
            batch.target_in_BT,
            forced_BT,
            sample=self.forcing.sample,
            generator=coins,
            need_weights=guided,
        )
        return model.head.loss_of_logits(ran.logits_BTV, batch.target_out_BT, self.smoothing), ran.cross

    def _guided(self, cross: list[Tensor], batch: Batch) -> Tensor:
        if not cross:
            raise ConfigError("train.guided_alignment needs a model with attention, not model.decoder.attention=none.")
        try:
            weights_BHTS = cross[self.guided_layer]
        except IndexError:
            raise ConfigError(
                f"train.guided_layer is {self.guided_layer} but the decoder has {len(cross)} layers with attention."
            ) from None
        weights_BTS = weights_BHTS[:, : self.guided_heads].mean(1)
        assert batch.alignment is not None
        gold_BTS = gold_rows(batch.alignment, *weights_BTS.shape[1:]).to(weights_BTS.device)
        return guided_alignment_loss(weights_BTS, gold_BTS)


def draws_by_reward(model: Seq2Seq) -> bool:
    """True if some attention draws positions and learns from the reward alone."""
    return any(isinstance(part, Hard) and part.estimator == "reinforce" for part in model.modules())
