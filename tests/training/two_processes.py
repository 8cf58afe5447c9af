"""Run by torchrun in two processes: the gradients of both together are those of one process. Not a test by itself."""

import sys
from itertools import product
from pathlib import Path

import torch

from jumok.data.batch import Batch
from jumok.training.distributed import Processes, join
from jumok.training.learner import Learner
from jumok.training.tensor_file import pack
from tests.rounding import assert_rounded
from tests.training import points_gan
from tests.training.agreement import exact_gradients
from tests.training.copying import build_learner, copy_batch


def share(batch: Batch, place: Processes) -> Batch:
    """This process's rows of a batch."""
    rows = [ids[mask][:-1].tolist() for ids, mask in zip(batch.target_out_BT, batch.target_mask_BT, strict=True)]
    mine = rows[place.rank :: place.world]
    return Batch.of(mine, mine, list(range(len(mine))))


HEADS = ("linear", "pointer")


def learner_of(preset: str, head: str, place: Processes) -> Learner:
    """A learner without anything random."""
    keys = (f"model.preset={preset}", f"model.head.kind={head}", "model.dropout=0", "train.clip=0")
    return build_learner(*keys, processes=place)


def gradients(preset: str, head: str, group: list[Batch], tokens: int, place: Processes) -> list[torch.Tensor]:
    """The gradient of a step."""
    learner = learner_of(preset, head, place)
    learner.step(group, tokens, 0.0)
    return [gradient.clone() for gradient in learner.players[0].optimizer.gradients()]


def assert_equal_networks(place: Processes) -> None:
    """Two players, each process with points of its own: weights and running statistics stay those of the first."""
    learner = points_gan.build_learner(processes=place)
    for turn in range(len(learner.turns)):
        learner.apply(learner.step([points_gan.points(7 * turn + place.rank)], 32, 0.0, turn))
    networks = place.gather_bytes(pack(learner.model.state_dict()), torch.device("cpu"))
    assert networks[0] == networks[1]


def main() -> None:
    """Writes `ok` for each process that agrees."""
    torch.set_num_threads(1)
    with join("cpu") as place:
        assert place.world == 2
        # The second batch has one sentence: the other process has nothing to do there.
        whole = [copy_batch(1, sentences=7), copy_batch(2, sentences=1)]
        tokens = sum(batch.target_tokens for batch in whole)
        models = [*product(("rnnsearch", "luong", "transformer"), HEADS), ("seq2seq", "linear")]
        for preset, head in models:
            together = gradients(preset, head, [share(batch, place) for batch in whole], tokens, place)
            expected, _ = exact_gradients(learner_of(preset, head, Processes()), whole, tokens)
            assert_rounded(together, expected)
            assert_rounded(gradients(preset, head, whole, tokens, Processes()), expected)
        assert_equal_networks(place)
        assert place.gather_bytes(f"rank {place.rank}".encode() * (place.rank + 1), torch.device("cpu")) == [
            b"rank 0",
            b"rank 1rank 1",
        ]
        assert place.from_writer([float(place.rank), 7.0], torch.device("cpu")) == [0.0, 7.0]
        Path(sys.argv[1], f"ok-{place.rank}").touch()


if __name__ == "__main__":
    main()
