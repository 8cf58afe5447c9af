"""Captions over a pretrained network: stored features are learned from, pixels are described, it may be tuned."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import jumok
from jumok.data.caption_batch import images_from
from jumok.data.images.augment import Augmentation
from jumok.data.picturebook import draw, generate
from jumok.errors import ConfigError
from jumok.models import pretrained
from jumok.models.layout import Grid
from jumok.tasks.captioning.features import ready_backbone
from jumok.tasks.captioning.prepare import open_run

TINY = {
    "task": "captioning", "data.picturebook_size": 100, "data.held_out": 20, "model.frontend.kind": "pretrained",
    "model.frontend.side": 32, "model.frontend.layer": "middle", "model.frontend.size": 16, "model.encoder.size": 16,
    "model.decoder.size": 16, "model.embedding": 16, "data.flip": 0.5, "train.max_steps": 3, "train.validate_every": 3,
    "train.validate_size": 5, "train.batch_tokens": 256, "runtime.threads": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return jumok.train(TINY, out=tmp_path_factory.mktemp("pretrained") / "frozen", progress=False)


def backbone_of(model):
    return model.run.model.frontend.backbone.state_dict()


def test_stored_features_are_those_of_the_pictures_and_of_the_mirrored_ones(model):
    opened = open_run(model.run.path, model.config)
    shown, frontend = opened.shown["train"], model.run.model.frontend
    pixels_BHWC = shown.pixels.batch([0, 7])
    assert opened.shown["dev"].features is not None
    assert opened.shown["dev"].mirrored is None
    for store, rows in ((shown.features, pixels_BHWC), (shown.mirrored, pixels_BHWC[:, :, ::-1].copy())):
        expected = frontend.features(images_from(rows))
        torch.testing.assert_close(torch.from_numpy(store.batch([0, 7])).float(), expected, atol=2e-2, rtol=1e-2)
    # Training shows one or the other, as the seed says.
    source = shown.changed(np.zeros(20, int), Augmentation(flip=0.5), 1, 0, np.arange(20))
    kinds = {row.numpy().tobytes() for row in source.states_BSE}
    assert kinds == {store.batch([0])[0].tobytes() for store in (shown.features, shown.mirrored)}


def test_a_picture_is_described_from_its_pixels_as_from_its_features(model):
    opened = open_run(model.run.path, model.config)
    shown, network = opened.shown["dev"], model.run.model
    caption = model.caption(draw(generate("dev", 1))[0], beam=2)
    assert caption.layout == Grid(2, 2)
    np.testing.assert_allclose(caption.weights.sum((1, 2)), 1, atol=1e-5)
    with torch.inference_mode():
        stored = network.encode(shown.source([0, 1]))
        seen = network.encode(images_from(shown.pixels.batch([0, 1])))
    torch.testing.assert_close(stored.states_BSD, seen.states_BSD, atol=2e-2, rtol=1e-2)


def test_a_frozen_network_stays_as_it_came(model):
    known = ready_backbone(model.config.model.frontend).state_dict()
    assert [name for name, value in backbone_of(model).items() if not torch.equal(value, known[name])] == []


def test_a_run_is_resumed_where_the_package_is_gone(model, monkeypatch):
    monkeypatch.setattr(pretrained, "find_spec", lambda name: None)
    jumok.train({"train.max_steps": 4}, resume=model.run.path, progress=False)


def test_a_network_that_is_tuned_changes_and_stores_no_features(model, tmp_path):
    keys = {"model.frontend.fine_tune": True, "train.max_steps": 1, "train.validate_every": 1, "data.crop": 0.2}
    tuned = jumok.train({**TINY, **keys}, out=tmp_path / "tuned", progress=False)
    assert json.loads((tmp_path / "tuned" / "data.json").read_text())["features"] == {}
    known = backbone_of(model)
    assert any(not torch.equal(value, known[name]) for name, value in backbone_of(tuned).items())
    assert tuned.caption(draw(generate("dev", 1))[0], beam=1).layout == Grid(2, 2)


def refused(tmp_path, match, **keys):
    named = {f"model.frontend.{key}": value for key, value in keys.items()}
    with pytest.raises(ConfigError, match=match):
        jumok.train({**TINY, **named, "data.cache": str(tmp_path / "cache")}, out=tmp_path / "run", progress=False)
    assert not (tmp_path / "cache").exists(), "pictures were stored first"
    assert not (tmp_path / "run").exists()


def test_weights_that_are_not_there_are_told_before_any_picture_is_read(tmp_path, monkeypatch):
    refused(tmp_path, "needs a file of weights", backbone="resnet18")
    refused(tmp_path, "cannot be read as safetensors", backbone="resnet18", weights=str(tmp_path / "absent"))
    (tmp_path / "text").write_text("no tensors")
    refused(tmp_path, "cannot be read as safetensors", backbone="resnet18", weights=str(tmp_path / "text"))
    monkeypatch.setattr(pretrained, "find_spec", lambda name: None)
    refused(tmp_path, "pip install")


def test_weights_of_another_network_are_told_before_any_picture_is_read(tmp_path):
    file = tmp_path / "other.safetensors"
    save_file({"conv1.weight": torch.zeros(64, 3, 7, 7)}, file)
    refused(tmp_path, r"lacks 'bn1\.weight'", backbone="resnet18", weights=str(file))
    save_file({"conv1.weight": torch.zeros(64, 3, 3, 3)}, file)
    shapes = r"conv1\.weight has shape \[64, 3, 3, 3\], not \[64, 3, 7, 7\]"
    refused(tmp_path, shapes, backbone="resnet18", weights=str(file))
