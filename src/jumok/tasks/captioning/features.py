"""What a frozen backbone makes of the pictures of a run: computed once, stored in half precision, memory-mapped."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch

from jumok.config import PretrainedFrontendConfig
from jumok.data.caption_batch import images_from
from jumok.data.images import PixelStore, write_store
from jumok.durable import digest
from jumok.models.backbones import Backbone, build_backbone
from jumok.models.pretrained import load_backbone
from jumok.tasks.task import Say

TOGETHER = 16
TOLD_EVERY = 1000


def ready_backbone(section: PretrainedFrontendConfig) -> Backbone:
    """The backbone of the config with its weights, for looking only."""
    backbone = build_backbone(section.backbone, section.layer)
    load_backbone(backbone, section.backbone, section.weights)
    backbone.requires_grad_(False).eval()
    for parameter in backbone.parameters():
        if parameter.ndim == 4:
            parameter.data = parameter.data.contiguous(memory_format=torch.channels_last)
    return backbone


def store_features(
    section: PretrainedFrontendConfig, pixels: PixelStore, cache: Path, split: str, say: Say, mirrored: bool = False
) -> PixelStore:
    """The features [S, E] of each picture of a store; found again where the same weights computed them before."""
    backbone = ready_backbone(section)
    regions = (section.side // backbone.cell) ** 2
    which = " mirrored" if mirrored else ""
    identity = f"{section.backbone} {section.layer} {weights_key(backbone)} of {pixels.identity}{which}"
    folder = cache / f"features-{split}-{digest(identity.encode())[:16]}"

    def told(count: int) -> None:
        if count % TOLD_EVERY < TOGETHER or count == len(pixels):
            say(f"Features of {count:,} of {len(pixels):,}{which} pictures.")

    rows = features_of(backbone, pixels, mirrored)
    return write_store(folder, identity, (regions, backbone.size), rows, dtype="<f2", progress=told)


def weights_key(backbone: Backbone) -> str:
    """A hash of the weights: a file may be replaced by another of the same name."""
    total = sha256()
    for name, value in backbone.state_dict().items():
        total.update(name.encode() + value.contiguous().numpy().tobytes())
    return total.hexdigest()[:16]


@torch.inference_mode()
def features_of(backbone: Backbone, pixels: PixelStore, mirrored: bool = False) -> Iterator[np.ndarray]:
    """Blocks [≤ 16, S, E] of half precision, picture by picture."""
    for start in range(0, len(pixels), TOGETHER):
        numbers = range(start, min(len(pixels), start + TOGETHER))
        rows = pixels.batch(numbers)
        found = backbone(images_from(rows[:, :, ::-1].copy() if mirrored else rows).pixels_BCHW.float())
        yield found.flatten(2).transpose(1, 2).half().contiguous().numpy()
