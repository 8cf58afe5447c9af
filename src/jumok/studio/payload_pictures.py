"""The contract's messages about pictures."""

from typing import Annotated

from pydantic import Field

from jumok.studio.payload import Answer, Part, Request

MAX_PICTURE_BYTES = 8_000_000
MAX_PICTURE_TEXT = -(-MAX_PICTURE_BYTES // 3) * 4
PictureId = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[a-z0-9-]+$")]


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
