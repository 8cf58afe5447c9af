"""Pictures of each main view of the studio, into a folder: `python -m tests.browser.screenshots docs/images [RUN …]`.

Without runs it trains three small ones first, which takes a few minutes.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from tests.browser.chromium import chromium
from tests.browser.conftest import SENTENCE, running

_COMMON = (
    "data.phrasebook=en-ko",
    "data.phrasebook_size=4000",
    "data.held_out=100",
    "model.embedding=64",
    "model.encoder.size=128",
    "model.decoder.size=128",
    "train.max_steps=600",
    "train.batch_tokens=1024",
    "train.learning_rate=0.006",
    "train.warmup=60",
    "train.validate_every=300",
    "train.validate_size=60",
    "train.save_every=300",
    "train.snapshots=50",
    "train.log_every=10",
    "train.pictures=0",
)
_RUNS = {
    "additive": ("model.preset=rnnsearch",),
    "transformer": (
        "model.preset=transformer",
        "model.embedding=128",
        "model.encoder.ff=256",
        "model.decoder.ff=256",
        "model.encoder.layers=2",
        "model.decoder.layers=2",
        "model.encoder.heads=4",
        "model.decoder.heads=4",
        "train.learning_rate=0.003",
        "train.schedule=cosine",
    ),
    "none": ("model.preset=seq2seq",),
}
VIEWS: dict[str, dict[str, object]] = {
    "translate": {"row": 1},
    "heads": {"run": "transformer", "level": "token", "layer": 1, "head": 2, "row": 1},
    "steps": {"view": "steps", "row": 1},
    "whatif": {"view": "whatif", "edits": '[{"kind":"blank","word":6,"how":"remove"}]'},
    "beam": {"view": "beam", "beam": 3},
    "compare": {"view": "compare"},
    "learn": {"view": "learn", "frame": 4},
    "lesson": {"view": "lessons", "lesson": "query-key-value"},
}
# View, Korean, dark, width.
SHOTS = [(view, False, False, 1280) for view in VIEWS] + [
    ("translate", True, False, 1280),
    ("translate", False, True, 1280),
    ("lesson", True, True, 1280),
    ("translate", True, False, 390),
]


def trained(folder: Path) -> list[Path]:
    """The three runs of the pictures."""
    for name, overrides in _RUNS.items():
        subprocess.run(
            [sys.executable, "-m", "jumok", "train", "--out", str(folder / name), *_COMMON, *overrides], check=True
        )
    return [folder / name for name in _RUNS]


def shoot(url: str, folder: Path) -> None:
    """Takes every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for view, korean, dark, width in SHOTS:
            scheme, locale = ("dark" if dark else "light"), ("ko-KR" if korean else "en-US")
            context = browser.new_context(viewport={"width": width, "height": 820}, color_scheme=scheme, locale=locale)
            page = context.new_page()
            page.goto(f"{url}#{urlencode({'run': 'additive', 'text': SENTENCE, **VIEWS[view]})}")
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(500)
            marks = [
                view,
                *(["ko"] if korean else []),
                *(["dark"] if dark else []),
                *(["phone"] if width < 600 else []),
            ]
            high = min(1500, page.evaluate("document.documentElement.scrollHeight"))
            page.set_viewport_size({"width": width, "height": high})
            page.wait_for_timeout(200)
            page.screenshot(path=folder / f"studio-{'-'.join(marks)}.png")
            context.close()


def main() -> None:
    """Trains what is missing, starts a studio and takes the pictures."""
    with tempfile.TemporaryDirectory() as place:
        runs = [Path(name).resolve() for name in sys.argv[2:]] or trained(Path(place))
        with running(runs, Path(place)) as url:
            shoot(url, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
