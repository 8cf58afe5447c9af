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
from jumok.studio.studio import Studio
from jumok.text.slots import encode_beside
from tests.studio.conftest import serving

KEYS = {
    "task": "summarisation", "data.newsbook_size": 200, "data.held_out": 10, "text.min_count": 5, "model.embedding": 16,
    "model.encoder.size": 16, "model.decoder.size": 16, "train.max_steps": 4, "train.batch_tokens": 128,
    "train.pictures": 0, "train.validate_size": 0, "runtime.threads": 1,
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
