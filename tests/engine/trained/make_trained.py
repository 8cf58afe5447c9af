"""Makes the runs beside it: small models that have learned the phrasebook, so that BLEU tells what an engine loses.

They are kept in git because a test that trained them would compare other models on every machine. Five minutes each:

    python tests/engine/trained/make_trained.py rnnsearch luong transformer
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
KEPT = ("config.json", "model.safetensors", "tokenizer.json", "source.model", "target.model")
PAIRS = 20_000
COMMON = [
    "data.phrasebook=en-fr",
    f"data.phrasebook_size={PAIRS}",
    "text.kind=bpe",
    "text.size=500",
    "text.byte_fallback=false",
    "model.dropout=0",
    "train.label_smoothing=0",
    "train.learning_rate=0.006",
    "train.max_steps=3000",
    "train.validate_every=1000",
    "train.validate_size=100",
    "train.save_every=3000",
    "train.batch_tokens=2000",
    "train.pictures=0",
    "runtime.threads=1",
]
RECURRENT = ["model.encoder.size=64", "model.decoder.size=64", "model.embedding=48"]
SMALL = {
    "rnnsearch": RECURRENT,
    "luong": ["model.preset=luong", *RECURRENT],
    "transformer": [
        "model.preset=transformer",
        *(f"model.encoder.{key}" for key in ("size=48", "ff=96", "heads=4", "layers=2")),
        *(f"model.decoder.{key}" for key in ("size=48", "ff=96", "heads=4", "layers=2")),
        "train.warmup=200",
    ],
}


def make(name: str) -> None:
    """Trains a run and keeps what is needed to load it."""
    with tempfile.TemporaryDirectory() as place:
        run = Path(place) / "run"
        subprocess.run([sys.executable, "-m", "jumok", "train", "--out", str(run), *COMMON, *SMALL[name]], check=True)
        (HERE / name).mkdir(exist_ok=True)
        for file in KEPT:
            shutil.copy(run / file, HERE / name / file)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        make(name)
