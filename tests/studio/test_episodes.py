"""Episodes in the studio: named as Python names them, and changed as the edits say."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

import jumok
from jumok.studio.episodes import apply, drawn_episode, episode
from jumok.studio.payload_episodes import EpisodeEdit, EpisodeRequest
from jumok.studio.pictures import Picture
from jumok.studio.problems import RefusedError
from jumok.studio.studio import Studio
from tests.tasks.test_few_shot import TINY


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    place = tmp_path_factory.mktemp("episodes")
    jumok.train(TINY, out=place / "named", progress=False)
    studio = Studio([place / "named"], place / "home")
    yield studio.sessions.open_model(studio.runs.get("named"), "few-shot")
    studio.close()


def asked(opened, *edits, picture=None, **keys):
    return episode(opened, EpisodeRequest(run="named", edits=list(edits), **keys), picture)


def pixels(png: str) -> np.ndarray:
    return 255 - np.array(Image.open(io.BytesIO(base64.b64decode(png))).convert("L"))


def test_an_episode_is_named_as_in_python(opened):
    answer = asked(opened, number=4, query=1)
    shown = [pixels(one.png) for one in answer.episode]
    labels = [one.label for one in answer.episode]
    chances, looks = opened.model.look(shown, labels, [pixels(answer.query_png)], 3)
    assert answer.before.chances == pytest.approx(chances[0], abs=1e-4)
    blocks, columns = answer.before.weights.shape
    assert (blocks, columns) == (2, 4)
    assert answer.before.weights.data == pytest.approx(np.concatenate([block[0] for block in looks]), abs=1e-4)
    assert answer.before == answer.after
    assert asked(opened, number=4, query=1) == answer
    assert asked(opened, number=5, query=1).classes != answer.classes


def test_examples_are_dropped_swapped_and_mislabelled(opened):
    drawn = drawn_episode(opened.model, 1, 2)
    assert len(drawn.examples) == 6
    edits = [
        EpisodeEdit(kind="swap", at=0, other=3),
        EpisodeEdit(kind="label", at=1, other=2),
        EpisodeEdit(kind="drop", at=4),
    ]
    kept = apply(drawn, edits)
    assert [one.place for one in kept] == [3, 1, 2, 0, 5]
    assert kept[1].label == 2
    assert kept[1].truth == drawn.examples[1].truth


def test_an_edit_changes_what_is_said_and_nothing_before_it(opened):
    plain = asked(opened, number=2, query=0)
    wrong = next(one for one in plain.episode if one.truth == 0)
    changed = asked(opened, EpisodeEdit(kind="label", at=wrong.place, other=1), number=2, query=0)
    assert changed.before == plain.before
    assert changed.after.chances != plain.before.chances
    dropped = asked(opened, EpisodeEdit(kind="drop", at=wrong.place), number=2, query=0)
    assert dropped.after.right == [0.0, 0.0]
    assert dropped.after.weights.shape == [2, 3]


def test_a_picture_of_ones_own_is_named(opened):
    own = Picture.of(np.full((40, 20, 3), 255, np.uint8))
    answer = asked(opened, picture=own)
    assert answer.query_label is None
    assert answer.before.right == []
    assert sum(answer.before.chances) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("edits", "keys", "told"),
    [
        ([EpisodeEdit(kind="drop", at=n) for n in range(3)], {}, "keep at least one"),
        ([EpisodeEdit(kind="drop", at=9)], {}, "no example"),
        ([EpisodeEdit(kind="label", at=0, other=3)], {}, "no example or class"),
        ([], {"query": 7}, "no class 7"),
    ],
)
def test_what_cannot_be_is_refused(opened, edits, keys, told):
    with pytest.raises(RefusedError, match=told):
        asked(opened, *edits, **keys)
