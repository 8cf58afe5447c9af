"""Pictures: the frontends that read them, where they come from, and the presets of `task=captioning`."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from jumok.config.model import FRONTENDS, FrontendConfig, ModelConfig
from jumok.config.section import Section


class ImageFrontendConfig(FrontendConfig):
    """What every frontend of pictures has."""

    side: int = Field(default=64, ge=16, le=1024, description="pixels of a side; pictures are fitted to it")
    positions: bool = Field(default=True, description="add a learned vector for each row and column")

    @property
    def reads(self) -> str:
        return "pictures"


class CNNFrontendConfig(ImageFrontendConfig):
    """Convolutions learned from scratch: one vector for each region."""

    kind: str = Field(default="cnn", description="cnn: convolutions, learned from scratch")
    channels: list[int] = Field(
        default=[32, 64, 96, 128], min_length=1, description="channels of each layer; the last is a region's vector"
    )
    cell: Literal[2, 4, 8, 16, 32] = Field(default=8, description="pixels of a region's side")

    @field_validator("channels")
    @classmethod
    def _positive(cls, channels: list[int]) -> list[int]:
        if any(number < 1 for number in channels):
            raise ValueError("each layer needs at least one channel")
        return channels

    def describe(self) -> str:
        grid = self.side // self.cell
        return f"cnn, {self.side} × {self.side} pixels, {grid} × {grid} regions, channels {self.channels}"


class PatchesFrontendConfig(ImageFrontendConfig):
    """Square patches through one matrix, as in ViT; an encoder of self-attention should follow."""

    kind: str = Field(default="patches", description="patches: squares of pixels through one matrix (ViT)")
    size: int = Field(default=128, ge=1, description="size of a patch's vector")
    patch: int = Field(default=8, ge=1, description="pixels of a patch's side")
    stem: bool = Field(
        default=True,
        description="two convolutions before the patches are cut, which learn from less (Xiao et al. 2021)",
    )

    def describe(self) -> str:
        grid = self.side // self.patch
        return f"patches of {self.patch} × {self.patch} pixels, {grid} × {grid} of them, size {self.size}"


class PretrainedFrontendConfig(ImageFrontendConfig):
    """A network that was trained on ImageNet, frozen or trained further, and a matrix that is learned after it."""

    kind: str = Field(default="pretrained", description="pretrained: a network trained on ImageNet")
    side: int = Field(default=224, ge=32, le=1024, description="pixels of a side; pictures are fitted to it")
    backbone: str = Field(
        default="efficientnet-lite0", description="efficientnet-lite0, resnet18, resnet34 or resnet50"
    )
    weights: str | None = Field(
        default=None,
        description="safetensors file with the backbone's weights; efficientnet-lite0 has its own (jumok[pretrained])",
    )
    layer: Literal["last", "middle"] = Field(
        default="last", description="last: regions of 32 pixels; middle: regions of 16, less abstract"
    )
    size: int = Field(default=256, ge=1, description="size of a region's vector after the learned matrix")
    fine_tune: bool = Field(
        default=False, description="train the backbone further; otherwise its features are computed once"
    )

    @property
    def frozen(self) -> bool:
        return not self.fine_tune

    def describe(self) -> str:
        how = "trained further" if self.fine_tune else "frozen"
        return f"{self.backbone} ({how}), {self.side} × {self.side} pixels, size {self.size}"


class CaptionDataConfig(Section):
    """Where pictures and their captions come from."""

    images: str | None = Field(
        default=None, description="folder or tar with the pictures; the picturebook if not given"
    )
    captions: str | None = Field(default=None, description="list of captions: .tsv or .jsonl, perhaps .gz")
    split: str = Field(default="", description="rows of a .jsonl list to train on; all if empty")
    dev_images: str | None = Field(default=None, description="folder or tar of the validation pictures")
    dev_captions: str | None = Field(default=None, description="captions of the validation pictures")
    dev_split: str = Field(default="", description="rows of the list to validate on")
    test_images: str | None = Field(default=None, description="test pictures: training pictures among them are dropped")
    test_captions: str | None = Field(default=None, description="captions of the test pictures")
    test_split: str = Field(default="", description="rows of the list that are the test pictures")
    held_out: int = Field(
        default=500, ge=1, description="largest number of pictures held out when no validation pictures are given"
    )
    fit: Literal["crop", "pad", "stretch"] = Field(default="crop", description="how pictures are fitted to the side")
    flip: float = Field(default=0.0, ge=0, le=1, description="how often a picture is mirrored in training")
    crop: float = Field(default=0.0, ge=0, lt=1, description="largest share of the side that is cut off in training")
    colour: float = Field(default=0.0, ge=0, lt=1, description="how far brightness, contrast and saturation change")
    drop_duplicates: bool = Field(default=True, description="drop the second of equal training pictures")
    picturebook: Literal["en", "ko", "fr"] = Field(
        default="en", description="language of the embedded picturebook, used when no pictures are given"
    )
    picturebook_size: int = Field(default=20_000, ge=100, description="training scenes taken from the picturebook")
    max_length: int = Field(default=60, ge=2, description="longer captions (in tokens) are dropped")
    cache: str | None = Field(
        default=None, description="folder for stored pictures and features; inside the run folder if not given"
    )

    @property
    def is_picturebook(self) -> bool:
        """Whether no pictures are named."""
        return self.images is None and self.captions is None


class CaptionModelConfig(ModelConfig):
    """The network: frontend of pictures, encoder, decoder and head."""

    preset: str = Field(default="show-attend-tell", description="show-attend-tell or caption-transformer")  # pyright: ignore[reportIncompatibleVariableOverride]


def draws_only(given: Mapping[str, Any]) -> bool:
    """Whether these keys ask for attention that is drawn by reward, with no draw replaced by its expectation."""
    key = "model.decoder.attention_options"
    whole = given.get(key)
    options = dict(whole) if isinstance(whole, Mapping) else {}
    options |= {name.removeprefix(f"{key}."): value for name, value in given.items() if name.startswith(f"{key}.")}
    hard = options.get("normalise", given.get("model.decoder.attention")) == "hard"
    return hard and options.get("estimator", "reinforce") == "reinforce" and not options.get("expected")


FRONTENDS |= {"cnn": CNNFrontendConfig, "patches": PatchesFrontendConfig, "pretrained": PretrainedFrontendConfig}

CAPTION_PRESETS: dict[str, dict[str, Any]] = {
    # Xu et al. 2015: an LSTM that looks before each step, the gate β and the doubly stochastic regulariser.
    "show-attend-tell": {
        "model.frontend.kind": "cnn",
        "model.encoder.kind": "plain",
        "model.encoder.size": 128,
        "model.decoder.cell": "lstm",
        "model.decoder.attention": "bahdanau",
        "model.decoder.order": "before",
        "model.decoder.gate": True,
        "train.doubly_stochastic": 1.0,
    },
    "caption-transformer": {
        "model.frontend.kind": "patches",
        "model.encoder.kind": "transformer",
        "model.encoder.layers": 3,
        "model.decoder.kind": "transformer",
        "model.decoder.attention": "transformer",
        "model.decoder.layers": 3,
        "train.learning_rate": 0.001,
        "train.schedule": "inverse_sqrt",
        "train.warmup": 500,
    },
}
