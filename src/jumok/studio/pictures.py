"""Pictures that a person gives the studio: decoded by a bounded process, kept in memory, never written to disk."""

import base64
import binascii
import hashlib
import json
import re
import subprocess
import sys
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np

from jumok.data.images import png_bytes
from jumok.data.picturebook import SPLITS, Scene, draw, generate
from jumok.studio.payload_pictures import MAX_PICTURE_BYTES, PictureShown
from jumok.studio.picture_worker import MEMORY, SECONDS
from jumok.studio.problems import RefusedError, invalid, too_large

KEPT = 24
MOST_SCENES = 50
"""Scenes of a split and seed that can be asked for."""
_SCENE = re.compile(rf"picturebook-({'|'.join(SPLITS)})-([0-9]{{1,6}})-([0-4]?[0-9])")
WORKER = "jumok.studio.picture_worker"
_GRACE = 20
"""Seconds on the clock beyond those on a processor: a busy machine is not the picture's fault."""


@dataclass(frozen=True)
class Picture:
    """Pixels under the id that clients use; `given` is height and width before it was made smaller."""

    id: str
    pixels_HW3: np.ndarray
    given: tuple[int, int]

    @classmethod
    def of(cls, pixels_HW3: np.ndarray, given: tuple[int, int] | None = None, name: str | None = None) -> "Picture":
        """A picture that is named by its pixels, or by a name that says how to make it again."""
        high, wide = pixels_HW3.shape[:2]
        digest = hashlib.sha256(f"{high} {wide} ".encode() + pixels_HW3.tobytes()).hexdigest()
        return cls(name or f"given-{digest[:24]}", pixels_HW3, given or (high, wide))

    def shown(self) -> PictureShown:
        """The picture as answers tell it: a new PNG of its pixels, with nothing else that was in the file."""
        high, wide = self.pixels_HW3.shape[:2]
        png = base64.b64encode(png_bytes(self.pixels_HW3)).decode()
        return PictureShown(id=self.id, width=wide, height=high, png=png, given=[self.given[1], self.given[0]])


class Pictures:
    """The pictures that were given last."""

    def __init__(self, kept: int = KEPT) -> None:
        self._kept, self._lock = kept, threading.Lock()
        self._given: OrderedDict[str, Picture] = OrderedDict()

    def add(self, data: str) -> Picture:
        """The picture of a file's content in base64; what is not a picture is refused."""
        picture = decode(content_of(data))
        with self._lock:
            self._given[picture.id] = picture
            self._given.move_to_end(picture.id)
            while len(self._given) > self._kept:
                self._given.popitem(last=False)
        return picture

    def get(self, picture_id: str) -> Picture:
        """The picture of an id: one that was given, or a drawn scene."""
        scene = scene_named(picture_id)
        if scene is not None:
            return Picture.of(draw([scene])[0], name=picture_id)
        with self._lock:
            found = self._given.get(picture_id)
            if found is None:
                message = f"The studio no longer has the picture '{picture_id}'; give it again."
                raise RefusedError(404, "unknown_picture", message)
            self._given.move_to_end(picture_id)
            return found


def scene_id(split: str, seed: int, number: int) -> str:
    """The id of a scene, from which it can be drawn again."""
    return f"picturebook-{split}-{seed}-{number}"


@lru_cache(maxsize=256)
def scene_named(picture_id: str) -> Scene | None:
    """The scene of an id; None for pictures that were given."""
    found = _SCENE.fullmatch(picture_id)
    if found is None:
        return None
    split, seed, number = found[1], int(found[2]), int(found[3])
    return next(islice(generate(split, number + 1, seed), number, None))


def content_of(data: str) -> bytes:
    """The bytes of a file that was sent in base64."""
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise invalid("'data' is not base64; send the file's bytes in base64.") from None
    if len(content) > MAX_PICTURE_BYTES:
        raise too_large(f"The picture has {len(content):,} bytes; at most {MAX_PICTURE_BYTES:,} are taken.")
    return content


def decode(content: bytes, memory: int = MEMORY, seconds: int = SECONDS) -> Picture:
    """The picture in a file's content, decoded in a process with limits on memory and time."""
    command = [sys.executable, "-m", WORKER, str(memory), str(seconds)]
    environment = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": ":".join(filter(None, sys.path))}
    try:
        done = subprocess.run(command, input=content, capture_output=True, timeout=seconds + _GRACE, env=environment)
    except subprocess.TimeoutExpired:
        raise invalid(f"The picture takes longer than {seconds} seconds to decode; make it smaller.") from None
    head, _, body = done.stdout.partition(b"\n")
    if done.returncode != 0 or not head:
        raise invalid("The picture could not be decoded within the limits of memory and time; make it smaller.")
    found = json.loads(head)
    if "error" in found:
        raise invalid(found["error"])
    pixels_HW3 = np.frombuffer(body, np.uint8).reshape(found["shape"])
    return Picture.of(pixels_HW3, (found["given"][0], found["given"][1]))
