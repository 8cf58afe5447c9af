"""Pictures and their captions in the studio: the same routes as text, over regions instead of words."""

import base64
import io
from itertools import islice

import httpx
import numpy as np
import pytest
from PIL import Image

import jumok
from jumok.data.picturebook import caption_of, draw, generate
from jumok.studio.studio import Studio
from tests.studio.conftest import TRAINED, Served, start
from tests.studio.hostile_pictures import saved
from tests.tasks.test_captioning import TINY

SCENE = "picturebook-test-1-2"
TRANSFORMER = {key: value for key, value in TINY.items() if not key.startswith("model.")} | {
    "model.preset": "caption-transformer",
    "model.frontend.size": 16,
    "model.encoder.size": 16,
    "model.decoder.size": 16,
    "model.embedding": 16,
}


@pytest.fixture(scope="module")
def drawn(folders, tmp_path_factory):
    """A studio with captioning runs (two stored steps; hard; a Transformer) and one that translates."""
    place = tmp_path_factory.mktemp("captions")
    jumok.train(TINY | {"train.save_every": 2}, out=place / "soft")
    jumok.train(TINY | {"model.decoder.attention": "hard"}, out=place / "hard")
    jumok.train(TRANSFORMER, out=place / "transformer")
    studio = Studio([place / "soft", place / "hard", place / "transformer", folders[TRAINED[0]]], place / "home")
    server, thread, access = start(studio)
    with httpx.Client(base_url=f"http://127.0.0.1:{access.port}", timeout=60) as client:
        yield Served(studio, client, str(client.base_url), access.port)
    server.should_exit = True
    thread.join(10)


def pixels_of(png: str) -> np.ndarray:
    return np.array(Image.open(io.BytesIO(base64.b64decode(png))))


def test_a_score_between_0_and_1_is_told_from_percentages(drawn):
    runs = {run["name"]: run["scores"] for run in drawn.client.get("/api/v1/runs").json()["runs"]}
    assert {score["name"]: score["share"] for score in runs["soft"]} == {
        "exact": False,
        "bleu": False,
        "pointing": True,
    }
    assert not any(score["share"] for score in runs[TRAINED[0]])


def test_scenes_are_shown_with_their_captions_and_can_be_asked_about_by_id(drawn):
    shown = drawn.client.get("/api/v1/scenes?n=3&seed=5&split=compose").json()["scenes"]
    scenes = list(islice(generate("compose", 3, 5), 3))
    assert [one["captions"]["ko"] for one in shown] == [caption_of(scene, "ko").text for scene in scenes]
    assert (pixels_of(shown[2]["picture"]["png"]) == draw(scenes)[2]).all()
    answer = drawn.ask("translate", run="soft", picture=shown[2]["picture"]["id"])
    assert answer["scene"]["reference"] == caption_of(scenes[2], "en").text
    assert (pixels_of(answer["reading"]["picture"]["png"]) == draw(scenes)[2]).all()


@pytest.mark.parametrize("run", ["soft", "hard"])
def test_a_picture_is_read_over_the_regions_of_its_grid(drawn, run):
    caption = jumok.load(drawn.studio.runs.get(run).folder).caption(draw(generate("test", 3, 1))[2], beam=2)
    ids = list(caption.found.ids)[:12]
    reading = drawn.ask("translate", run=run, picture=SCENE, target_ids=ids)["reading"]
    regions = reading["picture"]["rows"] * reading["picture"]["columns"]
    assert len(reading["source"]["words"]) == len(reading["source"]["tokens"]) == regions
    assert all(layer["shape"][2] == regions for layer in reading["attention"]["cross"])
    assert reading["target"]["words"] == list(caption.words)[:12]
    weights = np.array(reading["alignment"]["weights"]["data"]).reshape(-1, *caption.weights.shape[1:])
    assert np.abs(weights - caption.weights[:12]).max() < 1e-3


def test_a_given_picture_is_described_as_the_model_sees_it(drawn):
    red = saved(Image.new("RGB", (200, 100), "red"), "PNG")
    given = drawn.ask("pictures", data=base64.b64encode(red).decode())["picture"]
    reading = drawn.ask("translate", run="soft", picture=given["id"])["reading"]
    assert reading["source"]["text"] == given["id"]
    assert (reading["picture"]["width"], reading["picture"]["height"]) == (64, 64)
    assert (pixels_of(reading["picture"]["png"]) == [255, 0, 0]).all()


def test_the_arithmetic_of_a_step_runs_over_regions(drawn):
    answer = drawn.ask("step", run="soft", picture=SCENE)
    weights = np.array(answer["weights"]["data"])
    assert weights.shape == (64,)
    assert abs(weights.sum() - 1) < 1e-3
    assert {"score", "align", "context"} <= {stage["id"] for stage in answer["stages"]}


def test_erased_and_blurred_regions_change_the_picture_and_moved_weight_the_attention(drawn):
    edits = [{"kind": "blank", "word": 9, "how": "remove"}, {"kind": "blank", "word": 63, "how": "unknown"}]
    answer = drawn.ask("whatif", run="soft", picture=SCENE, edits=edits)
    before, after = (pixels_of(answer[side]["picture"]["png"]) for side in ("original", "edited"))
    changed = np.argwhere((before != after).any(-1)) // 8
    assert {(1, 1)} <= {tuple(cell) for cell in changed.tolist()} <= {(1, 1), (7, 7)}
    moved = [{"kind": "weight", "at": 0, "source": 5, "value": 0.75}]
    answer = drawn.ask("whatif", run="soft", picture=SCENE, edits=moved)
    cross = answer["edited"]["attention"]["cross"][0]
    assert np.array(cross["data"]).reshape(cross["shape"])[0, 0, 5] == pytest.approx(0.75)


def test_runs_are_compared_and_watched_on_one_picture(drawn):
    answer = drawn.ask("compare", runs=[{"run": "soft"}, {"run": "hard"}, {"run": "transformer"}], picture=SCENE)
    reference = caption_of(list(generate("test", 3, 1))[2], "en").text
    assert (answer["target"], answer["target_from"]) == (reference, "reference")
    assert [one["own"]["picture"]["rows"] > 0 for one in answer["runs"]] == [True, True, True]
    frames = drawn.ask("learn", run="soft", picture=SCENE)
    assert [frame["step"] for frame in frames["frames"]] == [2, 4, None]
    assert frames["target"] == reference
    assert frames["picture"]["rows"] == 8


def test_what_does_not_fit_the_run_is_refused_with_a_sentence(drawn):
    for body, told in (
        ({"run": "soft", "text": "I read"}, "reads pictures"),
        ({"run": TRAINED[0], "picture": SCENE}, "reads text"),
    ):
        answer = drawn.post("translate", **body)
        assert answer.status_code == 422
        assert told in answer.json()["error"]["message"]
    assert drawn.post("translate", run="soft", picture="given-0").status_code == 404
    assert drawn.post("translate", run="soft", picture="picturebook-nowhere-1-1").status_code == 404
    assert drawn.client.get("/api/v1/scenes?split=nowhere").status_code == 422
