"""Copying and reversing are learned within a few hundred steps, and the alignment is the known one."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_

from jumok.config import resolve
from jumok.data.sources import Tokens
from jumok.models.build import build_model
from jumok.models.seq2seq import Seq2Seq
from jumok.shapes import BOS, EOS, PAD

WORDS, SHORTEST, LONGEST = 13, 3, 6
SENTENCES = 64
SMALL = ["model.embedding=32", "model.encoder.size=32", "model.decoder.size=32", "model.dropout=0.0"]
TRANSFORMER = ["model.encoder.layers=1", "model.decoder.layers=1", "model.encoder.ff=64", "model.decoder.ff=64"]


def sentences(count: int, task: str, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sources that end in EOS, their mask, targets, and for each target position the source position it comes from."""
    lengths_B1 = torch.randint(SHORTEST, LONGEST + 1, (count, 1), generator=generator)
    position_S = torch.arange(LONGEST + 1)
    source_BS = torch.randint(4, WORDS, (count, LONGEST + 1), generator=generator)
    source_BS = torch.where(position_S == lengths_B1, EOS, source_BS)
    mask_BS = position_S <= lengths_B1
    source_BS = source_BS.masked_fill(~mask_BS, PAD)
    inside_BS = position_S < lengths_B1
    origin_BS = torch.where(inside_BS & (task == "reverse"), lengths_B1 - 1 - position_S, position_S)
    return source_BS, mask_BS, source_BS.gather(1, origin_BS), origin_BS


def learn(model: Seq2Seq, task: str, steps: int, generator: torch.Generator) -> None:
    """A plain loop: cross entropy, Adam, one cycle of the learning rate."""
    optimizer = torch.optim.Adam(model.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.015, steps, pct_start=0.2)
    for _ in range(steps):
        source_BS, mask_BS, target_BT, _ = sentences(SENTENCES, task, generator)
        given_BT = torch.cat([torch.full((SENTENCES, 1), BOS), target_BT[:, :-1]], 1)
        decoded = model.decode(model.encode(Tokens(source_BS, mask_BS)), given_BT)
        logits_BTV = model.generator(decoded.outputs_BTD)
        loss = cross_entropy(logits_BTV.flatten(0, 1), target_BT.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()


@torch.no_grad()
def translate(model: Seq2Seq, source_BS: Tensor, mask_BS: Tensor) -> tuple[Tensor, Tensor]:
    """The model's own words, greedily, and the cross attention [B, L·H, T, S] of all layers and heads."""
    state = model.init_state(model.encode(Tokens(source_BS, mask_BS)))
    word_B = torch.full((len(source_BS),), BOS)
    words, weights = [], []
    for _ in range(source_BS.shape[1]):
        output, state = model.step(word_B, state, need_weights=True)
        word_B = output.logits_BV.argmax(-1)
        words.append(word_B)
        weights.append(torch.cat(output.attention.cross, 1))
    return torch.stack(words, 1), torch.cat(weights, 2)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["copy", "reverse"])
@pytest.mark.parametrize(
    ("preset", "steps", "aligned"), [("rnnsearch", 110, 0.95), ("luong", 125, 0.95), ("transformer", 260, 0.8)]
)
def test_the_task_is_learned_with_its_alignment(preset, steps, aligned, task):
    torch.manual_seed(1)
    generator = torch.Generator().manual_seed(2)
    keys = [f"model.preset={preset}", *SMALL, *(TRANSFORMER if preset == "transformer" else [])]
    model = build_model(resolve({}, keys).model, WORDS, WORDS)
    learn(model.train(), task, steps, generator)

    source_BS, mask_BS, target_BT, origin_BT = sentences(400, task, generator)
    words_BT, weights_BHTS = translate(model.eval(), source_BS, mask_BS)
    right = ((words_BT == target_BT) | ~mask_BS).all(1).double().mean()
    assert right > 0.95
    # Words, not EOS: where a sentence ends can be known without looking.
    inside_BT = (target_BT != EOS) & mask_BS
    # To one position: a state that read both ways knows its neighbours' words as well as its own.
    distance_BHT = (weights_BHTS.argmax(-1) - origin_BT[:, None]).abs()
    hits_H = [(distance_BT <= 1)[inside_BT].double().mean() for distance_BT in distance_BHT.unbind(1)]
    assert max(hits_H) > aligned
