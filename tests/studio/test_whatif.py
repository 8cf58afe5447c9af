"""Laws of what-ifs: an edit that changes nothing changes nothing, and a change is the one that was asked for."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jumok import load
from tests.decoding.tiny_run import in_float64
from tests.studio.conftest import ATTENDING, TRAINED
from tests.studio.test_reading import as_array


def rows(reading, layer):
    """[heads, steps, source]."""
    return as_array(reading["attention"]["cross"][layer])


@pytest.mark.parametrize("run", [*ATTENDING, "none"])
@pytest.mark.parametrize("beam", [1, 3])
def test_no_edit_is_the_original(served, example, run, beam):
    answer = served.ask("whatif", run=run, text=example.source, edits=[], beam=beam)
    assert answer["same"]
    assert answer["edited"] == answer["original"]
    assert answer["change_of_edited"] == answer["change_of_original"] == 0
    whole = served.ask("translate", run=run, text=example.source, beam=beam)["reading"]
    assert answer["original"] == whole


@pytest.mark.parametrize("run", ATTENDING)
def test_imposing_the_models_own_weights_is_the_original(served, example, run):
    original = served.ask("translate", run=run, text=example.source, beam=1)["reading"]
    session = served.session(run)
    from jumok.studio.sources import read_source

    ids = [token["id"] for token in original["target"]["tokens"][:-1]]
    exact = session.inspector.replay(read_source(session, example.source).plan, ids)
    edits = [
        {"kind": "weights", "at": at, "layer": layer, "head": head, "values": weights[head, at].clip(0, 1).tolist()}
        for layer, weights in enumerate(exact.cross)
        for head in range(weights.shape[0])
        for at in range(min(3, weights.shape[1]))
    ]
    answer = served.ask("whatif", run=run, text=example.source, edits=edits, beam=1)
    assert answer["same"]
    assert answer["change_of_original"] == pytest.approx(0, abs=1e-4)
    for layer in range(len(exact.cross)):
        np.testing.assert_allclose(rows(answer["edited"], layer), rows(original, layer), atol=3e-5)


@pytest.mark.parametrize("run", ATTENDING)
def test_a_moved_weight_is_there_and_the_others_keep_their_proportions(served, example, run):
    edit = {"kind": "weight", "at": 1, "layer": 0, "source": 2, "value": 0.6}
    answer = served.ask("whatif", run=run, text=example.source, edits=[edit], beam=1)
    before, after = rows(answer["original"], 0), rows(answer["edited"], 0)
    np.testing.assert_allclose(after[:, 0], before[:, 0], atol=2e-5)  # the step before it is untouched
    np.testing.assert_allclose(after[:, 1, 2], 0.6, atol=1e-5)
    np.testing.assert_allclose(after[:, 1].sum(-1), 1.0, atol=1e-3)
    others = np.delete(before[:, 1], 2, axis=-1)
    shares = np.delete(after[:, 1], 2, axis=-1)
    for head in range(len(others)):
        if others[head].sum() > 0.05:
            np.testing.assert_allclose(shares[head] / 0.4, others[head] / others[head].sum(), atol=2e-3)
    tokens = [[token["id"] for token in answer[side]["target"]["tokens"]] for side in ("original", "edited")]
    assert tokens[0][0] == tokens[1][0]
    assert answer["from_step"] == 1


def test_one_head_can_be_edited_alone(served, example):
    edit = {"kind": "weight", "at": 0, "layer": 1, "head": 1, "source": 0, "value": 1.0}
    answer = served.ask("whatif", run=TRAINED[1], text=example.source, edits=[edit], beam=1)
    before, after = rows(answer["original"], 1)[:, 0], rows(answer["edited"], 1)[:, 0]
    np.testing.assert_allclose(after[0], before[0], atol=1e-5)
    np.testing.assert_allclose(after[1], np.eye(after.shape[-1])[0], atol=1e-5)


@pytest.mark.parametrize("run", TRAINED)
def test_a_removed_word_gives_what_the_sentence_without_it_gives(served, example, run):
    answer = served.ask("whatif", run=run, text=example.source, edits=[{"kind": "blank", "word": 2}], beam=3)
    words = example.source.split()
    shorter = served.ask("translate", run=run, text=" ".join(words[:2] + words[3:]), beam=3)["reading"]
    assert answer["edited"]["target"]["text"] == shorter["target"]["text"]
    assert answer["edited"]["log_prob"] == pytest.approx(shorter["log_prob"], abs=1e-4)
    gone = [n for n, token in enumerate(answer["original"]["source"]["tokens"]) if token["word"] == 2]
    wide = rows(answer["edited"], 0)
    assert wide.shape[-1] == len(answer["original"]["source"]["tokens"])
    assert not wide[..., gone].any()
    np.testing.assert_allclose(np.delete(wide, gone, -1), rows(shorter, 0), atol=2e-5)


@pytest.mark.parametrize("how", ["mask", "unknown"])
def test_a_hidden_word_is_not_looked_at_and_an_unknown_one_keeps_its_place(served, example, how):
    edit = {"kind": "blank", "word": 1, "how": how}
    answer = served.ask("whatif", run="luong", text=example.source, edits=[edit])
    at = [n for n, token in enumerate(answer["original"]["source"]["tokens"]) if token["word"] == 1]
    looked = rows(answer["edited"], 0)[..., at]
    assert not looked.any() if how == "mask" else looked.any()


def test_a_forced_word_is_written_and_the_words_before_it_stay(served, example):
    run = TRAINED[0]
    original = served.ask("translate", run=run, text=example.source, beam=3)["reading"]
    ids = [token["id"] for token in original["target"]["tokens"][:-1]]
    other = next(word["id"] for word in original["steps"][2]["top"][1:] if word["id"] > 3)
    answer = served.ask(
        "whatif", run=run, text=example.source, edits=[{"kind": "force", "at": 2, "token": other}], beam=3
    )
    written = [token["id"] for token in answer["edited"]["target"]["tokens"]]
    assert written[:3] == [*ids[:2], other]
    assert not answer["same"]
    assert answer["change_of_edited"] == answer["change_of_original"] == 0  # the model itself is as it was
    prefix = served.ask(
        "whatif", run=run, text=example.source, edits=[{"kind": "prefix", "tokens": written[:3]}], beam=3
    )
    assert prefix["edited"] == answer["edited"]


def test_two_words_are_forced_with_the_originals_between_them(served, example):
    run = TRAINED[0]
    original = served.ask("translate", run=run, text=example.source, beam=1)["reading"]
    ids = [token["id"] for token in original["target"]["tokens"][:-1]]
    others = [next(word["id"] for word in original["steps"][at]["top"][1:] if word["id"] > 3) for at in (1, 3)]
    edits = [{"kind": "force", "at": at, "token": token} for at, token in zip((3, 1), others[::-1], strict=True)]
    answer = served.ask("whatif", run=run, text=example.source, edits=edits, beam=1)
    written = [token["id"] for token in answer["edited"]["target"]["tokens"]]
    assert written[:4] == [ids[0], others[0], ids[2], others[1]]


def test_teacher_forcing_reads_the_reference(served, folders, example):
    run = TRAINED[1]
    edit = {"kind": "teacher_forcing", "reference": example.target}
    answer = served.ask("whatif", run=run, text=example.source, edits=[edit])
    score = in_float64(load(folders[run])).score([(example.source, example.target)])[0]
    assert answer["edited"]["target"]["text"] == example.target
    assert answer["edited"]["log_prob"] == pytest.approx(score.log_prob, abs=1e-4)
    assert answer["edited"]["score"] is None


def test_the_difference_puts_both_sides_together_again(served, example):
    edit = {"kind": "weight", "at": 0, "source": 0, "value": 1.0}
    answer = served.ask("whatif", run="luong", text=example.source, edits=[edit])
    for side, kinds in (("original", ("same", "removed")), ("edited", ("same", "added"))):
        spelled = [token for change in answer["difference"] if change["kind"] in kinds for token in change["tokens"]]
        assert spelled == [token["text"] for token in answer[side]["target"]["tokens"][:-1]]


@pytest.mark.parametrize("run", [*TRAINED, "none"])
@pytest.mark.parametrize("how", ["remove", "mask", "unknown"])
def test_effects_are_what_a_direct_recomputation_gives(served, example, run, how):
    answer = served.ask("effects", run=run, text=example.source, target=example.target, how=how)
    effects = as_array(answer["effects"])
    read = served.ask("translate", run=run, text=example.source, target=example.target)["reading"]
    with_all = np.array([step["log_prob"] for step in read["steps"]])
    np.testing.assert_allclose(answer["log_probs"], with_all, atol=1e-4)
    for word in (0, len(answer["source"]["words"]) - 1):
        edits = [{"kind": "blank", "word": word, "how": how}, {"kind": "teacher_forcing", "reference": example.target}]
        without = served.ask("whatif", run=run, text=example.source, edits=edits)["edited"]
        direct = with_all - np.array([step["log_prob"] for step in without["steps"]])
        np.testing.assert_allclose(effects[:, word], direct, atol=1e-4)
    np.testing.assert_allclose(answer["totals"], effects.sum(0), atol=1e-3)


EDIT = st.one_of(
    st.fixed_dictionaries(
        {
            "kind": st.just("weight"),
            "at": st.integers(0, 12),
            "layer": st.integers(-3, 3),
            "head": st.none() | st.integers(0, 3),
            "source": st.integers(0, 30),
            "value": st.floats(0, 1),
            "renormalise": st.booleans(),
        }
    ),
    st.fixed_dictionaries(
        {"kind": st.just("blank"), "word": st.integers(0, 9), "how": st.sampled_from(["remove", "mask", "unknown"])}
    ),
    st.fixed_dictionaries({"kind": st.just("force"), "at": st.integers(0, 12), "token": st.integers(0, 400)}),
    st.fixed_dictionaries({"kind": st.just("prefix"), "text": st.text(max_size=12)}),
    st.fixed_dictionaries({"kind": st.just("teacher_forcing"), "reference": st.text(max_size=12)}),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(run=st.sampled_from([*ATTENDING, "none", "bare"]), edits=st.lists(EDIT, max_size=4), beam=st.integers(1, 2))
def test_any_edits_are_answered_or_refused_in_a_sentence(served, run, edits, beam):
    answer = served.post("whatif", run=run, text="The teacher reads a book.", edits=edits, beam=beam)
    assert answer.status_code in (200, 422), answer.text
    if answer.status_code == 422:
        assert answer.json()["error"]["message"]
