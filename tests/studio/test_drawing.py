"""Generated pictures in the studio: drawn from a seed, and where a pixel of them looks."""

import base64

import httpx
import numpy as np
import pytest

import jumok
from jumok.data.images import read_image
from jumok.studio.studio import Studio
from tests.studio.conftest import serving
from tests.tasks.test_image_gan import TINY


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Asks a studio with a generator."""
    place = tmp_path_factory.mktemp("drawing")
    jumok.train(TINY | {"train.snapshots": 3}, out=place / "drawn", progress=False)
    studio = Studio([place / "drawn"], place / "home")
    with serving(studio) as access:

        def ask(path, **body):
            body = {"run": "drawn", **body}
            return httpx.post(f"http://127.0.0.1:{access.port}/api/v1/{path}", json=body, timeout=60)

        yield ask, jumok.load(place / "drawn")


def pixels(png):
    return read_image(base64.b64decode(png))


def test_pictures_are_those_of_python(asked):
    ask, model = asked
    answer = ask("draw", seed=3, count=5).json()
    assert answer["classes"] == list(model.names)
    for shown, drawn in zip(answer["pictures"], model.generate(5, seed=3), strict=True):
        assert np.array_equal(pixels(shown["png"])[..., :1], drawn.pixels_HWC)
        assert shown["label"] == drawn.label


def test_a_gaze_is_a_distribution_at_each_layer_of_both_players(asked):
    ask, model = asked
    answer = ask("gaze", seed=3, number=1, row=15, column=2, nearest=2).json()
    drawn = model.generate(2, seed=3, attention=True)[1]
    assert [(one["player"], one["side"]) for one in answer["maps"]] == [("generator", 8), ("discriminator", 8)]
    for shown, look in zip(answer["maps"], drawn.looks, strict=True):
        assert sum(shown["weights"]["data"]) == pytest.approx(1, abs=1e-3)
        np.testing.assert_allclose(np.reshape(shown["weights"]["data"], (8, 8)), look.from_pixel(15, 2, 16), atol=1e-4)
    distances = [one["distance"] for one in answer["near"]]
    assert distances == sorted(distances)
    assert len(distances) == 2


def test_the_way_to_another_picture_begins_and_ends_at_them(asked):
    ask, _ = asked
    way = [ask("gaze", number=0, towards=3, share=share).json()["picture"]["png"] for share in (0, 1)]
    ends = [ask("gaze", number=number, label=ask("draw").json()["classes"][0]).json() for number in (0, 3)]
    for there, end in zip(way, ends, strict=True):
        assert np.abs(pixels(there).astype(int) - pixels(end["picture"]["png"])).max() <= 1


def test_weights_of_an_earlier_step_draw_other_pictures(asked):
    ask, _ = asked
    early, late = (ask("draw", step=step, count=2).json()["pictures"][0]["png"] for step in (3, 6))
    assert early != late


@pytest.mark.parametrize(
    ("path", "body", "status", "text"),
    [
        ("gaze", {"row": 16}, 422, "outside a picture of 16"),
        ("draw", {"label": "nobody"}, 422, "Unknown class"),
        ("draw", {"count": 10_000}, 422, "count"),
        ("draw", {"step": 5}, 404, "no stored weights"),
    ],
)
def test_what_cannot_be_drawn_is_refused(asked, path, body, status, text):
    answer = asked[0](path, **body)
    assert answer.status_code == status
    assert text in answer.json()["error"]["message"]
