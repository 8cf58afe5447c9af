"""`task=image-gan`: where the pictures come from, the two networks, and how they play against each other."""

from typing import Any, Literal

from pydantic import Field

from jumok.config.section import Section


class PicturesConfig(Section):
    """Pictures to learn to draw, with a class each where there are classes."""

    book: Literal["glyphbook", "picturebook"] = Field(
        default="glyphbook", description="embedded pictures, used when data.train is not given"
    )
    scenes: Literal["one", "agree"] = Field(
        default="one",
        description="picturebook: one thing, its shape is the class; agree: two far apart that look the same",
    )
    classes: int = Field(default=10, ge=1, le=10_000, description="glyphbook: characters to learn")
    size: int = Field(default=8000, ge=100, le=1_000_000, description="embedded pictures to learn from")
    train: str | None = Field(
        default=None, description="folder of pictures or of class folders, .npz with `images`, or an idx file"
    )
    labels: str | None = Field(default=None, description="array of the .npz that holds the classes, or their idx file")
    labelled: bool = Field(default=True, description="learn the classes too, where there are some")
    held_out: int = Field(default=1000, ge=50, description="pictures kept apart, to compare with")
    side: int = Field(default=32, ge=16, le=256, description="pixels of a side: 28, 32, 48, 56, 64 …")
    colour: bool = Field(default=False, description="learn colours; false: grey")
    batch: int = Field(default=32, ge=2, description="pictures in a batch")


class GridAttentionConfig(Section):
    """Self-attention over feature maps."""

    at: list[int] = Field(default=[16], description="sides of the maps that attend, in both players; []: none (SNGAN)")
    mechanism: str = Field(default="dot", description="a name of `jumok mechanisms`; dot is the published one")


class GanConfig(Section):
    """The two networks."""

    preset: str = Field(default="sagan", description="sagan, sngan or dcgan")
    kind: Literal["residual", "plain"] = Field(
        default="residual", description="residual: SAGAN and SNGAN; plain: DCGAN, which has no attention"
    )
    width: int = Field(default=16, ge=1, description="channels of the finest map; coarser ones have up to 8 times more")
    noise: int = Field(default=64, ge=1, description="numbers that a picture is drawn from")
    attention: GridAttentionConfig = GridAttentionConfig()


class PlayersConfig(Section):
    """How generator and discriminator play."""

    loss: Literal["hinge", "logistic"] = Field(default="hinge", description="hinge, or logistic as in DCGAN")
    discriminator_rate: float = Field(
        default=1.5, gt=0, description="learning rate of the discriminator, in times the generator's; published: 4"
    )
    discriminator_steps: int = Field(default=1, ge=1, description="turns of the discriminator per step")


_SHARED: dict[str, Any] = {
    "train.learning_rate": 0.0005,
    "train.betas": [0.0, 0.9],
    "train.schedule": "constant",
    "train.warmup": 0,
    "train.clip": 0.0,
    "train.ema": 0.99,
    "train.max_steps": 4000,
    "train.validate_every": 200,
    "train.save_every": 200,
    "train.validate_size": 300,
    "train.pictures": 0,
}
GAN_PRESETS: dict[str, dict[str, Any]] = {
    "sagan": _SHARED,
    "sngan": _SHARED | {"model.attention.at": []},
    "dcgan": _SHARED
    | {
        "model.kind": "plain",
        "model.attention.at": [],
        "players.loss": "logistic",
        "players.discriminator_rate": 1.0,
        "train.learning_rate": 0.0002,
        "train.betas": [0.5, 0.999],
    },
}
