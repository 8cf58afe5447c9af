"""Laws of the picturebook: one caption per scene, told from what is seen; masks, splits, drawing."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

from jumok.data.images import read_image
from jumok.data.picturebook import (
    HELD_OUT,
    LANGUAGES,
    SHAPES,
    SPLITS,
    WORD_CLASSES,
    Scene,
    caption_of,
    draw,
    generate,
    number_map,
    outlines,
    write,
)
from jumok.data.picturebook.scene import Background, Look, Thing
from jumok.errors import DataError

SCENES = {split: list(generate(split, 301)) for split in SPLITS}
ALL = [scene for scenes in SCENES.values() for scene in scenes]
PLAIN = Background("plain", "cream", "mint", 0.5, 0.0, 0)


def thing(shape="star", colour="red", size="small", filling="plain", x=32.0, y=32.0, radius=6.0) -> Thing:
    return Thing(Look(shape, colour, size, filling), x, y, radius, 0.0)


def said(language: str, *things: Thing) -> str:
    return caption_of(Scene(things, PLAIN), language).text


def test_every_kind_of_sentence_in_every_language():
    star, moon = thing(x=15), thing("moon", "orange", "big", "hollow", x=48)
    assert said("en", star) == "There is a small red star."
    assert said("ko", star) == "작은 빨간 별이 있어요."
    assert said("fr", star) == "Il y a une petite étoile rouge."
    many = [thing("cross", "blue", y=y, x=15) for y in (10, 30, 50)]
    assert said("en", *many) == "There are three small blue crosses."
    assert said("ko", *many) == "작은 파란 십자가 세 개가 있어요."
    assert said("fr", *many) == "Il y a trois petites croix bleues."
    assert said("en", moon, star) == "A small red star is left of a big hollow orange moon."
    assert said("ko", moon, star) == "작은 빨간 별이 속이 빈 큰 주황색 초승달 왼쪽에 있어요."
    assert said("fr", moon, star) == "Une petite étoile rouge est à gauche d'une grande lune orange vide."
    top = thing("diamond", "purple", "big", "striped", y=10), thing("diamond", "purple", "big", "striped", y=12, x=50)
    assert said("en", *top, thing(y=50)) == "Two big striped purple diamonds are above a small red star."
    assert said("ko", *top, thing(y=50)) == "큰 보라색 줄무늬 마름모 두 개가 작은 빨간 별 위에 있어요."
    assert (
        said("fr", *top, thing(y=50)) == "Deux grands losanges violets rayés sont au-dessus d'une petite étoile rouge."
    )
    outer = thing("square", "black", "big", "hollow", radius=18.0)
    assert said("en", outer, thing()) == "A small red star is inside a big hollow black square."
    assert said("ko", outer, thing()) == "작은 빨간 별이 속이 빈 큰 까만 네모 안에 있어요."
    assert said("fr", outer, thing()) == "Une petite étoile rouge est dans un grand carré noir vide."
    line = thing(), thing("circle", "blue", x=52), thing("heart", "green", x=10)
    assert said("en", *line) == "A small red star is between a small green heart and a small blue circle."
    assert said("ko", *line) == "작은 빨간 별이 작은 초록색 하트와 작은 파란 원 사이에 있어요."
    assert said("fr", *line) == "Une petite étoile rouge est entre un petit cœur vert et un petit cercle bleu."
    four = (thing(x=50, y=15), thing("circle", "blue", x=14, y=50), thing("heart", x=15, y=14), moon._replace(y=51))
    assert said("en", *four) == (
        "A small red heart is left of a small red star, and a small blue circle is left of a big hollow orange moon."
    )
    assert said("ko", *four) == (
        "작은 빨간 하트가 작은 빨간 별 왼쪽에 있고, 작은 파란 원이 속이 빈 큰 주황색 초승달 왼쪽에 있어요."
    )
    assert said("fr", *four) == (
        "Un petit cœur rouge est à gauche d'une petite étoile rouge, "
        "et un petit cercle bleu est à gauche d'une grande lune orange vide."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_of_things_that_do_not_overlap_changes_nothing(language):
    for scene in ALL[::7]:
        expected = caption_of(scene, language)
        for order in itertools.permutations(range(len(scene.things))):
            turned = caption_of(Scene(tuple(scene.things[i] for i in order), scene.background), language)
            assert turned.text == expected.text
            back = [tuple(sorted(order[i] for i in numbers)) for numbers in turned.things]
            assert back == [tuple(sorted(numbers)) for numbers in expected.things]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_thing_is_spoken_of_with_size_colour_and_shape(language):
    for scene in ALL:
        caption = caption_of(scene, language)
        assert set(caption.classes) <= set(WORD_CLASSES)
        for number, one in enumerate(scene.things):
            classes = {kind for kind, things in zip(caption.classes, caption.things, strict=True) if number in things}
            assert {"size", "colour", "shape"} <= classes
            assert ("filling" in classes) == (one.look.filling != "plain")
        assert all(
            bool(t) == (k not in ("relation", "other")) for t, k in zip(caption.things, caption.classes, strict=True)
        )


def test_captions_tell_apart_what_differs():
    """Two scenes with one English caption have one Korean and one French caption, and the other way round."""
    told = {tuple(caption_of(scene, language).text for language in LANGUAGES) for scene in ALL}
    for place in range(len(LANGUAGES)):
        assert len({texts[place] for texts in told}) == len(told)


def test_splits_share_no_caption_and_hold_combinations_out():
    texts = {split: {caption_of(scene, "en").text for scene in scenes} for split, scenes in SCENES.items()}
    for one, other in itertools.combinations(SPLITS, 2):
        assert not texts[one] & texts[other]
    for split, scenes in SCENES.items():
        for scene in scenes:
            new = any((t.look.colour, t.look.shape) in HELD_OUT for t in scene.things)
            assert new == (split == "compose")
    assert {shape for _, shape in HELD_OUT} == set(SHAPES)


def test_scenes_are_a_function_of_split_and_seed():
    assert list(generate("train", 41)) == SCENES["train"][:41]
    assert list(generate("train", 41, seed=2)) != SCENES["train"][:41]
    assert {len(scene.things) for scene in SCENES["train"]} == {1, 2, 3, 4}
    few = ALL[::29]
    assert (draw(few) == np.concatenate([draw([scene]) for scene in few])).all(), "a batch changes nothing"
    with pytest.raises(DataError, match="did you mean 'compose'"):
        generate("composed")
    with pytest.raises(DataError, match="no captions in 'de'"):
        caption_of(ALL[0], "de")


def test_things_lie_in_the_picture_and_touch_only_where_one_holds_another():
    for scene in ALL:
        masks = outlines(scene)
        assert not masks[:, [0, -1]].any()
        assert not masks[:, :, [0, -1]].any()
        for a, b in itertools.combinations(masks, 2):
            both = (a & b).sum()
            assert both in (0, min(a.sum(), b.sum()))
        assert (np.unique(number_map(scene)) == range(len(scene.things) + 1)).all()


def test_masks_are_where_the_colour_is():
    """What is inside an outline changes when the thing is left out, and what is far outside does not."""
    for scene in ALL[::11]:
        gone = draw([Scene(scene.things[:-1], scene.background)])[0].astype(int)
        changed = np.abs(draw([scene])[0] - gone).max(-1)
        mask = outlines(scene)[-1]
        if scene.things[-1].look.filling == "plain":
            assert (changed[mask] > 20).mean() > 0.9
        rows, columns = np.nonzero(changed > 0)
        last = scene.things[-1]
        assert (np.hypot(rows + 0.5 - last.y, columns + 0.5 - last.x) < 1.24 * last.radius + 4.5).all()


def test_the_drawing_is_smooth_and_has_the_right_area():
    """A disc's coverage sums to πr², whatever its place: anti-aliasing loses no area."""
    for shift in (0.0, 0.3, 0.5):
        disc = Scene((thing("circle", "black", x=31 + shift, y=32 - shift, radius=9.7),), PLAIN)
        assert outlines(disc).sum() == pytest.approx(np.pi * 9.7**2, rel=0.02)
        assert len(np.unique(draw([disc]))) > 100


def test_files_hold_the_scenes(tmp_path):
    paths = write(tmp_path, "test", 5)
    rows = [json.loads(line) for line in (tmp_path / "test.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 5
    for row, scene in zip(rows, SCENES["test"], strict=False):
        assert (read_image(tmp_path / row["file"]) == draw([scene])[0]).all()
        mask = read_image(tmp_path / row["file"].replace("test/", "test-masks/"))[:, :, 0]
        assert (mask == number_map(scene)).all()
        assert " ".join(word["word"] for word in row["words"]["ko"]) == caption_of(scene, "ko").text
    line = (tmp_path / "test.fr.tsv").read_text(encoding="utf-8").splitlines()[3]
    assert line == f"test/000003.png\t{caption_of(SCENES['test'][3], 'fr').text}"
    assert write(tmp_path, "test", 7) == paths, "a book may grow"


@pytest.mark.parametrize("mine", ["test/holiday.png", "test/000002.png", "test-masks/000000.png", "test.ko.tsv"])
def test_a_users_own_pictures_and_captions_are_kept(tmp_path, mine):
    write(tmp_path, "test", 3)
    (tmp_path / mine).write_bytes(b"mine")
    before = sorted(path for path in tmp_path.rglob("*"))
    with pytest.raises(DataError, match=rf"{mine} would be lost"):
        write(tmp_path, "test", 5)
    assert (tmp_path / mine).read_bytes() == b"mine"
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_a_book_of_another_seed_or_a_longer_one_is_not_replaced(tmp_path):
    write(tmp_path, "test", 3)
    with pytest.raises(DataError, match="would be lost"):
        write(tmp_path, "test", 3, seed=2)
    with pytest.raises(DataError, match="would be lost"):
        write(tmp_path, "test", 2)
    assert len(list((tmp_path / "test").iterdir())) == 3


def test_the_command_writes_a_split(tmp_path):
    command = [sys.executable, "-m", "jumok", "data", "picturebook", "--split", "compose", "--size", "2", "--json"]
    done = subprocess.run([*command, "--out", str(tmp_path)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["sizes"] == {"compose": 2}
    assert sorted(path.name for path in (tmp_path / "compose").iterdir()) == ["000000.png", "000001.png"]
