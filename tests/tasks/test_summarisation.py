"""A model that copies, in every kind of search: alone, in an ensemble, drawn, n best, forced, aligned, drawn as SVG."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import jumok
from jumok.config import resolve
from jumok.data.newsbook import generate
from jumok.decoding.options import Options, Sampling
from jumok.errors import InputError
from jumok.tasks import load
from jumok.tasks.summarisation.model import SummarisationModel
from jumok.tasks.summarisation.model import load as load_summaries
from jumok.tasks.summarisation.task import Summarisation

TINY = {
    "task": "summarisation", "data.newsbook_size": 300, "data.held_out": 20, "text.min_count": 5,
    "model.embedding": 24, "model.encoder.size": 24, "model.decoder.size": 24, "train.max_steps": 50,
    "train.validate_every": 50, "train.validate_size": 0, "train.pictures": 0, "train.batch_tokens": 128,
    "runtime.threads": 1,
}  # fmt: skip
TEXTS = [report.text for report in generate("en", "test", 5)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs over one vocabulary, with unknown names in every text."""
    folder = tmp_path_factory.mktemp("copying")
    for seed in (1, 2):
        jumok.train({**TINY, "seed": seed}, out=folder / str(seed))
    return [folder / "1", folder / "2"]


@pytest.fixture(scope="module")
def model(runs: list[Path]) -> SummarisationModel:
    found = load(runs[0])
    assert isinstance(found, SummarisationModel)
    return found


def forced(model: SummarisationModel, source: str, text: str) -> list[float]:
    """log p of each token of a given summary."""
    return list(model.score([(source, text)])[0].token_log_probs)


def test_texts_have_words_that_only_copying_can_write(model: SummarisationModel) -> None:
    tokenizer, (text, *_) = model.run.source_tokenizer, TEXTS
    assert any(tokenizer.token(token).startswith("<copy") for token in tokenizer.encode(text))


def test_an_ensemble_is_the_mean_of_its_members(runs: list[Path]) -> None:
    together = load_summaries(runs[0], ensemble=[runs[1]])
    members, compared = [load(run) for run in runs], 0
    for source, found in zip(TEXTS, together.translate(TEXTS, options=Options(beam=2, min_length=3)), strict=True):
        assert "<copy" not in found.text
        if not found.text or found.target_cut or "<unk>" in found.tokens:
            continue
        each = np.array([forced(member, source, found.text) for member in members])
        mean = np.logaddexp.reduce(each, axis=0) - math.log(len(members))
        np.testing.assert_allclose(found.token_log_probs, mean, atol=1e-4)
        compared += 1
    assert compared > 0


def test_the_n_best_are_in_order_and_forced_decoding_gives_their_probabilities(model: SummarisationModel) -> None:
    compared, options = 0, Options(beam=4, nbest=4, min_length=3)
    for source, found in zip(TEXTS, model.translate(TEXTS, options=options), strict=True):
        every = [found, *found.alternatives]
        assert len({one.ids for one in every}) == len(every) == 4
        assert all(better.score >= worse.score for better, worse in pairwise(every))
        for one in every:
            assert "<copy" not in one.text
            if one.text and not one.target_cut and "<unk>" not in one.tokens:
                assert sum(forced(model, source, one.text)) == pytest.approx(one.log_prob, abs=1e-3)
                compared += 1
    assert compared > 5


def test_a_draw_repeats_itself_whoever_else_is_drawn_and_has_its_probability(model: SummarisationModel) -> None:
    options = Options(sampling=Sampling(temperature=1.0, seed=3), nbest=3, max_length=9)
    together = model.translate(TEXTS, options=options)
    assert [one.ids for one in model.translate(TEXTS, options=options)] == [one.ids for one in together]
    assert len({one.ids for found in together for one in (found, *found.alternatives)}) > len(TEXTS)
    for source, found in zip(TEXTS, together, strict=True):
        assert "<copy" not in found.text
        if found.text and not found.target_cut and "<unk>" not in found.tokens:
            assert sum(forced(model, source, found.text)) == pytest.approx(found.log_prob, abs=1e-3)
    narrow = model.translate(TEXTS, options=Options(sampling=Sampling(top_k=1), nbest=1, max_length=9))
    greedy = model.translate(TEXTS, options=Options(beam=1, max_length=9))
    assert [one.ids for one in narrow] == [one.ids for one in greedy]


def test_aligning_a_summary_that_was_written_gives_the_attention_it_was_written_with(model: SummarisationModel) -> None:
    best = model.translate(TEXTS, options=Options(beam=4, nbest=4, min_length=3))
    every = [one for found in best for one in (found, *found.alternatives)]
    found = [one for one in every if not one.target_cut and "<unk>" not in one.tokens]
    aligned = model.align([(one.source, one.text) for one in found])
    assert found
    for one, again in zip(found, aligned, strict=True):
        assert one.weights is not None
        np.testing.assert_allclose(again.weights, one.weights, atol=1e-4)
        assert one.weights.sum(axis=1).max() <= 1 + 1e-4


def test_a_summary_draws_itself_with_the_sums_of_its_sentences(model: SummarisationModel) -> None:
    text = " ".join(TEXTS[:3])
    summary = model.summarise(text, options=Options(beam=1, min_length=3))
    assert str(summary) == summary.text
    assert sum(summary.sentences) == len(summary.source_words) == len(text.split())
    assert len(summary.looked) == len(summary.sentences) > 5
    assert sum(summary.looked) == pytest.approx(1)
    drawn = summary._repr_svg_()
    assert drawn is not None
    assert drawn.startswith(("<?xml", "<svg"))
    assert "…" in drawn
    whole = model.summarise("Mayor Bo opened a library.", options=Options(beam=1, min_length=3)).svg()
    assert whole is not None
    assert "library." in whole


@pytest.mark.parametrize(
    ("keys", "slots", "least"),
    [
        ([], 40, 20),
        (["text.kind=words"], 40, 20),
        (["text.kind=words", "text.slots=3", "text.min_count=5"], 3, 5),
        (["text.kind=words", "data.source=a", "data.target=b"], 40, 1),
        (["text.kind=words", "data.source=a", "data.target=b", "text.slots=0"], 0, 1),
        (["text.kind=words", "data.source=a", "data.target=b", "text.byte_fallback=true"], 0, 1),
        (["text.kind=words", "model.head.kind=linear"], 0, 20),
        (["data.source=a", "data.target=b"], 0, 1),
        (["text.kind=bpe"], 0, 1),
    ],
)
def test_whoever_asks_for_words_can_have_unknown_ones_copied(keys: list[str], slots: int, least: int) -> None:
    config, given = resolve({"task": "summarisation"}, keys), {key.split("=")[0] for key in keys}
    text = Summarisation().choose(config, given, lambda _: None).text  # pyright: ignore
    assert (text.slots, text.min_count) == (slots, least)


def test_an_ensemble_over_two_vocabularies_is_refused(runs: list[Path], tmp_path: Path) -> None:
    jumok.train({**TINY, "text.min_count": 2, "train.max_steps": 1}, out=tmp_path / "other")
    with pytest.raises((InputError, jumok.errors.RunError), match="different vocabularies"):
        load_summaries(runs[0], ensemble=[tmp_path / "other"])


HEADS = {
    "the mean of the heads": {},
    "a chosen head": {"model.head.layer": 0, "model.head.head": 1},
    "its own attention": {"model.head.own": True},
}
TRANSFORMER = {
    "model.preset": "transformer", "model.encoder.layers": 2, "model.decoder.layers": 2, "model.encoder.heads": 2,
    "model.decoder.heads": 2, "model.encoder.ff": 24, "model.decoder.ff": 24, "train.max_steps": 5,
}  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_a_transformer_that_copies_searches_scores_and_aligns_with_one_distribution(head: str, tmp_path: Path) -> None:
    keys = {key: value for key, value in TINY.items() if key != "model.embedding"}
    jumok.train({**keys, **TRANSFORMER, **HEADS[head]}, out=tmp_path / "run")
    alone, twice = load(tmp_path / "run"), load_summaries(tmp_path / "run", ensemble=[tmp_path / "run"])
    assert isinstance(alone, SummarisationModel)
    compared = 0
    for how in (
        Options(beam=1, unknown="forbid", max_length=9),
        Options(beam=4, nbest=4, unknown="forbid", max_length=9),
        Options(sampling=Sampling(seed=3), nbest=2, unknown="forbid", max_length=9),
    ):
        found, together = alone.translate(TEXTS, options=how), twice.translate(TEXTS, options=how)
        for one, other in zip(found, together, strict=True):
            assert one.ids == other.ids
            assert one.log_prob == pytest.approx(other.log_prob, abs=1e-4)
            for each in (one, *one.alternatives):
                assert "<copy" not in each.text
                if not each.text:
                    continue
                assert sum(forced(alone, one.source, each.text)) == pytest.approx(each.log_prob, abs=1e-3)
                again = alone.align([(one.source, each.text)])[0]
                assert each.weights is not None
                np.testing.assert_allclose(again.weights, each.weights, atol=1e-4)
                compared += 1
    assert compared > 5
