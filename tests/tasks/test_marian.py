"""MarianMT models: imported runs compute what transformers computes, and go back to its layout unchanged."""

import json
import pickle
import shutil
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from transformers import MarianMTModel, MarianTokenizer

import jumok
from jumok.data.sources import Tokens
from jumok.decoding.options import Options
from jumok.decoding.scoring import Scoring
from jumok.engine.ctranslate2_export import export
from jumok.errors import InputError, RunError
from jumok.shapes import BOS, EOS
from jumok.tasks.translation.adaptation.recipe import Request, start_adapting
from jumok.tasks.translation.marian.reading import import_model, orders, read_folder
from jumok.tasks.translation.marian.writing import export_marian
from tests.tasks.marian_models import SOURCE, TARGET, TEXT, make

GOLDEN = Path(__file__).parents[1] / "golden" / "transformer-1"
# One of each: shared and separate vocabularies, sizes, heads that differ, activations, scaled words or not.
KINDS = {
    "shared": {},
    "separate": {"shared": False, "activation_function": "relu", "encoder_layers": 1, "decoder_attention_heads": 8},
    "wide": {"d_model": 56, "encoder_attention_heads": 7, "activation_function": "gelu", "scale_embedding": False},
    "untied": {"shared": False, "tie_word_embeddings": False, "decoder_layers": 1},
}


@pytest.fixture(scope="module", params=list(KINDS))
def pair(request, tmp_path_factory):
    """A MarianMT model, its folder, and the run that was imported from it."""
    folder = tmp_path_factory.mktemp(request.param)
    model = make(folder / "hf", **KINDS[request.param])
    import_model(folder / "hf", folder / "run")
    return model, folder / "hf", jumok.load(folder / "run")


def theirs(folder: Path, line: str) -> list[int]:
    return MarianTokenizer.from_pretrained(folder)(line).input_ids


def test_lines_have_the_same_pieces(pair):
    _, folder, ours = pair
    order, _ = orders(read_folder(folder))
    for line in TEXT:
        ids = [*ours.run.source_tokenizer.encode(line), EOS]
        assert [order.rows[number] for number in ids] == theirs(folder, line)


@torch.no_grad()
def test_logits_are_the_same(pair):
    model, folder, ours = pair
    _, order = orders(read_folder(folder))
    kept = [number for number in range(len(order.rows)) if number != BOS]
    for line in SOURCE:
        source = [*ours.run.source_tokenizer.encode(line), EOS]
        given = [order.rows[number] for number in (5, 9, 4, 11, 7)]
        start = model.config.decoder_start_token_id
        expected_TV = model(
            input_ids=torch.tensor([theirs(folder, line)]), decoder_input_ids=torch.tensor([[start, *given]])
        ).logits[0]
        memory = ours.model.encode(Tokens(torch.tensor([source]), torch.ones(1, len(source), dtype=torch.bool)))
        decoded = ours.model.decode(memory, torch.tensor([[BOS, 5, 9, 4, 11, 7]]))
        found_TV = ours.model.logits(decoded, memory)[0]
        torch.testing.assert_close(found_TV[:, kept], expected_TV[:, [order.rows[n] for n in kept]], atol=1e-4, rtol=0)
        # The row that was added takes no probability.
        assert float(found_TV.softmax(-1)[:, BOS].max()) < 1e-9


def searched(model: MarianMTModel, folder: Path, line: str, **options) -> list[tuple[list[int], float]]:
    """The hypotheses of transformers' beam search, which like ours writes no `<unk>`, and their log-probabilities."""
    ids = torch.tensor([theirs(folder, line)])
    pad = model.config.pad_token_id
    found = model.generate(
        input_ids=ids, attention_mask=torch.ones_like(ids), length_penalty=0.0, early_stopping=False,
        bad_words_ids=[[pad], [1]], output_scores=True, return_dict_in_generate=True, do_sample=False, **options,
    )  # fmt: skip
    rows = [[token for token in row.tolist()[1:] if token != pad] for row in found.sequences]
    return list(zip(rows, found.sequences_scores.tolist(), strict=True))


def test_the_best_hypothesis_is_the_same(pair):
    model, folder, ours = pair
    _, order = orders(read_folder(folder))
    for line in SOURCE:
        [(row, score)] = searched(model, folder, line, num_beams=4, max_new_tokens=41, min_new_tokens=5)
        best = ours.translate(line, options=Options(beam=4, scoring=Scoring("none"), min_length=5, max_length=40))
        assert [order.rows[number] for number in (*best.ids, EOS)] == row
        assert best.log_prob == pytest.approx(score, abs=1e-3)


def test_beams_are_the_same_for_as_long_as_they_last(tmp_path):
    """Where no sentence ends, both searches keep the same four hypotheses for thirty steps."""
    model = make(tmp_path / "hf", seed=3, ends=-30.0)
    import_model(tmp_path / "hf", tmp_path / "run")
    ours, (_, order) = jumok.load(tmp_path / "run"), orders(read_folder(tmp_path / "hf"))
    for line in SOURCE:
        rows = searched(model, tmp_path / "hf", line, num_beams=4, num_return_sequences=4, max_new_tokens=30)
        options = Options(beam=4, nbest=4, scoring=Scoring("none"), max_length=30)
        best = ours.translate(line, options=options)
        found = [[order.rows[number] for number in one.ids] for one in (best, *best.alternatives)]
        assert sorted(found) == sorted(row for row, _ in rows)


def test_an_imported_run_does_what_runs_do(pair, tmp_path):
    _, _, ours = pair
    run = ours.run.path
    export(run, run / "ctranslate2")
    options = Options(beam=1, min_length=4, max_length=12)
    quick = jumok.load(run, engine="ctranslate2")
    assert [one.ids for one in quick.translate(SOURCE, options=options)] == [
        one.ids for one in ours.translate(SOURCE, options=options)
    ]
    shown = ours.translate(SOURCE[0], attention=True)
    assert shown.attention is not None
    assert len(ours.align([(SOURCE[0], TARGET[0])])[0].links) > 0
    card = (run / "README.md").read_text(encoding="utf-8")
    assert "Translates en to ko" in card
    assert "imported from `hf`" in card


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("A window! the house", [0, 1, 2, 3]),
        ("the \u200b river", [0, 2]),
        ("\u2603 \u2603of\u2603 the", [0, 1, 2]),
    ],
)
def test_unknown_signs_belong_to_the_words_they_stand_in(tmp_path, line, words):
    """Counted as words of their own they put all later links behind the end of the sentence, which refused it."""
    make(tmp_path / "hf")
    import_model(tmp_path / "hf", tmp_path / "run")
    ours = jumok.load(tmp_path / "run")
    tokenizer = ours.run.source_tokenizer
    ids = tokenizer.encode(line)
    found = tokenizer.word_of_read(ids, line.split())
    assert len(found) == len(ids)
    assert [number for number, _ in groupby(found)] == words
    linked = ours.translate(line, options=Options(beam=2, alignment=True, max_length=8))
    assert all(source < len(linked.source_words) for source, _ in linked.alignment)


def test_an_imported_run_is_adapted(tmp_path):
    make(tmp_path / "hf")
    import_model(tmp_path / "hf", tmp_path / "run")
    rows = [f"{one} {n}\t{other} {n}" for n in range(8) for one, other in zip(SOURCE, TARGET, strict=True)]
    (tmp_path / "own.tsv").write_text("\n".join(rows), encoding="utf-8")
    keys = ("train.max_steps=3", "train.validate_every=3", "runtime.threads=1")
    training = start_adapting(Request(tmp_path / "run", tmp_path / "own.tsv", out=tmp_path / "own", overrides=keys))
    for _ in training:
        pass
    report = json.loads((tmp_path / "own" / "adapted.json").read_text(encoding="utf-8"))
    assert "train.anchor" in report["kept_by"]
    old, new = (jumok.load(tmp_path / name).run for name in ("run", "own"))
    assert new.source_tokenizer.sha256 == old.source_tokenizer.sha256 != new.target_tokenizer.sha256


def test_there_and_back_is_the_same_run(pair, tmp_path):
    model, folder, ours = pair
    export_marian(ours.run.path, tmp_path / "hf")
    first, second = (load_file(place / "model.safetensors") for place in (folder, tmp_path / "hf"))
    assert {name: value.shape for name, value in second.items()} == {name: first[name].shape for name in second}
    assert json.loads((tmp_path / "hf" / "vocab.json").read_text("utf-8")) == json.loads(
        (folder / "vocab.json").read_text("utf-8")
    )
    import_model(tmp_path / "hf", tmp_path / "run")
    back = jumok.load(tmp_path / "run")
    before, after = (load_file(run / "model.safetensors") for run in (ours.run.path, tmp_path / "run"))
    assert before.keys() == after.keys()
    assert all(np.array_equal(before[name], after[name]) for name in before)
    assert back.run.config.model == ours.run.config.model
    assert [one.text for one in back.translate(SOURCE)] == [one.text for one in ours.translate(SOURCE)]
    again = MarianMTModel.from_pretrained(tmp_path / "hf").eval()
    ids = torch.tensor([theirs(tmp_path / "hf", SOURCE[0])])
    start = torch.tensor([[model.config.decoder_start_token_id]])
    with torch.no_grad():
        found, expected = (one(input_ids=ids, decoder_input_ids=start).logits for one in (again, model))
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_a_run_of_our_own_is_written_for_transformers(tmp_path):
    """Trained here, with a start symbol of its own and bytes for unknown characters."""
    keys = {
        f"model.{side}.{key}": value
        for side in ("encoder", "decoder")
        for key, value in {"size": 32, "ff": 48, "layers": 1, "norm": "post", "positions": "sinusoidal_halves"}.items()
    }
    rows = [f"{one} {n}\t{other} {n}" for n in range(30) for one, other in zip(SOURCE, TARGET, strict=True)]
    (tmp_path / "own.tsv").write_text("\n".join(rows), encoding="utf-8")
    model = jumok.train(
        keys | {"model.preset": "transformer", "data.source": str(tmp_path / "own.tsv"), "runtime.threads": 1}
        | {"train.max_steps": 5, "train.validate_size": 0, "train.pictures": 0, "train.batch_tokens": 256},
        out=tmp_path / "run", progress=False,
    )  # fmt: skip
    export_marian(tmp_path / "run", tmp_path / "hf")
    again = MarianMTModel.from_pretrained(tmp_path / "hf").eval()
    for line in ("the old river", "하나 é ½"):
        ids = torch.tensor([theirs(tmp_path / "hf", line)])
        row = again.generate(input_ids=ids, num_beams=1, max_new_tokens=9, forced_eos_token_id=None)[0, 1:].tolist()
        ours = model.translate(line, options=Options(beam=1, max_length=9))
        names = MarianTokenizer.from_pretrained(tmp_path / "hf")
        written = json.loads((tmp_path / "hf" / "target_vocab.json").read_text("utf-8"))
        assert [written[model.run.target_tokenizer.token(token)] for token in ours.ids] == row[: len(ours.ids)]
        assert names.tokenize(line) == list(ours.source_tokens)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "bart"}, "model_type 'bart'"),
        ({"activation_function": "tanh"}, "activation_function=tanh"),
        ({"normalize_before": True}, "normalize_before=True"),
        ({"vocab_size": 7}, "do not fit"),
        ({"d_model": "x"}, "value of the wrong kind"),
        ({"dropout": None}, "value of the wrong kind"),
        ({"encoder_layers": 3}, r"lacks the weight 'model\.encoder\.layers\.2"),
    ],
)
def test_what_is_not_such_a_model_is_refused(tmp_path, change, message):
    make(tmp_path / "hf")
    path = tmp_path / "hf" / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        import_model(tmp_path / "hf", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_config_that_lacks_a_key_is_refused(tmp_path):
    make(tmp_path / "hf")
    path = tmp_path / "hf" / "config.json"
    tree = json.loads(path.read_text("utf-8"))
    del tree["d_model"]
    path.write_text(json.dumps(tree), encoding="utf-8")
    with pytest.raises(InputError, match=r"config\.json lacks 'd_model'"):
        import_model(tmp_path / "hf", tmp_path / "run")


class Hostile:
    """A pickle that would run a program."""

    def __reduce__(self):
        import os

        return os.system, ("echo executed",)


def test_pickled_weights_are_read_as_tensors_only(tmp_path):
    model = make(tmp_path / "hf")
    (tmp_path / "hf" / "model.safetensors").unlink()
    torch.save(model.state_dict(), tmp_path / "hf" / "pytorch_model.bin")
    said: list[str] = []
    import_model(tmp_path / "hf", tmp_path / "run", say=said.append)
    assert any("only its tensors are read" in text for text in said)
    assert jumok.load(tmp_path / "run").translate(SOURCE[0], options=Options(min_length=3, max_length=5)).ids
    (tmp_path / "hf" / "pytorch_model.bin").write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(InputError, match="is refused"):
        import_model(tmp_path / "hf", tmp_path / "again")


def test_what_marian_cannot_hold_is_refused(tmp_path):
    with pytest.raises(RunError, match="post-norm"):
        export_marian(GOLDEN, tmp_path / "hf")
    recurrent = shutil.copytree(GOLDEN.parent / "rnnsearch-1", tmp_path / "run")
    with pytest.raises(RunError, match="no recurrent models"):
        export_marian(Path(recurrent), tmp_path / "hf")
