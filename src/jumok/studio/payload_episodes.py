"""The contract's messages about episodes: a few labelled pictures, and a new one to be named."""

from typing import Annotated, Literal

from pydantic import Field

from jumok.studio.payload import MAX_EDITS, Answer, Matrix, Part, PictureId, Request, RunId, RunRef

MAX_SHOTS = 5
MAX_SHOWN = 60
Place = Annotated[int, Field(ge=0, le=MAX_SHOWN)]


class EpisodeEdit(Request):
    """A change of the support set: an example left out, two in each other's place, or one with another's class.

    `at` counts the examples as the episode has them; `other` is an example (swap) or a class (label).
    """

    kind: Literal["drop", "swap", "label"]
    at: Place
    other: Place = 0


class EpisodeRequest(Request):
    """An episode of classes that the run never learned; the same number is always the same episode."""

    run: RunId
    step: int | None = Field(None, ge=0)
    number: int = Field(0, ge=0, le=1_000_000, description="which episode")
    shots: int | None = Field(None, ge=1, le=MAX_SHOTS, description="examples of each class; null: as trained")
    query: Place = Field(0, description="the class that the new picture is of")
    picture: PictureId | None = Field(None, description="a picture that was given to the studio, to be named instead")
    edits: list[EpisodeEdit] = Field(default_factory=list, max_length=MAX_EDITS)


class ShownExample(Part):
    """A picture of the support set as the model reads it."""

    png: str = Field(description="a PNG file in base64")
    label: int = Field(description="the class that it is said to be of")
    truth: int = Field(description="the class that it is of")
    place: int = Field(description="its place before any edit")


class Named(Part):
    """What the model said, and where it looked."""

    chances: list[float] = Field(description="the probability of each class")
    weights: Matrix = Field(description="[block, example]; the last column is the new picture itself")
    right: list[float] = Field(description="each block's share of weight on examples of the true class, among examples")


class EpisodeAnswer(Answer):
    """POST /api/v1/episode"""

    run: RunRef
    classes: list[str]
    episode: list[ShownExample] = Field(description="the support set before any edit")
    query_png: str
    query_label: int | None = Field(description="null for a picture that was given")
    before: Named
    examples: list[ShownExample] = Field(description="the support set with the edits")
    after: Named
