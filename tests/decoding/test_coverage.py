"""The coverage penalty of a search counts the attention that copies, whatever that is."""

from dataclasses import replace

import pytest
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.decoding.beam_search import beam_search
from jumok.decoding.constraints import Rules
from jumok.decoding.greedy import attended_by, greedy
from jumok.decoding.scoring import Scoring, coverage_penalty
from jumok.models.build import build_model
from jumok.shapes import BOS

SIZES = ["model.encoder.size=12", "model.decoder.size=12", "model.embedding=12", "model.dropout=0"]
HEADS = ["model.preset=transformer", *SIZES, "model.encoder.heads=3", "model.decoder.heads=3", "model.decoder.layers=2"]
KINDS = {
    "recurrent": ["model.preset=luong", *SIZES],
    "last layer": HEADS,
    "one head": [*HEADS, "model.head.layer=0", "model.head.head=2"],
    "its own": [*HEADS, "model.head.own=true"],
    "its own alone": [*HEADS, "model.head.own=true", "model.decoder.attention=none"],
    "linear": [*HEADS, "model.head.kind=linear"],
}


def make(kind: str):
    """A model of random weights, sharper than a fresh one, and its config."""
    config = resolve({"task": "summarisation"}, KINDS[kind])
    torch.manual_seed(5)
    model = build_model(config.model, 15, 15).eval().double()  # pyright: ignore
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.mul_(2.0)
    return model


def copied_by(model, kind: str, memory, ids):
    """The weights [T, S] of every step of writing `ids` and EOS, computed at once."""
    decoded = model.decode(memory, torch.tensor([[BOS, *ids]]), need_weights=True)
    cross = decoded.attention.cross
    by_kind = {
        "recurrent": lambda: cross[0][:, 0],
        "last layer": lambda: cross[-1].mean(1),
        "one head": lambda: cross[0][:, 2],
        "linear": lambda: torch.stack([layer.mean(1) for layer in cross]).mean(0),
    }
    return by_kind.get(kind, lambda: model.head.copying(decoded.outputs_BTD, memory, cross))()[0]


@pytest.mark.parametrize("form", ["summary", "wu"])
@pytest.mark.parametrize("kind", list(KINDS))
@torch.inference_mode()
def test_a_hypothesis_costs_what_its_copying_looked_at(kind: str, form) -> None:
    model, scoring = make(kind), Scoring(coverage=3.0, coverage_form=form)
    batch = Batch.of([[5, 7, 8, 7, 11]], [[7]], [0])
    memory = model.encode(batch.source)
    mask_BS = memory.mask_BS
    rules = replace(Rules.lengths([9]), min_length_B=torch.tensor([4]))
    found = [
        *greedy(model, memory, mask_BS, rules, scoring=scoring),
        *beam_search(model, memory, mask_BS, rules, beam=3, nbest=3, scoring=scoring).best[0],
    ]
    for one in found:
        attended_S = copied_by(model, kind, memory, one.ids).sum(0)
        penalty = coverage_penalty(attended_S[None], mask_BS, 3.0, form)
        plain = one.log_prob / Scoring().length_penalty(torch.tensor(len(one.ids) + 1))
        assert one.score == pytest.approx(float(plain + penalty[0]), abs=1e-4)
        assert float(penalty) < -0.01


@torch.inference_mode()
def test_a_recurrent_decoder_is_counted_as_before_to_the_bit() -> None:
    model = make("recurrent").float()
    memory = model.encode(Batch.of([[5, 7, 8, 7, 11], [6, 9]], [[7], [7]], [0, 1]).source)
    output, _ = model.step(torch.tensor([BOS, BOS]), model.init_state(memory), need_weights=True)
    mean_NS = torch.stack([layer[:, :, 0].mean(dim=1) for layer in output.attention.cross]).mean(dim=0)
    assert torch.equal(attended_by(output.attention, torch.zeros(2, 6)), mean_NS)
