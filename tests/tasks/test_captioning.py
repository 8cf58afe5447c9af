"""Captions: a run is trained, described and used; its words look at regions of a grid."""

import numpy as np
import pytest

import jumok
from jumok.data.picturebook import draw, generate
from jumok.decoding.options import Options
from jumok.inspect.what_if import Erase, Plan, SetWeight, plan_edits
from jumok.models.layout import Grid

TINY = {
    "task": "captioning",
    "data.picturebook_size": 120,
    "data.held_out": 20,
    "model.frontend.channels": [8, 8, 16],
    "model.encoder.size": 16,
    "model.decoder.size": 16,
    "model.embedding": 16,
    "train.max_steps": 4,
    "train.validate_every": 4,
    "train.batch_tokens": 256,
    "runtime.threads": 1,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return jumok.train(TINY, out=tmp_path_factory.mktemp("runs") / "tiny")


@pytest.fixture(scope="module")
def pixels():
    return draw(generate("test", 3))


def test_each_word_looks_at_the_regions_of_the_picture(model, pixels):
    caption = model.caption(pixels[0], nbest=2)
    assert caption.layout == Grid(8, 8)
    assert caption.weights.shape == (len(caption.words), 8, 8)
    np.testing.assert_allclose(caption.weights.sum((1, 2)), 1, atol=1e-5)
    assert str(caption) == " ".join(caption.words) == caption.text
    assert caption.alternatives[0].score <= caption.score


def test_pictures_together_are_described_as_alone(model, pixels):
    together = model.caption_all(list(pixels), Options(beam=2))
    assert [one.text for one in together] == [model.caption(one, beam=2).text for one in pixels]


def test_the_inspector_replays_steps_and_edits_a_picture(model, pixels):
    inspector = model.inspector
    sight = inspector.look_at(pixels[0])
    ids = inspector.search(Plan(sight), beam=2).best[0].ids
    read = inspector.replay(Plan(sight), ids)
    assert read.cross[0].shape == (1, len(ids) + 1, 64)
    step = inspector.step(Plan(sight), ids[:1])
    np.testing.assert_allclose(step.look(-1).weights.ravel(), read.cross[0][0, 1], atol=1e-6)
    assert 0 < step.decoder["gate"].value < 1
    edits = [SetWeight(at=1, source=3, value=0.9), Erase(5, "mask"), Erase(6, "remove"), Erase(7, "unknown")]
    changed = plan_edits(inspector, sight, edits, ids)
    rows = inspector.replay(changed, ids).cross[0][0]
    assert rows[0, 5] == 0
    assert rows[1, 3] == pytest.approx(0.9)
    assert inspector.effects(read, "mask").shape == (len(ids) + 1, 64)
