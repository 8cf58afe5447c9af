"""The contract's messages about pictures."""

from pydantic import Field

from jumok.studio.payload import MAX_PICTURE_BYTES, Answer, Part, Request

MAX_PICTURE_TEXT = -(-MAX_PICTURE_BYTES // 3) * 4


class PictureRequest(Request):
    """A PNG, JPEG or WebP file to look at."""

    data: str = Field(max_length=MAX_PICTURE_TEXT, description="the file's bytes in base64")


class PictureShown(Part):
    """A picture as the studio keeps it, upright and without transparency."""

    id: str = Field(description="names it in requests for as long as the studio runs and keeps it")
    width: int
    height: int
    png: str = Field(description="the kept pixels as a PNG file, in base64")
    given: list[int] = Field(description="width and height of the file that was given")


class PictureAnswer(Answer):
    """POST /api/v1/pictures"""

    picture: PictureShown


class SceneShown(Part):
    """A drawn scene with its one caption in each language."""

    picture: PictureShown
    captions: dict[str, str]


class ScenesAnswer(Answer):
    """GET /api/v1/scenes?n=8&split=test&seed=1"""

    scenes: list[SceneShown]
