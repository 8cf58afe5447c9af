"""What sequence-to-sequence models minimise: cross entropy, and where asked guided alignment and a reward."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import torch
from torch import Tensor

from jumok.attention.normalise import Hard
from jumok.data.sources import Source
from jumok.errors import ConfigError
from jumok.models.contract import Decoded, Memory, TokenLoss
from jumok.models.seq2seq import Seq2Seq
from jumok.training import teacher_forcing
from jumok.training.consistency import consistent_cross_entropy
from jumok.training.loss import (
    coverage_loss,
    doubly_stochastic_loss,
    gold_rows,
    guided_alignment_loss,
    moved_baseline,
    reinforce_loss,
)
from jumok.training.objective import TIME_SHARE, Average, BatchLoss, Objective
from jumok.training.teacher_forcing import TeacherForcing


class SequenceBatch(Protocol):
    """What the loss reads of a batch: any source, and the target as it is forced."""

    @property
    def target_in_BT(self) -> Tensor:
        """`<s> y_1 … y_m`."""
        ...

    @property
    def target_out_BT(self) -> Tensor:
        """`y_1 … y_m </s>`."""
        ...

    @property
    def target_mask_BT(self) -> Tensor:
        """True at real tokens."""
        ...

    @property
    def alignment(self) -> list[Tensor] | None:
        """Gold links of each sentence, where there are such."""
        ...

    @property
    def source(self) -> Source:
        """What the encoder reads."""
        ...

    @property
    def size(self) -> int:
        """Target tokens."""
        ...

    def __len__(self) -> int: ...

    def to(self, device: torch.device, /) -> Self:
        """The same batch on another device."""
        ...

    def without_links(self) -> Self:
        """The same batch without its word links."""
        ...


AnyBatch = TypeVar("AnyBatch", bound=SequenceBatch)


@dataclass(frozen=True)
class SequenceObjective(Objective):
    """The loss of a batch of sources and targets under given settings."""

    smoothing: float
    forcing: TeacherForcing
    guided_weight: float = 0.0
    guided_layer: int = -1
    guided_heads: int = 1
    reinforce_weight: float = 1.0
    r_drop: float = 0.0
    entropy_weight: float = 0.0
    stochastic_weight: float = 0.0
    coverage_weight: float = 0.0
    coverage_from: int = 1
    coverage_share: float | None = None
    """Share of the allowed time after which coverage counts too, at whatever step that is; None: steps decide."""

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
        if self.coverage_weight > 0 and not self.forcing.always and model.head.copies_by_outputs:
            raise ConfigError(
                "train.coverage_loss of a pointer with model.head.own=true needs train.teacher_forcing=always."
            )
        if draws_by_reward(model) and not self.forcing.always:
            raise ConfigError(
                "Hard attention trained by reward needs train.teacher_forcing=always; "
                "or set model.decoder.attention_options.estimator=gumbel."
            )
        if self.stochastic_weight > 0 and not (self.forcing.always and self.r_drop == 0):
            raise ConfigError("train.doubly_stochastic needs train.teacher_forcing=always and train.r_drop=0.")
        if self.entropy_weight > 0 and not draws_by_reward(model):
            raise ConfigError(
                "train.entropy needs attention that draws by reward, such as model.decoder.attention=hard."
            )
        if self.r_drop > 0 and model.head.layer is None:
            raise ConfigError("train.r_drop needs a model whose head is linear; set train.r_drop=0.")
        if self.r_drop > 0 and (not self.forcing.always or draws_by_reward(model)):
            raise ConfigError(
                "train.r_drop compares two passes over the same words; it needs train.teacher_forcing=always and "
                "no attention that is trained by reward."
            )

    def check_effect(self, model: Seq2Seq) -> None:
        """Refuses settings of hard attention that would change nothing; an old run that has them may go on."""
        hard = [part for part in model.modules() if isinstance(part, Hard)]
        rewarded = [part for part in hard if part.estimator == "reinforce"]
        if any(part.temperature != 1 for part in rewarded):
            raise ConfigError("The option temperature of hard attention is for estimator=gumbel; leave it out.")
        if any(part.expected for part in hard if part.estimator == "gumbel"):
            raise ConfigError("The option expected of hard attention is for estimator=reinforce; leave it out.")
        weights = {
            "guided_alignment": self.guided_weight,
            "coverage_loss": self.coverage_weight,
            "doubly_stochastic": self.stochastic_weight,
        }
        asked = [key for key, weight in weights.items() if weight]
        # A draw is a constant for every loss but the reward's; what it was drawn from is not.
        if asked and any(not part.expected for part in rewarded):
            raise ConfigError(
                f"train.{asked[0]} has no gradient through draws; set it to 0, or the option expected of hard attention"
                " above 0."
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

    def needed(self, batch: AnyBatch) -> AnyBatch:
        """Without word links where nothing is guided by them."""
        return batch if self.guided_weight else batch.without_links()

    def __call__(
        self, model: Seq2Seq, batch: SequenceBatch, step: int, coins: torch.Generator, carried: Mapping[str, float]
    ) -> BatchLoss:
        """The losses of a batch at a step."""
        guided = self.guided_weight > 0 and batch.alignment is not None
        if self.r_drop > 0:
            return self._twice(model, batch, guided)
        memory = model.encode(batch.source)
        rewarded = torch.zeros((), device=batch.target_in_BT.device)
        if self.forcing.always:
            decoded = model.decode(memory, batch.target_in_BT, need_weights=guided or self._looks)
            tokens = model.head.loss(decoded, memory, batch.target_out_BT, self.smoothing)
            cross = decoded.attention.cross
            rewarded = self._about_attention(model, decoded, tokens, batch, carried)
        else:
            decoded = None
            tokens, cross = self._free(model, memory, batch, step, coins, guided or self.coverage_weight > 0)
        aligned = self._guided(cross, batch) if guided else torch.zeros_like(rewarded)
        total = tokens.total + self.guided_weight * aligned + rewarded
        again = torch.zeros_like(rewarded)
        if self.coverage_weight > 0:
            again = coverage_loss(self._covering(model, memory, decoded, cross), batch.target_mask_BT)
            total = total + (self.coverage_weight * again if self._covers(step, carried) else 0.0)
        return self._named(total, tokens.total.detach(), tokens.nll_BT.sum(), aligned.detach(), again.detach())

    @staticmethod
    def _covering(model: Seq2Seq, memory: Memory, decoded: Decoded | None, cross: list[Tensor]) -> Tensor:
        """The attention [B, T, S] that coverage adds up: what the head copies by, else the mean of the last layer."""
        outputs_BTD = cross[-1].new_zeros(0) if decoded is None else decoded.outputs_BTD
        copied_BTS = model.head.copying_weights(outputs_BTD, memory, cross)
        return cross[-1].mean(1) if copied_BTS is None else copied_BTS

    def _covers(self, step: int, carried: Mapping[str, float]) -> bool:
        """Whether it is late enough for the coverage loss."""
        share = carried.get(TIME_SHARE, 0.0)
        return step >= self.coverage_from or (self.coverage_share is not None and share >= self.coverage_share)

    @property
    def _looks(self) -> bool:
        """Whether a loss needs the attention itself."""
        return self.stochastic_weight > 0 or self.coverage_weight > 0

    def _about_attention(
        self,
        model: Seq2Seq,
        decoded: Decoded,
        tokens: TokenLoss,
        batch: SequenceBatch,
        carried: Mapping[str, float],
    ) -> Tensor:
        """What is asked of the attention itself: the reward of its draws, their entropy, an even share for all."""
        mask_BT, total = batch.target_mask_BT, torch.zeros((), device=batch.target_in_BT.device)
        if decoded.log_prob_BT is not None and draws_by_reward(model):
            baseline = carried.get("baseline", 0.0)
            total = self.reinforce_weight * reinforce_loss(decoded.log_prob_BT, tokens.nll_BT, mask_BT, baseline)
        if self.entropy_weight and decoded.entropy_BT is not None:
            total = total - self.entropy_weight * (decoded.entropy_BT * mask_BT).sum()
        if self.stochastic_weight:
            for weights_BHTS in decoded.attention.cross:
                total = total + self.stochastic_weight * doubly_stochastic_loss(weights_BHTS, mask_BT)
        return total

    def _twice(self, model: Seq2Seq, batch: SequenceBatch, guided: bool) -> BatchLoss:
        """The losses of two passes with dropout of their own, held together (R-Drop)."""
        layer = model.head.layer
        assert layer is not None
        target_BT = batch.target_in_BT.repeat(2, 1)
        source = batch.source.select(torch.arange(len(batch), device=target_BT.device).repeat(2))
        decoded = model.decode(model.encode(source), target_BT, need_weights=guided)
        loss = consistent_cross_entropy(
            decoded.outputs_BTD, *layer, batch.target_out_BT, self.smoothing, self.r_drop
        )  # fmt: skip
        cross = [layer[: len(batch)] for layer in decoded.attention.cross]
        aligned = self._guided(cross, batch) if guided else torch.zeros((), device=target_BT.device)
        total = loss.total + self.guided_weight * aligned
        return self._named(total, loss.smoothed, loss.nll_BT.sum(), aligned.detach())

    def _named(
        self, total: Tensor, smoothed: Tensor, nll: Tensor, guided: Tensor, again: Tensor | None = None
    ) -> BatchLoss:
        """The sums under their names."""
        sums = {"loss": smoothed, "nll": nll, "guided": guided, "coverage": again}
        return BatchLoss(total, {name: found for name in self.losses if (found := sums[name]) is not None})

    def _free(
        self, model: Seq2Seq, memory: Memory, batch: SequenceBatch, step: int, coins: torch.Generator, guided: bool
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

    def _guided(self, cross: list[Tensor], batch: SequenceBatch) -> Tensor:
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
