"""`task=few-shot`: where the pictures come from, what an episode is, and the network."""

from typing import Annotated, Any, Literal

from pydantic import Field

from jumok.config.section import Section


class EpisodesConfig(Section):
    """Pictures of classes, and the episodes that are made of them."""

    train: str | None = Field(
        default=None,
        description="folder of class folders, or .npz with `images` [classes, drawings, H, W]",
    )
    dev: str | None = Field(default=None, description="the same with other classes, for validation")
    classes: int = Field(default=800, ge=4, description="glyphbook: classes to learn from")
    drawings: int = Field(default=20, ge=2, description="glyphbook: drawings of each class")
    held_out: int = Field(default=200, ge=2, description="classes kept for validation where data.dev is not given")
    side: int = Field(default=28, ge=16, le=512, description="pixels of a side; pictures are fitted to it")
    rotations: bool = Field(default=True, description="a class turned by 90°, 180° and 270° is three more classes")
    ways: int = Field(default=5, ge=2, description="classes of an episode")
    shots: int = Field(default=1, ge=1, description="labelled examples of each class")
    queries: int = Field(default=3, ge=1, description="queries of each class, which share the support set")
    episodes: int = Field(default=16, ge=1, description="episodes in a batch")


class SnailConfig(Section):
    """The network: embedding, attention blocks, and temporal convolutions between them."""

    preset: str = Field(default="snail", description="snail")
    embedding: int = Field(default=64, ge=1, description="size of a picture's vector")
    image_filters: int = Field(default=64, ge=1, description="filters of the embedding's convolutions")
    filters: int = Field(default=128, ge=1, description="filters of a dense block")
    keys: list[Annotated[int, Field(ge=0)]] = Field(
        default=[64, 256, 512], min_length=1, description="key size of each attention block; 0: none at its place"
    )
    attention: str = Field(default="scaled_dot", description="a name of `jumok mechanisms`, in causal scope")
    compare: float = Field(
        default=1.0,
        ge=0,
        description="weight of an auxiliary loss: pictures named by the nearest mean vector, among all classes of the "
        "batch; 0 is off",
    )
    parts: Literal["both", "attend", "convolve"] = Field(
        default="both", description="attend: no convolutions; convolve: no attention"
    )


SNAIL_PRESETS: dict[str, dict[str, Any]] = {
    "snail": {
        "train.learning_rate": 0.001,
        "train.betas": [0.9, 0.999],
        "train.warmup": 50,
        "train.max_steps": 3000,
        "train.validate_every": 250,
        "train.save_every": 250,
        "train.validate_size": 200,
        "train.pictures": 0,
    }
}
