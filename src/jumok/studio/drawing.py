"""Generated pictures for the page: drawn from noise, with where a pixel of them looks."""

import base64

import numpy as np

from jumok.data.images import png_bytes
from jumok.studio.payload import Matrix
from jumok.studio.payload_drawing import (
    DrawAnswer,
    DrawnPicture,
    DrawRequest,
    GazeAnswer,
    GazeMap,
    GazeRequest,
    NearPicture,
)
from jumok.studio.problems import invalid
from jumok.studio.sessions import OpenedModel
from jumok.tasks.image_gan.model import Drawn, ImageGanModel, MapLook, on_sphere

DIGITS = 6


def draw(opened: OpenedModel[ImageGanModel], request: DrawRequest) -> DrawAnswer:
    """The first pictures of a seed."""
    model = opened.model
    drawn = model.generate(request.count, label=request.label, seed=request.seed)
    return DrawAnswer(
        run=opened.ref, side=model.config.data.side, classes=list(model.names), pictures=[_shown(one) for one in drawn]
    )


def gaze(opened: OpenedModel[ImageGanModel], request: GazeRequest) -> GazeAnswer:
    """One picture of a seed, or one on the way to another, and where a pixel of it looks."""
    model, side = opened.model, opened.model.config.data.side
    if request.row >= side or request.column >= side:
        raise invalid(f"The pixel ({request.row}, {request.column}) lies outside a picture of {side} × {side}.")
    rows = model.noise(1 + max(request.number, request.towards or 0), request.seed)
    noise = rows[request.number]
    if request.towards is not None:
        noise = on_sphere(noise, rows[request.towards], request.share)
    label = request.label
    if label is None and model.names:  # as in the list: each class in turn
        label = model.names[request.number % len(model.names)]
    [drawn] = model.generate(noise=noise[None], label=label, attention=True, strength=request.strength)
    near = model.nearest([drawn], request.nearest)[0] if request.nearest else []
    return GazeAnswer(
        run=opened.ref,
        side=side,
        picture=_shown(drawn),
        maps=[_map(look, request.row, request.column, side) for look in drawn.looks],
        near=[NearPicture(png=_png(one.pixels_HWC), label=one.label, distance=round(one.distance, 2)) for one in near],
    )


def _map(look: MapLook, row: int, column: int, side: int) -> GazeMap:
    weights = look.from_pixel(row, column, side)
    return GazeMap(
        player="generator" if look.player == "generator" else "discriminator",
        side=look.side,
        gamma=round(look.gamma, DIGITS),
        weights=Matrix(shape=list(weights.shape), data=[round(float(one), DIGITS) for one in weights.ravel()]),
        far=round(look.far_share(row, column, side), DIGITS),
    )


def _shown(drawn: Drawn) -> DrawnPicture:
    return DrawnPicture(png=_png(drawn.pixels_HWC), label=drawn.label, score=round(drawn.score, 4))


def _png(pixels_HWC: np.ndarray) -> str:
    grey = pixels_HWC.shape[2] == 1
    return base64.b64encode(png_bytes(pixels_HWC[..., 0] if grey else pixels_HWC)).decode("ascii")
