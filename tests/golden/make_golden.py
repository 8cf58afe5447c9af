"""Makes the golden runs: two tiny models, kept in git, that every later version must still load and translate alike.

Run it only to add a run of a new format; what is there is never made again:

    python tests/golden/make_golden.py NAME [key=value …]
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
KEPT = ("config.json", "model.safetensors", "tokenizer.json", "source.model", "target.model")
COMMON = [
    "data.phrasebook=en-fr",
    "data.phrasebook_size=3000",
    "text.kind=bpe",
    "text.size=250",
    "text.byte_fallback=false",
    "train.learning_rate=0.008",
    "train.max_steps=1200",
    "train.validate_every=600",
    "train.validate_size=20",
    "train.save_every=1200",
    "train.batch_tokens=1200",
    "model.dropout=0",
    "train.label_smoothing=0",
    "runtime.threads=1",
]
SMALL = {
    "rnnsearch": ["model.encoder.size=32", "model.decoder.size=32", "model.embedding=24"],
    "transformer": [
        "model.preset=transformer",
        *(f"model.encoder.{key}" for key in ("size=32", "ff=48", "heads=2", "layers=2")),
        *(f"model.decoder.{key}" for key in ("size=32", "ff=48", "heads=2", "layers=2")),
        "train.warmup=100",
    ],
}  # fmt: skip


def make(name: str, overrides: list[str]) -> None:
    """Trains a run and keeps what is needed to load it, with what it translates now."""
    from jumok import load
    from jumok.data.phrasebook import generate

    folder = HERE / name
    if folder.exists():
        raise SystemExit(f"{folder} is golden: it is never made again.")
    with tempfile.TemporaryDirectory() as place:
        run = Path(place) / "run"
        command = [sys.executable, "-m", "jumok", "train", "--out", str(run), *COMMON, *overrides]
        subprocess.run(command, check=True)
        folder.mkdir()
        for file in KEPT:
            shutil.copy(run / file, folder / file)
    sources = [example.source for example in generate("en-fr", "test", 8)]
    translator = load(folder)
    expected = [
        {
            "source": one.source,
            "text": one.text,
            "ids": list(one.ids),
            "score": one.score,
            "alignment": [list(link) for link in one.alignment],
        }
        for one in translator.translate(sources, beam=3)
    ]
    tree = {"hash": translator.run.hash, "beam": 3, "translations": expected}
    (folder / "expected.json").write_text(json.dumps(tree, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make(sys.argv[1], [*SMALL[sys.argv[1].split("-")[0]], *sys.argv[2:]])
