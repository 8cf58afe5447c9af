"""The routes of pictures and of what models say about them."""

from fastapi import APIRouter
from fastapi.responses import Response

from jumok.studio import payload_pictures
from jumok.studio.lesson_routes import json_of
from jumok.studio.studio import Studio


def add_pictures(router: APIRouter, studio: Studio) -> None:
    """Pictures that are given to the studio."""

    @router.post("/pictures", response_model=payload_pictures.PictureAnswer)
    async def post_picture(request: payload_pictures.PictureRequest) -> Response:
        """Decodes a picture and keeps it in memory under an id."""
        picture = await studio.work(studio.pictures.add, request.data)
        return json_of(payload_pictures.PictureAnswer(picture=picture.shown()))
