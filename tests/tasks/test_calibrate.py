"""`jumok run calibrate`: curves that lie in the run, belong to its weights, and are used by command and server."""

import shutil
from pathlib import Path

import pytest

import jumok
from jumok.decoding.confidence import believed
from jumok.errors import InputError, RunError
from jumok.run import manifest
from jumok.run.calibration import read_calibration
from jumok.run.integrity import run_hash
from jumok.run.names import CALIBRATION, CONFIG
from jumok.server.runs import served_runs

TRAINED = Path(__file__).parents[1] / "engine" / "trained"


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory):
    run = tmp_path_factory.mktemp("calibrated") / "run"
    shutil.copytree(TRAINED / "rnnsearch", run)
    return run, jumok.load(run, engine="auto").calibrate(size=200)


def test_run_keeps_curves_of_its_validation_text(calibrated):
    run, found = calibrated
    kept = read_calibration(run, run_hash(run) or "")
    assert kept is not None
    assert (kept.word, kept.sentence) == (found.word.curve, found.sentence.curve)
    assert kept.about["sentences"] == 200
    assert manifest.verify(run)[run / CALIBRATION] == "intact"
    manifest.write(run)
    assert manifest.verify(run)[run / CALIBRATION] == "intact"


def test_confidence_of_a_translation_is_that_of_its_curves(calibrated):
    model = jumok.load(calibrated[0], engine="auto")
    found = model.translate("The teacher reads a book.")
    raw, sure = believed(found, model.run.target_tokenizer), model.confidence(found)
    assert raw.words is not None
    assert sure.words == tuple(map(calibrated[1].word.curve, raw.words))
    assert (sure.sentence, sure.calibrated) == (calibrated[1].sentence.curve(raw.sentence), True)
    assert len(sure.words) == len(found.target_words)


def test_words_and_end_have_the_probability_of_the_sentence(calibrated):
    model = jumok.load(calibrated[0])
    found = model.translate("The farmer sees a small dog.", beam=2)
    words = believed(found, model.run.target_tokenizer).words or ()
    whole = 1.0
    for one in words:
        whole *= one
    end = 2.718281828459045 ** found.token_log_probs[-1]
    assert whole * end == pytest.approx(2.718281828459045**found.log_prob, rel=1e-6)  # sums of float32 differences


def test_server_calibrates_only_what_those_weights_translated(calibrated):
    run = next(iter(served_runs([calibrated[0]]).values()))
    found = jumok.load(calibrated[0], engine="auto").translate("The teacher reads a book.")
    version = (run_hash(calibrated[0]) or "")[:12]
    assert run.confidence(found, version).calibrated
    for other in ("", "000000000000"):
        assert not run.confidence(found, other).calibrated


def test_calibration_of_other_weights_is_refused(calibrated, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(calibrated[0], run)
    content = (run / CONFIG).read_bytes() + b"\n"
    manifest.replace(run, CONFIG, content)
    with pytest.raises(RunError, match="fitted to other weights"):
        read_calibration(run, run_hash(run) or "")
    with pytest.raises(RunError, match="fitted to other weights"):
        served_runs([run])


@pytest.mark.parametrize(
    "content", [b"{", b"[]", b'{"format": 2}', b'{"format": 1, "sha256": "", "word": {"starts": [], "levels": []}}']
)
def test_damaged_calibration_is_refused(calibrated, tmp_path, content):
    run = tmp_path / "run"
    shutil.copytree(calibrated[0], run)
    (run / CALIBRATION).write_bytes(content)
    with pytest.raises(RunError, match="damaged or was changed"):
        read_calibration(run, run_hash(run) or "")
    manifest.write(run)
    with pytest.raises(RunError, match=r"damaged|has format"):
        read_calibration(run, run_hash(run) or "")


def test_too_little_text_is_refused(calibrated):
    model = jumok.load(calibrated[0], engine="auto")
    with pytest.raises(InputError, match="at least 20 sentences, not 1"):
        model.calibrate(["A dog."], ["Un chien."])
    with pytest.raises(InputError, match="2 source lines, but 1"):
        model.calibrate(["A dog.", "A cat."], ["Un chien."])
