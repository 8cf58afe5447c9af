"""Writes the generated picture of the lesson on SAGAN, with where each of its positions looks, as TypeScript.

    python tools/lesson_drawing.py RUN LABEL NUMBER [--seed 1]

RUN is a run of task=image-gan with one attention layer in its generator (docs/gan.md trains one), NUMBER the picture of
the seed. Weights are kept in 256 levels of each row's largest, which is more than a screen shows.
"""

import argparse
import base64
import json
from pathlib import Path

import numpy as np

from jumok.data.images import png_bytes
from jumok.tasks.image_gan.model import load

FILE = Path(__file__).resolve().parent.parent / "web" / "src" / "lessons" / "sums" / "drawn.ts"
HEAD = """// Written by tools/lesson_drawing.py: a picture that a generator drew, and where each place of its map looks.
"""


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("label")
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    drawn = load(asked.run).generate(asked.number + 1, label=asked.label, seed=asked.seed, attention=True)[-1]
    [look] = [one for one in drawn.looks if one.player == "generator"]
    levels = np.rint(255 * look.weights_NN / look.weights_NN.max(1, keepdims=True)).astype(np.uint8)
    values = {
        "SIDE": len(drawn.pixels_HWC),
        "MAP_SIDE": look.side,
        "GAMMA": round(look.gamma, 3),
        "PNG": base64.b64encode(png_bytes(drawn.pixels_HWC)).decode(),
        "LEVELS": base64.b64encode(levels.tobytes()).decode(),
    }
    lines = [f"export const {name} = {json.dumps(value)};\n" for name, value in values.items()]
    FILE.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
