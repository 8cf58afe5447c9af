"""Pointing, energy and effect: what perfect, uniform and mistaken attention must get."""

import numpy as np
import pytest

from jumok.data.picturebook import caption_of, draw, generate, outlines
from jumok.evaluation.regions import (
    RegionTally,
    attended_cells,
    dilate,
    effects_of,
    energy_in,
    pixels_of,
    points_at,
    region_of,
    summarise_effects,
)

SCENES = list(generate("test", 60))
CELLS = 8


def on(mask_HW: np.ndarray, cells: int = CELLS) -> np.ndarray:
    """Weights that lie on the mask."""
    step = mask_HW.shape[0] // cells
    shares = mask_HW.reshape(cells, step, cells, step).sum((1, 3)).astype(float)
    return shares / shares.sum()


def tally(weights_of) -> dict:
    found = RegionTally()
    for scene in SCENES:
        caption, masks = caption_of(scene, "en"), outlines(scene)
        grids = np.stack([weights_of(masks, things) for things in caption.things])
        found.add(grids, caption.things, caption.classes, masks)
    return found.result()


def test_attention_on_the_thing_points_at_it():
    def perfect(masks, things):
        region = region_of(masks, things, (8, 8)) if things else np.ones(masks.shape[1:], bool)
        return on(region)

    found = tally(perfect)
    assert found["all"]["pointing"] > 0.97
    assert found["all"]["energy"] > 0.75
    assert {"size", "colour", "shape", "number", "filling"} <= set(found)
    assert "other" not in found


def test_even_attention_has_the_energy_of_the_area():
    scene = SCENES[0]
    region = region_of(outlines(scene), [0], (8, 8))
    assert energy_in(np.full((8, 8), 1 / 64), region) == pytest.approx(region.mean())
    assert energy_in(np.full((7, 5), 1 / 35), np.ones((64, 64), bool)) == pytest.approx(1)
    assert tally(lambda masks, things: np.full((8, 8), 1 / 64))["all"]["energy"] < 0.4


def test_the_innermost_thing_wins():
    masks = np.zeros((2, 64, 64), bool)
    masks[0, 10:54, 10:54] = True
    masks[1, 28:36, 28:36] = True
    weights = np.zeros((8, 8))
    weights[4, 4] = 1  # its centre, (36, 36), is in neither undilated inner thing nor outside the outer one
    assert points_at(weights, region_of(masks, [0], (8, 8)))
    assert points_at(weights, region_of(masks, [1], (8, 8))), "half a cell beside it"
    weights = np.zeros((16, 16))
    weights[7, 7] = 1  # (30, 30)
    assert points_at(weights, region_of(masks, [1], (4, 4)))
    assert not points_at(weights, region_of(masks, [0], (4, 4)))
    assert points_at(weights, region_of(masks, [0, 1], (4, 4)))


def test_dilation_grows_by_half_a_cell_and_no_more():
    mask = np.zeros((31, 31), bool)
    mask[15, 15] = True
    grown = dilate(mask, 4, 4)
    assert grown[15, 19]
    assert grown[11, 15]
    assert not grown[15, 20]
    assert not grown[11, 11]


def test_the_attended_region_is_the_fewest_cells():
    weights = np.array([[0.1, 0.4], [0.3, 0.2]])
    assert attended_cells(weights, 0.5).tolist() == [[False, True], [True, False]]
    assert attended_cells(weights, 0.4).sum() == 1
    assert attended_cells(weights, 1.0).all()
    assert pixels_of(attended_cells(weights, 0.4), 6, 4).sum() == 6


def test_effect_is_what_the_model_loses():
    """A model that counts dark pixels in the upper left quarter: erasing it matters where attention lies there."""
    pixels = np.full((16, 16, 3), 250, np.uint8)
    pixels[2:5, 2:5] = 0
    there, elsewhere = np.zeros((2, 4, 4))
    there[:2, :2] = 0.25
    elsewhere[2:, 2:] = 0.25

    def log_probs(pictures):
        dark = (pictures[:, :8, :8, 0] < 100).sum((1, 2)).astype(float)
        return np.stack([dark, np.zeros(len(pictures))], axis=1)

    effects = effects_of(pixels, np.stack([there, elsewhere]), log_probs)
    assert effects[0].attended > 3
    assert effects[0].elsewhere == 0
    assert effects[1].attended == 0
    means = summarise_effects([("shape", effects[0]), ("colour", effects[1])])
    assert means["all"]["attended"] == pytest.approx(means["shape"]["attended"] / 2)
    assert summarise_effects([]) == {}


def test_erasing_a_thing_leaves_the_paper():
    scene = next(scene for scene in SCENES if len(scene.things) == 1 and scene.background.kind == "plain")
    from jumok.data.images.editing import blur, erase

    pixels, mask = draw([scene])[0], dilate(outlines(scene)[0], 4, 4)
    bare = draw([scene._replace(things=())])[0].astype(int)
    assert np.abs(erase(pixels, mask).astype(int) - bare).mean() < 6
    soft = blur(pixels, mask)
    assert (soft[~mask] == pixels[~mask]).all()
    assert soft[mask].std() < pixels[mask].std()
    assert (blur(np.full((9, 7, 3), 77, np.uint8), np.ones((9, 7), bool)) == 77).all()
