"""What test_workers.py asks of the workers; `python -m tests.training.forked CASE` says that it holds."""

import gc
import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from jumok.errors import TrainingError
from jumok.training.workers import Workers
from tests.rounding import assert_rounded
from tests.training.agreement import exact_gradients
from tests.training.test_workers import batch, learner


def steps(someone, count: int = 4) -> tuple[list[torch.Tensor], list[list[float]]]:
    """The weights after a few steps, with dropout, and the sums of each."""
    torch.manual_seed(11)
    sums = []
    for _ in range(count):
        given = batch()
        result = someone.step([given], given.target_tokens, 0.0)
        someone.apply(result)
        sums.append([*result.tally.means().values(), result.gradient_norm])
    return [parameter.detach().clone() for parameter in someone.players[0].optimizer.parameters.values()], sums


def add_up() -> None:
    """The shares' gradients add up to the batch's."""
    copies = ("model.head.kind=pointer",)
    heads = [(preset, ()) for preset in ("rnnsearch", "luong", "transformer", "seq2seq")]
    for preset, keys in [*heads, ("luong", copies), ("transformer", copies)]:
        someone, given = learner(preset, 0.0, *keys), batch()
        expected, expected_sums = exact_gradients(someone, [given], given.target_tokens)
        for shared in (True, False):
            someone._shared = shared
            found, sums = gradients(someone)
            assert_rounded(found, expected)
            assert_rounded([torch.tensor(each) for each in sums[:2]], expected_sums)
            with pytest.raises(AssertionError, match="rounding errors"):
                assert_rounded([1.001 * gradient for gradient in found], expected)
        assert isinstance(someone._workers, Workers)


COPIES = ["rnnsearch", "model.head.kind=pointer", "model.head.own=true"]


def repeat() -> None:
    """Dropout in shares repeats itself to the bit, in other processes too."""
    for preset, *keys in (["rnnsearch"], ["transformer"], ["rnnsearch", "model.decoder.attention=hard"], COPIES):
        weights, sums = steps(learner(preset, 0.3, *keys))
        again, sums_again = steps(learner(preset, 0.3, *keys))
        assert sums == sums_again
        assert all(torch.equal(one, same) for one, same in zip(weights, again, strict=True))
        assert len({tuple(row) for row in sums}) == len(sums)


def gradients(someone) -> tuple[list[torch.Tensor], list[float]]:
    """The gradients of a batch and its sums."""
    given = batch()
    someone.model.train()
    sums, _ = someone._backward(someone.players[0], given, given.target_tokens, 0.0)
    found = [gradient.clone() for gradient in someone.players[0].optimizer.gradients()]
    someone.players[0].optimizer.forget()
    return found, list(sums.values())


def error() -> None:
    """What goes wrong in a process is raised here, and the others go on."""
    someone = learner("rnnsearch", 0.0)
    given = batch()
    good = someone.step([given], given.target_tokens, 0.0)
    someone.players[0].optimizer.forget()
    weight = someone.model.generator.weight
    kept = weight.detach().clone()
    with torch.no_grad():
        weight.fill_(float("nan"))
    with pytest.raises(TrainingError, match=r"The loss became nan at step 1 \(batch of sentences"):
        someone.step([given], given.target_tokens, 0.0)
    with torch.no_grad():
        weight.copy_(kept)
    someone.players[0].optimizer.forget()
    again = someone.step([given], given.target_tokens, 0.0)
    assert again == good


def killed() -> None:
    """A process that is killed ends the step with a sentence, whether it is gone already or is just going."""
    for gone in (False, True):
        for place in (0, 1):
            someone = learner("rnnsearch", 0.0)
            steps(someone, 1)
            assert isinstance(someone._workers, Workers)
            pid = someone._workers._pids[place]
            os.kill(pid, signal.SIGKILL)
            while gone and alive(pid):
                time.sleep(0.01)
            with pytest.raises(TrainingError, match="was killed"):
                steps(someone, 1)


def left() -> None:
    """No process stays when nobody needs it, nor when the one that made it was killed."""
    someone = learner("rnnsearch", 0.0)
    steps(someone, 1)
    pids = list(someone._workers._pids)
    del someone
    gc.collect()
    assert not any(map(alive, pids))
    command = [sys.executable, "-m", "tests.training.forked", "idle"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as maker:
        assert maker.stdout is not None
        pids = [int(pid) for pid in maker.stdout.readline().split()]
        assert len(pids) == 2
        assert all(map(alive, pids))
        maker.kill()
    deadline = time.monotonic() + 200
    while any(map(alive, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def idle() -> None:
    """Says which processes it has, and waits to be killed."""
    someone = learner("rnnsearch", 0.0)
    steps(someone, 1)
    print(*someone._workers._pids, flush=True)
    time.sleep(600)


def alive(pid: int) -> bool:
    """Whether there is such a process, and not only its name."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    torch.set_num_threads(2)
    torch.set_flush_denormal(True)
    {case.__name__: case for case in (add_up, repeat, error, killed, left, idle)}[sys.argv[1]]()
    print(f"{sys.argv[1]} holds")
