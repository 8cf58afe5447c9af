"""The contract's messages about generated pictures."""

from typing import Literal

from pydantic import Field

from jumok.studio.payload import Answer, Matrix, Part, Request, RunId, RunRef

MAX_DRAWN = 48
MAX_SEED = 10**6


class DrawRequest(Request):
    """Pictures from noise."""

    run: RunId
    step: int | None = Field(default=None, ge=0, le=10**9)
    seed: int = Field(default=1, ge=0, le=MAX_SEED, description="of the noise; picture n of a seed is always the same")
    count: int = Field(default=24, ge=1, le=MAX_DRAWN)
    label: str | None = Field(default=None, max_length=200, description="the class to draw; none: each in turn")


class DrawnPicture(Part):
    """A generated picture."""

    png: str = Field(description="a PNG file, in base64")
    label: str | None
    score: float = Field(description="what the discriminator gives it: high for what it takes for real")


class DrawAnswer(Answer):
    """POST /api/v1/draw"""

    run: RunRef
    side: int = Field(description="pixels of a side")
    classes: list[str] = Field(description="what can be drawn; empty where there are no classes")
    pictures: list[DrawnPicture]


class GazeRequest(Request):
    """One generated picture, and where one of its pixels looks."""

    run: RunId
    step: int | None = Field(default=None, ge=0, le=10**9)
    seed: int = Field(default=1, ge=0, le=MAX_SEED)
    number: int = Field(default=0, ge=0, lt=MAX_DRAWN, description="which picture of the seed")
    label: str | None = Field(default=None, max_length=200)
    row: int = Field(default=0, ge=0, lt=1024, description="the pixel that looks")
    column: int = Field(default=0, ge=0, lt=1024)
    strength: float = Field(default=1.0, ge=0, le=2, description="the generator's γ in times the learned one")
    towards: int | None = Field(default=None, ge=0, lt=MAX_DRAWN, description="another picture of the seed")
    share: float = Field(default=0.0, ge=0, le=1, description="how much of the way towards it has been gone")
    nearest: int = Field(default=0, ge=0, le=6, description="training pictures that are most alike")


class GazeMap(Part):
    """Where the position that holds the pixel looks, at one attention layer."""

    player: Literal["generator", "discriminator"]
    side: int
    gamma: float = Field(description="the learned factor of what the layer finds")
    weights: Matrix = Field(description="[side, side], a distribution over the positions of the map")
    far: float = Field(description="the weight outside the 3 × 3 positions that a convolution sees")


class NearPicture(Part):
    """A training picture."""

    png: str
    label: str | None
    distance: float = Field(description="from the generated picture, in grey levels per pixel")


class GazeAnswer(Answer):
    """POST /api/v1/gaze"""

    run: RunRef
    side: int
    picture: DrawnPicture
    maps: list[GazeMap]
    near: list[NearPicture]
