"""The routes of pictures and of what models say about them."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from jumok.studio import payload_pictures
from jumok.studio.pictures import MOST_SCENES
from jumok.studio.questions import json_of
from jumok.studio.scenes import scenes
from jumok.studio.studio import Studio


def add_pictures(router: APIRouter, studio: Studio) -> None:
    """Pictures that are given to the studio."""

    @router.post("/pictures", response_model=payload_pictures.PictureAnswer)
    async def post_picture(request: payload_pictures.PictureRequest) -> Response:
        """Decodes a picture and keeps it in memory under an id."""
        picture = await studio.work(studio.pictures.add, request.data)
        return json_of(payload_pictures.PictureAnswer(picture=picture.shown()))

    @router.get("/scenes", response_model=payload_pictures.ScenesAnswer)
    async def get_scenes(
        n: Annotated[int, Query(ge=1, le=MOST_SCENES)] = 8,
        split: Annotated[str, Query(max_length=20)] = "test",
        seed: Annotated[int, Query(ge=0, le=999_999)] = 1,
    ) -> Response:
        """Drawn scenes with their captions; their ids can be used as pictures."""
        return json_of(await studio.work(scenes, split, n, seed))
