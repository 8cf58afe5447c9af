"""Few-shot classification: episodes, training, exact resume, and naming pictures of classes never learned."""

import json

import numpy as np
import pytest
import torch

import jumok
from jumok.config import resolve
from jumok.data.episodes import Classes, Episodes
from jumok.data.glyphbook import draw
from jumok.data.images import png_bytes, write_store
from jumok.errors import ConfigError, DataError, InputError, RunError
from jumok.models.few_shot import nearest_loss, prototype_logits
from jumok.tasks.few_shot.build import build_classifier
from jumok.tasks.few_shot.plot import draw_answers
from jumok.tasks.few_shot.task import attention_accuracy
from tests.data.test_glyphbook import draw_many

TINY = {
    "task": "few-shot",
    "data.classes": 12,
    "data.held_out": 6,
    "data.drawings": 6,
    "data.side": 16,
    "data.ways": 3,
    "data.queries": 2,
    "data.episodes": 4,
    "model.embedding": 7,
    "model.image_filters": 5,
    "model.filters": 3,
    "model.keys": [6, 10],
    "train.max_steps": 6,
    "train.validate_every": 3,
    "train.save_every": 3,
    "train.log_every": 1,
    "train.validate_size": 11,
    "runtime.threads": 1,
}


def classes(folder, count=9, drawings=5):
    many = draw_many(1, range(count), range(drawings), 16).reshape(-1, 16, 16)
    notes = {"names": [f"c{n}" for n in range(count)], "counts": [drawings] * count}
    return Classes.of(write_store(folder / "store", "x", (16, 16), iter(many), notes=notes))


def test_an_episode_follows_from_its_number_alone(tmp_path):
    episodes = Episodes(classes(tmp_path), 3, 2, 2, seed=4, rotations=True)
    together, alone = episodes.batch([5, 6, 7]), episodes.batch([6])
    assert torch.equal(together.pixels_EIHW[1], alone.pixels_EIHW[0])
    assert torch.equal(together.support_ES[1], alone.support_ES[0])
    assert together.pixels_EIHW.shape == (3, 12, 16, 16)


def test_queries_are_other_pictures_of_the_classes_of_the_support_set(tmp_path):
    known = classes(tmp_path)
    where = {known.store[n].tobytes(): n for n in range(len(known.store))}
    for number in range(20):
        batch = Episodes(known, 3, 2, 2, seed=4).batch([number])
        rows = [where[picture.numpy().tobytes()] for picture in batch.pixels_EIHW[0]]
        labels = [*batch.support_ES[0].tolist(), *batch.answers_EQ[0].tolist()]
        assert len(set(rows)) == len(rows)
        assert len({(row // 5, label) for row, label in zip(rows, labels, strict=True)}) == 3
        assert [row // 5 for row in rows] == batch.classes_EN[0][labels].tolist()


def test_a_turned_class_is_a_class_of_its_own(tmp_path):
    known = classes(tmp_path)
    upright = {known.store[n].tobytes() for n in range(len(known.store))}
    drawn = Episodes(known, 3, 1, 1, seed=4, rotations=True).batch(range(40)).pixels_EIHW.flatten(0, 1).numpy()
    share = np.mean([picture.tobytes() in upright for picture in drawn])
    assert 0.1 < share < 0.45


@pytest.mark.parametrize(("ways", "queries"), [(10, 1), (3, 5)])
def test_too_few_classes_or_pictures_are_refused(tmp_path, ways, queries):
    with pytest.raises(DataError, match="need"):
        Episodes(classes(tmp_path), ways, 1, queries, seed=1)


def test_queries_that_share_a_support_set_are_answered_as_alone():
    torch.manual_seed(1)
    model = build_classifier(resolve(TINY)).eval().double()
    vectors = torch.randn(2, 3 + 4, 7, dtype=torch.float64)
    labels = torch.tensor([[2, 0, 1], [0, 1, 2]])
    together = model.name(vectors, labels).logits_EQN
    for q in range(4):
        alone = model.name(vectors[:, [0, 1, 2, 3 + q]], labels).logits_EQN[:, 0]
        torch.testing.assert_close(together[:, q], alone)


def test_attention_accuracy_is_the_share_on_the_right_class():
    weights = torch.tensor([[[0.1, 0.3, 0.2, 0.4]]])  # the last is the query itself
    found = attention_accuracy(weights, torch.tensor([[0, 1, 1]]), torch.tensor([[1]]))
    assert found.item() == pytest.approx(0.5 / 0.6)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("few-shot") / "run"
    jumok.train(TINY, out=folder, progress=False)
    return folder


def test_resuming_gives_the_uninterrupted_run_to_the_bit(run, tmp_path):
    part = tmp_path / "part"
    jumok.train(TINY | {"train.max_steps": 3, "train.schedule": "constant"}, out=part, progress=False)
    whole = tmp_path / "whole"
    jumok.train(TINY | {"train.schedule": "constant"}, out=whole, progress=False)
    jumok.train({"train.max_steps": 6}, resume=part, progress=False)
    for name in ("metrics.jsonl", "checkpoints/6/model.safetensors"):
        assert (part / name).read_bytes() == (whole / name).read_bytes()


def support(count=3):
    return {f"letter {n}": [draw(9, n, 0, 16), draw(9, n, 1, 16)] for n in range(count)}


def test_classify_gives_probabilities_and_weights_of_each_example(run):
    model = jumok.load(run)
    answers = model.classify(support(), [draw(9, 1, 5, 16), draw(9, 2, 5, 16)])
    for answer in answers:
        assert sum(answer.probabilities.values()) == pytest.approx(1, abs=1e-5)
        assert answer.label == next(iter(answer.probabilities))
        assert [len(block) for block in answer.weights] == [7, 7]
        assert all(block.sum() == pytest.approx(1, abs=1e-5) for block in answer.weights)
        assert answer.layout.units == ("letter 0", "letter 1", "letter 2")
    json.dumps(answers[0].as_dict())


def test_fewer_ways_and_more_shots_than_trained_work_and_more_ways_are_refused(run):
    model = jumok.load(run)
    [answer] = model.classify(support(2), draw(9, 1, 5, 16))
    assert set(answer.probabilities) == {"letter 0", "letter 1"}
    with pytest.raises(InputError, match=r"4 classes.*trained for 3"):
        model.classify(support(4), draw(9, 1, 5, 16))
    with pytest.raises(InputError, match="no labelled examples"):
        model.classify({}, draw(9, 1, 5, 16))


def test_dark_ink_on_white_paper_is_read_as_the_same_picture(run, tmp_path):
    model = jumok.load(run)
    pixels = draw(9, 1, 5, 16)
    for label, pictures in support().items():
        (tmp_path / "shots" / label).mkdir(parents=True)
        for n, picture in enumerate(pictures):
            (tmp_path / "shots" / label / f"{n}.png").write_bytes(png_bytes(255 - picture))
    [drawn], [given] = model.classify(support(), pixels), model.classify(tmp_path / "shots", [png_bytes(255 - pixels)])
    assert given.probabilities == pytest.approx(drawn.probabilities, abs=1e-6)


def test_a_class_folder_without_pictures_is_named(run, tmp_path):
    for name in ("Greek/alpha/1.png", "Greek/beta/1.gif", ".hidden/notes"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(png_bytes(draw(9, 1, 5, 16)))
    model = jumok.load(run)
    with pytest.raises(InputError, match="Greek/beta holds no pictures"):
        model.classify(tmp_path, draw(9, 1, 5, 16))
    (tmp_path / "Greek/beta/1.gif").rename(tmp_path / "Greek/beta/1.png")
    assert set(model.classify(tmp_path, draw(9, 1, 5, 16))[0].probabilities) == {"Greek/alpha", "Greek/beta"}


def test_the_picture_shows_a_bar_for_each_example_and_block(run, tmp_path):
    model, query = jumok.load(run), draw(9, 1, 5, 16)
    answers = model.classify(support(), query)
    assert draw_answers(answers, [query], tmp_path / "looks.svg") == []
    text = (tmp_path / "looks.svg").read_text(encoding="utf-8")
    assert text.count("<image") == 8  # the query twice, and six examples
    assert all(f"{weight:.2f}" in text for block in answers[0].weights for weight in block)
    with pytest.raises(InputError, match="1 to 20 answers"):
        draw_answers([], [], tmp_path / "none.svg")


def test_classes_are_named_by_the_nearest_mean_vector():
    vectors = torch.randn(2, 4 + 3, 5, dtype=torch.float64)
    labels = torch.tensor([[0, 1, 0, 1], [1, 1, 0, 0]])
    found = prototype_logits(vectors, labels, 2)
    for e in range(2):
        for c in range(2):
            mean = vectors[e, :4][labels[e] == c].mean(0)
            expected = -(vectors[:, 4:] - mean).square().sum(-1) / 5**0.5
            torch.testing.assert_close(found[:, 2 * e + c], expected.flatten())


def test_a_class_is_no_rival_of_itself_in_another_episode():
    vectors, labels, answers = torch.randn(2, 2 + 1, 5), torch.tensor([[0, 1], [1, 0]]), torch.tensor([[1], [0]])
    logits = prototype_logits(vectors, labels, 2)
    for classes, rivals in (([[4, 7], [1, 2]], [[0, 1, 2, 3]] * 2), ([[4, 7], [1, 7]], [[0, 1, 2], [0, 1, 2, 3]])):
        expected = sum(
            logits[query, among].logsumexp(0) - logits[query, right]
            for query, (right, among) in enumerate(zip((1, 2), rivals, strict=True))
        )
        torch.testing.assert_close(nearest_loss(vectors, labels, answers, torch.tensor(classes)), expected)


def test_the_metric_that_decides_which_weights_are_best_can_be_chosen(tmp_path):
    for number, keys in enumerate(({}, {"train.stop_metric": "loss"})):
        *_, last = jumok.start_training({**TINY, **keys, "train.max_steps": 1}, out=tmp_path / str(number))
        assert last.best_metric == keys.get("train.stop_metric", "accuracy")


def test_keys_of_text_and_arrays_with_other_names_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"train\.entropy is for models that write text"):
        jumok.train({**TINY, "train.entropy": 0.1}, out=tmp_path / "run", progress=False)
    np.savez(tmp_path / "a.npz", images=np.zeros((30, 6, 16, 16), np.uint8), class_name=np.array(["one", "two"]))
    with pytest.raises(DataError, match="2 names for 30 classes"):
        jumok.train({**TINY, "data.train": str(tmp_path / "a.npz")}, out=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


def test_more_ways_start_from_the_embedding_of_fewer(tmp_path):
    """What fits is taken, the embedding above all; a start that fits nowhere is refused before any work."""
    few = jumok.train(TINY, out=tmp_path / "few", progress=False)
    keys = {**TINY, "data.ways": 4, "train.init_from": str(tmp_path / "few"), "train.max_steps": 1}
    still = {"train.learning_rate": 1e-12, "train.warmup": 0}
    more = jumok.train({**keys, **still}, out=tmp_path / "more", progress=False)
    for name, value in few.network.embedding.named_parameters():
        torch.testing.assert_close(dict(more.network.embedding.named_parameters())[name], value)
    other = {"model.image_filters": 4, "model.embedding": 6, "model.filters": 2, "model.keys": [3, 5]}
    with pytest.raises(RunError, match=r"no weight of .* fits this model"):
        jumok.train({**keys, **other}, out=tmp_path / "none", progress=False)
    with pytest.raises(RunError, match="there is no nowhere"):
        jumok.train({**keys, "train.init_from": "nowhere"}, out=tmp_path / "none", progress=False)
    assert not (tmp_path / "none").exists()
