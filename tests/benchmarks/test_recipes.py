"""Every recipe resolves, fits its model into the mark's size, and looks at the test set for overlap only."""

import pytest

from jumok import config as configuration
from jumok.models.build import build_model
from jumok.tasks.translation.check import check_config
from tests.benchmarks.programs import ROOT, load

results = load("results")
RECIPES = sorted((ROOT / "configs").glob("*.yaml"))


def resolved(path):
    return configuration.resolve(configuration.load(path), ["data.folder=somewhere"])


def test_every_row_has_a_recipe():
    assert {row.config for row in results.ROWS} <= set(RECIPES)


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe_resolves_and_can_be_built(path):
    config = resolved(path)
    check_config(config)
    assert config.train.stop_metric == "bleu", "the weights that are kept are chosen by BLEU on val"
    assert str(config.data.dev_source).startswith("val.")
    assert str(config.data.test_source).startswith("test_2016_flickr."), "overlap with the test text must be dropped"


@pytest.mark.parametrize("row", results.ROWS, ids=lambda row: row.name)
def test_a_model_is_no_larger_than_the_one_it_is_held_against(row):
    config = resolved(row.config)
    size = config.text.size
    assert size is not None
    model = build_model(config.model, size, size)
    assert sum(parameter.numel() for parameter in model.parameters()) <= row.most * 1e6


@pytest.mark.parametrize("row", results.ROWS, ids=lambda row: row.name)
def test_a_recipe_is_for_the_direction_of_its_row(row):
    data = resolved(row.config).data
    assert (data.source, data.target) == (f"train.{row.source}.gz", f"train.{row.target}.gz")
    assert (data.source_language, data.target_language) == (row.source, row.target)
