"""A model that copies in the studio: the mixture with its own numbers, names of the source, sentences that it skips."""

import json

import httpx
import numpy as np
import pytest

import jumok
from jumok.data.newsbook import generate
from jumok.decoding.run import load_run
from jumok.inspect.inspector import Inspector
from jumok.inspect.what_if import Plan
from jumok.studio.gold import example_of, link_score
from jumok.studio.payload import MAX_ARTICLE_WORDS
from jumok.studio.studio import Studio
from jumok.tasks import load
from jumok.tasks.summarisation.test_sets import SummaryTest, alignment_error
from jumok.text.slots import encode_beside
from tests.studio.conftest import serving

KEYS = {
    "task": "summarisation", "data.newsbook_size": 200, "data.held_out": 10, "text.min_count": 5, "model.embedding": 16,
    "model.encoder.size": 16, "model.decoder.size": 16, "train.max_steps": 4, "train.batch_tokens": 128,
    "train.pictures": 0, "train.validate_size": 0, "runtime.threads": 1, "data.max_length": 600,
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place = tmp_path_factory.mktemp("copying") / "news"
    jumok.train(KEYS, out=place)
    return place


def test_the_mixture_of_the_inspector_is_the_probability_of_each_word(run):
    report = next(iter(generate("en", "test", 1)))
    inspector = Inspector(load_run(run))
    ids = encode_beside(inspector.run.target_tokenizer, report.headline, report.text)
    done = inspector.replay(Plan(inspector.read(report.text)), ids)
    found = done.mixture
    assert found is not None
    g, p, a = (np.array(one) for one in (found.p_gen, found.p_vocab, found.attended))
    np.testing.assert_allclose(g * p + (1 - g) * a, np.exp(done.log_probs), rtol=1e-4)
    names = [found.copied[j] for j in report.copied]
    assert min(names) > 0.999  # no vocabulary has them
    assert all(0 <= share <= 1 for share in found.copied)


def test_the_studio_shows_names_and_how_they_were_written(run, tmp_path):
    with serving(Studio([run], tmp_path)) as access:
        url = f"http://127.0.0.1:{access.port}/api/v1"
        offered = httpx.get(f"{url}/examples", params={"pair": "newsbook-en", "n": 2}, timeout=60).json()["examples"]
        asked = {"run": "news", "text": offered[0]["source"], "target": offered[0]["target"]}
        answer = httpx.post(f"{url}/translate", json=asked, timeout=60).json()
        listed = httpx.get(f"{url}/runs", timeout=60).json()["runs"][0]
    assert listed["pair"] == "newsbook-en"
    reading = answer["reading"]
    assert reading["target"]["text"] == offered[0]["target"]
    copying, words = reading["copying"], reading["source"]["words"]
    assert len(copying["generate"]) == len(reading["target"]["tokens"])
    assert len(copying["sentences"]) == len(words)
    assert max(copying["sentences"]) + 1 == sum(word.endswith(".") for word in words)
    assert answer["gold"]["applies"]
    assert "<copy" not in json.dumps(answer["reading"]["target"]["words"])


def test_a_step_shows_the_mixture_of_its_likeliest_word(run, tmp_path):
    text = next(iter(generate("en", "test", 1))).text
    with serving(Studio([run], tmp_path)) as access:
        url = f"http://127.0.0.1:{access.port}/api/v1/step"
        answer = httpx.post(url, json={"run": "news", "text": text, "prefix": []}, timeout=60).json()
    stage = answer["stages"][-1]
    terms = {one["name"]: one for one in stage["terms"]}
    assert stage["id"] == "words"
    assert set(terms) == {"output", "p_gen", "p_vocab", "copy"}
    assert terms["copy"]["axes"] == ["source"]
    assert sum(terms["copy"]["data"]) == pytest.approx(1, abs=1e-3)
    best = answer["top"][0]
    assert stage["worked"][0].startswith(f"p({best['text']}) = {terms['p_gen']['data'][0]:.4f} ·")
    assert float(stage["worked"][0].rsplit(" = ", 1)[1]) == pytest.approx(np.exp(best["log_prob"]), abs=1e-4)


def test_links_are_scored_as_evaluate_scores_them(run):
    model = load(run)
    for report in generate("en", "test", 5):
        links = model.align([(report.text, report.headline)])[0].links
        test = SummaryTest("one", [report.text], [report.headline], [report.gold])
        assert link_score(links, example_of(report)).aer == pytest.approx(alignment_error(model, test), abs=1e-6)
        sure = example_of(report)._replace(possible=(), scored=None)
        assert link_score(list(report.links), sure).aer == 0
        assert link_score(list(report.gold.sure), example_of(report)).aer == 0


def test_no_answer_names_a_slot(run, tmp_path):
    """Whatever is asked, words that only the text has are shown as they are written there."""
    report = next(one for one in generate("en", "test", 9) if len(one.copied) > 1)
    tokenizer = load_run(run).target_tokenizer
    ids = encode_beside(tokenizer, report.headline, report.text)
    names = [word for word in report.headline.split() if "<copy" in tokenizer.token(tokenizer.encode(word)[0])]
    assert len(names) > 1
    about = {"text": report.text, "run": "news"}
    given = {**about, "target": report.headline}
    edits = [{"kind": "teacher_forcing", "reference": report.headline}]
    begun = [{"kind": "prefix", "text": names[-1]}]
    asked = {
        "translate": [{**about, "beam": 4}, given, {**about, "target_ids": ids}],
        "step": [{**about, "prefix": ids[:place]} for place in range(len(ids) + 1)],
        "whatif": [{**about, "edits": edits, "beam": 1}, {**about, "edits": begun, "beam": 3}],
        "effects": [given, {**about, "beam": 2}],
        "compare": [{"runs": [{"run": "news"}], "text": report.text, "target": report.headline, "beam": 2}],
        "learn": [given, about],
        "forcing": [{**given, "at": 1}],
        "paths": [{**given, "at": 1, "wrong": 0}],
        "looks": [given],
    }
    with serving(Studio([run], tmp_path)) as access:
        url = f"http://127.0.0.1:{access.port}/api/v1"
        answers = {}
        for route, bodies in asked.items():
            for number, body in enumerate(bodies):
                answer = httpx.post(f"{url}/{route}", json=body, timeout=60)
                assert answer.status_code == 200, (route, answer.text)
                assert "<copy" not in answer.text, (route, number)
                answers[route, number] = answer.json()
    words = report.headline.split()
    assert [token["text"] for token in answers["whatif", 0]["edited"]["target"]["tokens"]][:-1] == words
    assert answers["whatif", 1]["edited"]["target"]["words"][0] == names[-1]
    assert answers["effects", 0]["target"]["words"] == answers["learn", 0]["target_words"] == words
    assert answers["forcing", 0]["target"]["words"] == answers["looks", 0]["target"]["words"] == words
    assert answers["step", len(ids)]["previous"]["text"] == words[-1]
    assert [one["text"] for one in answers["forcing", 0]["target"]["tokens"]][:-1] == words


def test_the_word_that_a_slot_stands_for_decides_what_is_read(run, tmp_path):
    """The same word has other slots in other texts; a given target means the text's own."""
    with serving(Studio([run], tmp_path)) as access:
        url = f"http://127.0.0.1:{access.port}/api/v1/compare"
        ids = []
        for text in ("Vulmek Qarro", "Qarro Vulmek"):
            body = {"runs": [{"run": "news"}], "text": text, "target": "Vulmek", "beam": 1}
            found = httpx.post(url, json=body, timeout=60).json()["runs"][0]
            ids.append(found["common_log_prob"])
            assert found["common"]["weights"]["shape"] == [1, 2]
    tokenizer = load_run(run).target_tokenizer
    inspector = Inspector(load_run(run))
    for text, found in zip(("Vulmek Qarro", "Qarro Vulmek"), ids, strict=True):
        done = inspector.replay(Plan(inspector.read(text)), encode_beside(tokenizer, "Vulmek", text))
        assert done.log_prob == pytest.approx(found, abs=1e-4)


def test_long_texts_are_read_and_keep_their_lines(run, tmp_path):
    reports = list(generate("en", "test", 12))
    lines = [sentence.rstrip(".") for report in reports for sentence in report.sentences]
    words = [len(line.split()) for line in lines]
    kept = next(n for n in range(len(words)) if sum(words[:n]) > 200)
    with serving(Studio([run], tmp_path)) as access:
        url = f"http://127.0.0.1:{access.port}/api/v1"
        for route, body in (("translate", {"run": "news"}), ("compare", {"runs": [{"run": "news"}]})):
            answer = httpx.post(f"{url}/{route}", json={**body, "text": "\n\n".join(lines[:kept])}, timeout=60).json()
            reading = answer["reading"] if route == "translate" else answer["runs"][0]["own"]
            assert len(reading["source"]["words"]) == sum(words[:kept]) > 200
            assert reading["copying"]["sentences"] == [n for n in range(kept) for _ in range(words[n])]
            assert "source_cut" not in [note["code"] for note in reading["notes"]]
        endless = httpx.post(
            f"{url}/translate", json={"run": "news", "text": "\n".join(lines * 4)[:19_000]}, timeout=60
        )
        limits = httpx.get(f"{url}/runs", timeout=60).json()["limits"]
    reading = endless.json()["reading"]
    assert len(reading["source"]["words"]) == len(reading["copying"]["sentences"]) == MAX_ARTICLE_WORDS
    assert limits["article_words"] == MAX_ARTICLE_WORDS
    assert "source_cut" in [note["code"] for note in reading["notes"]]
    assert len(endless.content) < 4_000_000
