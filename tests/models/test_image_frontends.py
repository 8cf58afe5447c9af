"""Frontends of pictures: what a region sees, what is refused, and a pretrained network beside its authors' own code."""

import pytest
import torch
import torch.nn.functional as F
from efficientnet_lite_pytorch import EfficientNet
from safetensors.torch import save_file
from torch import nn

from jumok.data.sources import Features, Images, Tokens
from jumok.errors import ConfigError, ShapeError
from jumok.models import pretrained
from jumok.models.backbones import Convolved, build_backbone
from jumok.models.image_frontends import CNNFrontend, PatchesFrontend
from jumok.models.layout import Grid
from jumok.models.pretrained import (
    PretrainedFrontend,
    check_weights,
    installed_file,
    installed_weights,
    load_backbone,
)

FRONTENDS = {
    "cnn": lambda: CNNFrontend(64, [6, 7, 5, 11], 8, positions=True, dropout=0.0),
    "patches": lambda: PatchesFrontend(64, 16, 8, stem=True, positions=True, dropout=0.0),
    "plain patches": lambda: PatchesFrontend(64, 16, 8, stem=False, positions=True, dropout=0.0),
}


@pytest.mark.parametrize("name", FRONTENDS)
def test_a_region_sees_what_lies_around_its_own_centre(name):
    frontend = FRONTENDS[name]()
    for part in frontend.modules():
        if isinstance(part, nn.Conv2d):
            part.weight.data.fill_(1.0)
    frontend.apply(lambda part: part.register_forward_hook(lambda *_: _[1][0]) if isinstance(part, nn.GroupNorm) else 0)
    pixels = torch.ones(1, 3, 64, 64, requires_grad=True)
    frontend.regions(pixels)[0, 0, 3, 4].backward()
    seen_HW, at = pixels.grad[0, 0], torch.arange(64.0)
    centre = [float((seen_HW.sum(axis) * at).sum() / seen_HW.sum()) for axis in (1, 0)]
    assert centre == pytest.approx([3 * 8 + 3.5, 4 * 8 + 3.5], abs=0.51)


@pytest.mark.parametrize("name", FRONTENDS)
def test_each_region_has_a_vector_and_pictures_do_not_mix(name):
    frontend, pixels = FRONTENDS[name]().eval(), torch.randint(0, 256, (3, 3, 64, 64), dtype=torch.uint8)
    vectors = frontend(Images(pixels))
    assert vectors.layout == Grid(8, 8)
    assert vectors.states_BSE.shape == (3, 64, frontend.size)
    assert bool(vectors.mask_BS.all())
    torch.testing.assert_close(frontend(Images(pixels[1:2])).states_BSE, vectors.states_BSE[1:2], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", FRONTENDS)
def test_what_is_no_picture_of_the_right_size_is_refused(name):
    frontend = FRONTENDS[name]()
    with pytest.raises(ShapeError, match="reads pictures, not tokens"):
        frontend(Tokens(torch.zeros(1, 2, dtype=torch.long), torch.ones(1, 2, dtype=torch.bool)))
    with pytest.raises(ShapeError, match=r"uint8 \[B, 3, 64, 64\]"):
        frontend(Images(torch.zeros(1, 3, 32, 32, dtype=torch.uint8)))


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ShapeError, match="cannot be cut into regions of 16"):
        CNNFrontend(40, [4, 4, 4, 4], 16, positions=False, dropout=0.0)
    with pytest.raises(ShapeError, match="need 3 layers"):
        CNNFrontend(64, [4, 4], 8, positions=False, dropout=0.0)
    with pytest.raises(ShapeError, match="patches of 7"):
        PatchesFrontend(64, 16, 7, stem=False, positions=False, dropout=0.0)


def test_the_pretrained_network_computes_what_its_authors_code_computes(capsys):
    ours = build_backbone("efficientnet-lite0", "last")
    load_backbone(ours, "efficientnet-lite0", None)
    theirs = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=str(installed_file())).eval()
    pixels = torch.randint(0, 256, (1, 3, 96, 96)).float()
    theirs_other_size = EfficientNet.from_name("efficientnet-lite0", image_size=96).eval()
    theirs_other_size.load_state_dict(theirs.state_dict())
    with torch.no_grad():
        torch.testing.assert_close(
            ours(pixels), theirs_other_size.extract_features((pixels - 127) / 128), atol=2e-4, rtol=1e-3
        )


def test_stored_features_give_the_vectors_that_the_picture_gives():
    frontend = PretrainedFrontend(
        64, build_backbone("resnet18", "middle"), 8, fine_tune=False, positions=True, dropout=0.0
    )
    for parameter in frontend.backbone.parameters():
        nn.init.normal_(parameter, std=0.05)
    source = Images(torch.randint(0, 256, (2, 3, 64, 64), dtype=torch.uint8))
    states = frontend.features(source)
    assert not states.requires_grad
    stored = frontend(Features(states, torch.ones(2, 16, dtype=torch.bool)))
    torch.testing.assert_close(stored.states_BSE, frontend(source).states_BSE)
    assert [name for name, p in frontend.named_parameters() if p.requires_grad and "backbone" in name] == []


def test_weights_of_another_network_are_refused():
    with pytest.raises(ConfigError, match=r"lacks 'conv1\.weight'"):
        build_backbone("resnet18", "last").take(installed_weights("efficientnet-lite0"))
    with pytest.raises(ConfigError, match="needs a file of weights"):
        check_weights(build_backbone("resnet18", "last"), "resnet18", None)
    with pytest.raises(ConfigError, match="needs a file of weights"):
        load_backbone(build_backbone("resnet18", "last"), "resnet18", None)


def test_a_safetensors_file_with_torchvisions_names_is_folded_into_the_convolutions(tmp_path):
    tensors: dict[str, torch.Tensor] = {}
    network = build_backbone("resnet18", "last")
    convolutions = [part for part in network.modules() if isinstance(part, Convolved)]
    for one in convolutions:
        tensors[f"{one.name}.weight"] = torch.randn(one.weight.shape) * 0.05
        for part in ("weight", "bias", "running_mean"):
            tensors[f"{one.norm}.{part}"] = torch.randn(one.bias.shape)
        tensors[f"{one.norm}.running_var"] = torch.rand(one.bias.shape) + 0.5
    assert {"conv1.weight", "bn1.running_var", "layer2.0.downsample.0.weight", "layer4.1.conv2.weight"} <= set(tensors)
    save_file(tensors, tmp_path / "resnet18.safetensors")
    with torch.device("meta"):
        check_weights(build_backbone("resnet18", "last"), "resnet18", str(tmp_path / "resnet18.safetensors"))
    save_file(tensors | {"bn1.running_var": torch.ones(3)}, tmp_path / "short.safetensors")
    with pytest.raises(ConfigError, match=r"bn1\.running_var has shape \[3\], not \[64\]"):
        load_backbone(network, "resnet18", str(tmp_path / "short.safetensors"))
    load_backbone(network, "resnet18", str(tmp_path / "resnet18.safetensors"))
    for one in convolutions:
        x = torch.randn(2, tensors[f"{one.name}.weight"].shape[1] * one.groups, 11, 7)
        plain = F.conv2d(x, tensors[f"{one.name}.weight"], None, one.stride, one.width // 2, groups=one.groups)
        mean, variance, gain, shift = (
            tensors[f"{one.norm}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
        )
        torch.testing.assert_close(one(x), F.batch_norm(plain, mean, variance, gain, shift), rtol=1e-4, atol=1e-4)


def test_weights_that_are_not_the_known_file_are_refused(tmp_path, monkeypatch):
    (tmp_path / "other.pth").write_bytes(b"another file")
    monkeypatch.setattr(pretrained, "installed_file", lambda: tmp_path / "other.pth")
    with pytest.raises(ConfigError, match=r"other\.pth is not the known file of weights"):
        pretrained.installed_weights("efficientnet-lite0")
