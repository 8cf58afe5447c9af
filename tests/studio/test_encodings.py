"""How often a sentence is encoded for a request: once, whatever is shown of it."""

import pytest

from jumok.data.phrasebook import generate
from jumok.models.seq2seq import Seq2Seq
from tests.studio.conftest import TRAINED

# Phrasebook sentences, so that the gold links are read too.
SENTENCES = iter([one.source for one in generate("en-fr", "test", 200) if len(one.source.split()) > 4])


@pytest.fixture
def encoded(monkeypatch, served):
    """The sources that were encoded, one entry for each call; what other tests asked for is forgotten."""
    for run in TRAINED:
        served.session(run).__dict__.pop("inspector", None)
    calls = []
    encode = Seq2Seq.encode

    def counted(self, source, need_weights=False):
        calls.append(source)
        return encode(self, source, need_weights)

    monkeypatch.setattr(Seq2Seq, "encode", counted)
    return calls


@pytest.mark.parametrize("run", TRAINED)
@pytest.mark.parametrize(
    ("path", "body", "times"),
    [
        ("translate", {"beam": 5}, 1),
        ("translate", {"target": "Le chat dort."}, 1),
        ("step", {"prefix": [20, 31]}, 1),
        ("step", {"edits": [{"kind": "blank", "word": 1, "how": "mask"}]}, 1),
        ("step", {"edits": [{"kind": "blank", "word": 1}]}, 1),  # only the sentence without the word is read
        ("whatif", {"edits": []}, 1),
        ("whatif", {"edits": [{"kind": "weight", "at": 1, "layer": 0, "source": 1, "value": 0.7}], "beam": 3}, 1),
        ("whatif", {"edits": [{"kind": "blank", "word": 1, "how": "mask"}], "beam": 3}, 1),
        ("whatif", {"edits": [{"kind": "blank", "word": 1}], "beam": 3}, 2),
        ("effects", {"how": "mask"}, 1),
        ("effects", {"how": "remove"}, 2),
        ("effects", {"how": "unknown"}, 2),
    ],
)
def test_a_request_encodes_each_sentence_once(served, encoded, run, path, body, times):
    served.ask(path, run=run, text=next(SENTENCES), **body)
    assert len(encoded) == times


def test_what_was_read_is_kept_for_later_requests(served, encoded):
    text = next(SENTENCES)
    for run in TRAINED:
        first = served.ask("translate", run=run, text=text)
        assert served.ask("translate", run=run, text=text) == first
        served.ask("step", run=run, text=text)
        served.ask("whatif", run=run, text=text, edits=[])
    assert len(encoded) == len(TRAINED)  # each model reads it for itself


def test_a_comparison_reads_the_sentence_once_with_each_model(served, encoded):
    served.ask("compare", runs=[{"run": run} for run in TRAINED], text=next(SENTENCES))
    assert len(encoded) == len(TRAINED)
