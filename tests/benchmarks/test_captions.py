"""The program that measures captions: a row is trained, measured, and found again; memory and features are real."""

import argparse
import gzip
import io
import json
import tarfile

import pytest

from jumok.data.images import png_bytes
from jumok.data.picturebook import draw, generate
from jumok.run.folder import read_config
from tests.benchmarks.programs import load


@pytest.fixture(scope="module")
def captions():
    return load("captions")


def test_a_row_of_the_picturebook_is_trained_and_measured(captions, tmp_path):
    asked = argparse.Namespace(out=tmp_path, steps=2, minutes=None, scenes=120, size=6, beam=1, set=[])
    row = captions.picturebook_row(asked, "fr", "none")
    assert row["attention"] == "none"
    assert row["pointing"] == 0.0
    assert set(row["exact by things"]) <= {1, 2, 3, 4}


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    """A folder that looks like Flickr8k, with scenes of the picturebook in it."""
    folder = tmp_path_factory.mktemp("flickr8k")
    rows = []
    with tarfile.open(folder / "images224.tar", "w") as archive:
        for number, pixels in enumerate(draw(generate("train", 14))):
            content, entry = png_bytes(pixels), tarfile.TarInfo(f"{number}.png")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
            split = "train" if number < 8 else "dev" if number < 11 else "test"
            captions = [f"A dog runs over {word}." for word in ("grass", "sand", "snow", "leaves", "stones")]
            rows.append(json.dumps({"file": f"{number}.png", "captions": captions, "split": split}))
    with gzip.open(folder / "captions.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(rows))
    return folder


SMALL = [
    "model.frontend.side=32", "model.frontend.layer=middle", "model.frontend.size=8", "model.encoder.size=8",
    "model.decoder.size=8", "model.embedding=8", "train.batch_tokens=64", "runtime.threads=1", "train.validate_size=2",
    "runtime.products=float32", "text.min_count=1",
]  # fmt: skip


def test_flickr8k_claims_bleu_on_the_test_set_and_hard_attention_follows_the_soft_run(
    captions, photographs, tmp_path, capsys
):
    def program(bound: float, **options: object) -> dict[str, object]:
        asked = {"hard": False, "test": False, "set": SMALL, "steps": 1, "minutes": None, "size": 3, "beam": 1}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(captions, "FLICKR8K_CLAIMS", {"soft": bound, "hard": bound})
            held = captions.flickr8k(argparse.Namespace(out=tmp_path, data=photographs, **(asked | options)))
        return {**json.loads(capsys.readouterr().out.splitlines()[-1]), "held": held}

    on_dev = program(101.0)
    assert (on_dev["split"], on_dev["held"], on_dev["claimed BLEU-4"]) == ("dev", True, None)
    on_test = program(101.0, test=True)
    assert (on_test["split"], on_test["held"], on_test["claimed BLEU-4"]) == ("test", False, 101.0)
    assert program(0.0, test=True)["held"] is True
    assert program(101.0, test=True, hard=True)["held"] is False
    soft, hard = (read_config(tmp_path / f"flickr8k-{kind}") for kind in ("soft", "hard"))
    assert hard.train.init_from == str(tmp_path / "flickr8k-soft")
    assert hard.model.decoder.attention_options == {"expected": 0.5, "decode": "expected"}
    assert soft.model.frontend.side == hard.model.frontend.side == 32
    with pytest.raises(SystemExit, match=r"has model\.embedding=8; name another --out for model\.embedding=9"):
        program(0.0, set=[*SMALL, "model.embedding=9"])


def test_the_bounds_are_those_of_the_paper(captions):
    assert captions.FLICKR8K_CLAIMS == {"soft": 19.5, "hard": 21.3}
    assert captions.parsed(["train.seed=3", "a.b=[1, 2]", "c=x=y"]) == {"train.seed": 3, "a.b": [1, 2], "c": "x=y"}
    with pytest.raises(SystemExit, match="KEY=VALUE, not steps"):
        captions.parsed(["steps"])


def test_stored_features_are_timed_beside_the_bare_pass(captions, tmp_path, capsys):
    captions.features(argparse.Namespace(out=tmp_path, size=5))
    assert '"share"' in capsys.readouterr().out
