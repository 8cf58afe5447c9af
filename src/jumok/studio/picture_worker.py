"""The program that decodes one uploaded picture: `python -m jumok.studio.picture_worker MEMORY SECONDS`.

Decoders are large C libraries that meet bytes from anywhere, so they run in a process of their own with limits on
memory, processor time and files, and which can write to no file. The file comes in by standard input; what comes out is
one line of JSON (`shape` and `given`, or `error`) and the pixels [H, W, 3].
"""

import json
import sys

import numpy as np

from jumok.data.images import fit, read_image
from jumok.errors import DataError

MOST_PIXELS = 25_000_000
"""Pixels of the largest picture that the studio decodes: a photograph of 24 megapixels."""
LONGEST_SIDE = 1024
"""Pixels of the longer side of what is kept; larger pictures are made smaller."""
MEMORY = 1_500_000_000
"""Bytes of address space, of which Python and its libraries take about a third."""
SECONDS = 10
"""Seconds on a processor."""


def limit(memory: int, seconds: int) -> None:
    """From here on this process can take no more memory and time, and open or write no file."""
    import resource

    limits = {"RLIMIT_AS": memory, "RLIMIT_CPU": seconds, "RLIMIT_FSIZE": 0, "RLIMIT_CORE": 0, "RLIMIT_NOFILE": 3}
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))


def decode(content: bytes) -> tuple[np.ndarray, list[int]]:
    """The picture as uint8 [H, W, 3], no larger than is kept, and height and width that it had."""
    pixels = read_image(content, name="The picture", most_pixels=MOST_PIXELS)
    height, width = pixels.shape[:2]
    scale = LONGEST_SIDE / max(height, width)
    if scale < 1:
        pixels = fit(pixels, max(1, round(height * scale)), max(1, round(width * scale)), "stretch")
    return pixels, [height, width]


def main() -> None:
    """Reads a picture from standard input and writes its pixels to standard output."""
    from PIL import Image

    Image.init()  # the decoders are loaded while files can still be opened
    limit(int(sys.argv[1]), int(sys.argv[2]))
    content = sys.stdin.buffer.read()
    try:
        pixels, given = decode(content)
        head, body = {"shape": list(pixels.shape), "given": given}, pixels.tobytes()
    except DataError as error:
        head, body = {"error": str(error)}, b""
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + body)


if __name__ == "__main__":
    main()
