"""Sharing a batch among threads changes who works, not what is learned."""

import pytest
import torch

from jumok.config import resolve
from jumok.data.batch import Batch
from jumok.models.build import build_model
from jumok.training import hands, teacher_forcing
from jumok.training.distributed import Processes
from jumok.training.learner import Learner
from jumok.training.objective import Objective


@pytest.fixture
def two_threads():
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(threads)


def learner(preset: str, dropout: float, *keys: str) -> Learner:
    small = ["model.encoder.size=12", "model.decoder.size=12", f"model.dropout={dropout}", *keys]
    config = resolve({}, [f"model.preset={preset}", *small])
    torch.manual_seed(7)
    model = build_model(config.model, 31, 31)
    objective = Objective(0.1, teacher_forcing.parse("always"))
    return Learner(model, objective, config.train, torch.device("cpu"), "float32", Processes(), 1)


def batch(count: int = 67) -> Batch:
    draw = torch.Generator().manual_seed(3)
    sizes = torch.randint(3, 23, (count, 2), generator=draw).tolist()
    rows = [[torch.randint(4, 31, (size,), generator=draw).tolist() for size in pair] for pair in sizes]
    return Batch.of([row[0] for row in rows], [row[1] for row in rows], range(count))


def gradients(someone: Learner, together: bool) -> tuple[list[torch.Tensor], list[float]]:
    someone._shared = together
    given = batch()
    assert hands.worth_sharing(given, 2)
    sums = someone._backward([given], given.target_tokens)
    found = [gradient.clone() for gradient in someone.optimizer.gradients()]
    someone.optimizer.forget()
    return found, sums


@pytest.mark.parametrize("preset", ["rnnsearch", "luong", "transformer", "seq2seq"])
@pytest.mark.usefixtures("two_threads")
def test_the_shares_add_up_to_the_batch(preset):
    someone = learner(preset, 0.0)
    assert someone._shared
    alone, sums_alone = gradients(someone, together=False)
    together, sums_together = gradients(someone, together=True)
    assert sums_together == pytest.approx(sums_alone, rel=1e-5)
    for one, other in zip(together, alone, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("preset", ["rnnsearch", "transformer"])
@pytest.mark.usefixtures("two_threads")
def test_dropout_in_shares_repeats_itself_to_the_bit(preset):
    someone = learner(preset, 0.3)
    torch.manual_seed(11)
    first, _ = gradients(someone, together=True)
    other, _ = gradients(someone, together=True)
    torch.manual_seed(11)
    again, _ = gradients(someone, together=True)
    assert all(torch.equal(one, same) for one, same in zip(first, again, strict=True))
    assert not all(torch.equal(one, new) for one, new in zip(first, other, strict=True))


@pytest.mark.usefixtures("two_threads")
def test_what_draws_by_other_means_is_not_shared():
    assert not learner("rnnsearch", 0.1, "model.decoder.attention=hard")._shared


@pytest.mark.usefixtures("two_threads")
def test_an_error_in_a_share_reaches_the_caller_when_all_have_ended():
    ended = []

    def work(share: Batch) -> hands.Learned:
        ended.append(len(share))
        if len(ended) == 1:
            raise ValueError("one share fails")
        return hands.Learned((), [])

    with pytest.raises(ValueError, match="one share fails"):
        hands.work_together(batch(9), 2, work)
    assert sorted(ended) == [4, 5]


def test_shares_are_the_sentences_of_the_batch():
    whole = batch(11)
    parts = [hands.share(whole, rank, 3) for rank in range(3)]
    assert sum(part.target_tokens for part in parts) == whole.target_tokens
    assert sum(part.source_tokens for part in parts) == whole.source_tokens
    assert sorted(int(n) for part in parts for n in part.index_B) == list(range(11))
    for part in parts:
        assert part.target_mask_BT.any(0).all()
        assert part.source_mask_BS.any(0).all()
