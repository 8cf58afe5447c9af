"""Fails when our own path has become slower, relative to a fixed computation in the same run.

    python benchmarks/guard.py [--json] [--only NAME …]
    python benchmarks/guard.py --slower 1.5   # must fail: our path is made so many times slower

The fixed computations are what a person writes by hand: a training loop with torch's layers (`plain_loop.py`), logits
and `cross_entropy`, a greedy search in numpy; for the head that copies, the same model without it. Ours and the fixed
one take turns on the same batch, with one thread, and are timed by what their own thread used, so that another program
on the machine does not decide; the median of the ratios of many short rounds is compared. What fails is measured once
more before it is said. It takes half a minute.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

# Read by numpy's library of matrix products when it is loaded: a second thread would not be timed.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

import plain_loop
from jumok.config import SequenceConfig, resolve
from jumok.data.batch import Batch
from jumok.decoding.options import Options
from jumok.engine.library import NoEngineError, library
from jumok.engine.packing import Precision
from jumok.models.build import build_model
from jumok.models.cross_entropy import tiled_cross_entropy
from jumok.models.seq2seq import Seq2Seq
from jumok.run.folder import vocabulary_of, write_config
from jumok.shapes import BOS
from jumok.tasks.translation.model import load
from jumok.text.tokenizer import build_tokenizer
from jumok.training import teacher_forcing
from jumok.training.distributed import Processes
from jumok.training.learner import Learner
from jumok.training.sequence_objective import SequenceObjective
from peer_training import OURS, SHARED

WORDS, SIZE = 2000, 256
SENTENCES, LENGTH = 16, 15
STEP_SENTENCES = 48  # fewer would time Python
# Of the output layer alone: the plain logits are 35 MB, which the system allocates again each time, as for a real
# batch. (Fewer rows are sometimes kept by the process and sometimes not.)
ROWS, OUTPUT_SIZE, OUTPUT_WORDS = 1100, 128, 8000
# Abstracts and titles: words of a text and of a summary.
COPY_TEXTS, COPY_LENGTHS, COPY_WORDS = 16, (120, 14), 8000
SUMMARISER = ("model.preset=luong", "model.embedding=192", "model.encoder.size=192", "model.decoder.size=192")
SECONDS, TIMES_MADE, LEAST_ROUNDS = 4.2, 3, 4
# Our time over the fixed computation's: the lowest and the highest median that were seen (some 15 processes, while
# none to five other programs shared the two cores; the pointer's: five processes beside some fifteen others).
USUAL = {
    "train rnn": (0.71, 0.81),
    "train transformer": (0.79, 0.90),
    "output layer": (0.47, 0.51),
    "step rnn": (1.16, 1.35),
    "engine": (0.83, 0.98),
    "engine beam int8": (0.24, 0.27),
    "train pointer": (1.02, 1.03),
    "step pointer": (1.19, 1.19),
}
# 1.25 to 1.3 times the highest; a path that takes half as long again is beyond its bound even from the lowest. Much of
# what the output layer gains is that fresh memory is expensive: a machine where it is cheap needs another bound. The
# head that copies may cost a fifth of the speed, in training and in a search, on every machine.
BOUNDS = {
    "train rnn": 1.03,
    "train transformer": 1.1,
    "output layer": 0.65,
    "step rnn": 1.69,
    "engine": 1.23,
    "engine beam int8": 0.34,
    "train pointer": 1.25,
    "step pointer": 1.25,
}

# Another processor has other ratios (torch's and numpy's products use wider registers where there are such): there,
# only a path that takes longer than this is noticed. (With AVX-512, in the order below: 0.70–0.79, 0.77–0.78, 0.41,
# 1.48–1.56, 0.77–0.83 and 0.24–0.26.)
ELSEWHERE = {
    "train rnn": 1.2,
    "train transformer": 1.1,
    "output layer": 0.75,
    "step rnn": 1.8,
    "engine": 1.3,
    "engine beam int8": 0.42,
    "train pointer": 1.25,
    "step pointer": 1.25,
}

Work = Callable[[], object]
Case = tuple[Work, Work]


@dataclass(frozen=True)
class Verdict:
    """One comparison."""

    name: str
    ratio: float
    bound: float
    rounds: int
    tries: int = 1

    @property
    def passed(self) -> bool:
        """Whether we are as fast as we should be."""
        return self.ratio <= self.bound


# ---------------------------------------------------------------- what is compared: ours, and the fixed computation


def example(sentences: int) -> Batch:
    """Sentences of one length, the same each time."""
    rows = np.random.default_rng(1).integers(4, WORDS, (2, sentences, LENGTH))
    return Batch.of(list(rows[0]), list(rows[1]), range(sentences))


def train(kind: str) -> Case:
    """One step of learning, beside the loop that a person writes."""
    torch.manual_seed(1)
    batch, config = example(SENTENCES), resolve({}, [*OURS[kind], *SHARED])
    model, plain = build_model(config.model, WORDS, WORDS), plain_loop.MODELS[kind](WORDS)
    objective = SequenceObjective(0.1, teacher_forcing.parse("always"))
    learner = Learner.of_model(model, objective, config.train, torch.device("cpu"), "float32", Processes(), 1)
    adam = torch.optim.Adam(plain.parameters(), lr=1e-3)
    return (
        lambda: learner.apply(learner.step([batch], batch.target_tokens, 0.0)),
        lambda: plain_loop.plain_step(plain, adam, batch),
    )


def output_layer() -> Case:
    """Product, loss and gradients of the output layer, beside logits and `cross_entropy`."""
    torch.manual_seed(1)
    rows_1ND = torch.randn(1, ROWS, OUTPUT_SIZE, requires_grad=True)
    weight_VD = (torch.randn(OUTPUT_WORDS, OUTPUT_SIZE) / 16).requires_grad_()
    bias_V = torch.zeros(OUTPUT_WORDS, requires_grad=True)
    target_1N = torch.randint(4, OUTPUT_WORDS, (1, ROWS))

    def ours() -> None:
        total = tiled_cross_entropy(rows_1ND, weight_VD, bias_V, target_1N, 0.1).total
        torch.autograd.grad(total, (rows_1ND, weight_VD, bias_V))

    def fixed() -> None:
        logits_NV = F.linear(rows_1ND[0], weight_VD, bias_V)
        total = F.cross_entropy(logits_NV, target_1N[0], reduction="sum", label_smoothing=0.1)
        torch.autograd.grad(total, (rows_1ND, weight_VD, bias_V))

    return ours, fixed


def step() -> Case:
    """A greedy translation with torch, beside as much work by the fixed computation, which is given its words."""
    torch.manual_seed(1)
    batch = example(STEP_SENTENCES)
    model = build_model(resolve({}, [*OURS["rnn"], *SHARED]).model, WORDS, WORDS).eval()
    plain = plain_loop.MODELS["rnn"](WORDS).eval()

    @torch.no_grad()
    def fixed() -> None:
        plain(batch.source_BS, batch.source_mask_BS, batch.target_in_BT)

    return partial(greedy_words, model, batch, LENGTH), fixed


def copying(keys: Sequence[str] = ()) -> tuple[Seq2Seq, Batch]:
    """A model that summarises, and texts with summaries."""
    torch.manual_seed(1)
    config = resolve({"task": "summarisation"}, [*SUMMARISER, *keys])
    rows = [np.random.default_rng(1).integers(4, COPY_WORDS, (COPY_TEXTS, size)) for size in COPY_LENGTHS]
    assert isinstance(config, SequenceConfig)
    model = build_model(config.model, COPY_WORDS, COPY_WORDS)
    return model, Batch.of(list(rows[0]), list(rows[1]), range(COPY_TEXTS))


def train_pointer() -> Case:
    """One step of learning with the head that copies, beside one of the same model without it."""

    def work(*keys: str) -> Work:
        model, batch = copying(keys)
        objective = SequenceObjective(0.1, teacher_forcing.parse("always"))
        settings = resolve({"task": "summarisation"}, []).train
        learner = Learner.of_model(model, objective, settings, torch.device("cpu"), "float32", Processes(), 1)
        return lambda: learner.apply(learner.step([batch], batch.target_tokens, 0.0))

    return work(), work("model.head.kind=linear")


def step_pointer() -> Case:
    """A greedy search with the head that copies, beside one of the same model without it."""

    def work(*keys: str) -> Work:
        model, batch = copying(keys)
        return partial(greedy_words, model.eval(), batch, COPY_LENGTHS[1])

    return work(), work("model.head.kind=linear")


@torch.no_grad()
def greedy_words(model: Seq2Seq, batch: Batch, length: int) -> None:
    """Writes so many words for each text."""
    state = model.init_state(model.encode(batch.source))
    words = torch.full((len(batch),), BOS)
    for _ in range(length):
        output, state = model.step(words, state)
        words = output.logits_BV.argmax(-1)


def engine(beam: int, precision: Precision) -> Case:
    """The compiled engine from text to text, beside a greedy search in numpy over as many rows."""
    library()  # where it cannot be had, nothing else is needed
    words = [f"w{number}" for number in range(WORDS)]
    source_BS = np.random.default_rng(1).integers(0, WORDS, (SENTENCES // beam, LENGTH))
    lines = [" ".join(words[number] for number in row) for row in source_BS]
    with tempfile.TemporaryDirectory() as folder:
        write_untrained(Path(folder), words)
        translator = load(folder, engine="fast", precision=precision)
    options = Options(beam=beam, min_length=LENGTH, max_length=LENGTH)
    return lambda: translator.translate(lines, options=options), NumpySearch(source_BS.repeat(beam, 0))


def write_untrained(run: Path, words: Sequence[str]) -> None:
    """A run folder with a model that has learned nothing."""
    torch.manual_seed(1)
    config, tokenizer = resolve({}, ["model.preset=rnnsearch"]), build_tokenizer("words", words)
    for side in ("source", "target"):
        tokenizer.save(run, side)
    write_config(run, config, vocabulary_of(tokenizer, tokenizer))
    model = build_model(config.model, tokenizer.size, tokenizer.size)
    save_file({name: value.contiguous() for name, value in model.state_dict().items()}, run / "model.safetensors")


class NumpySearch:
    """A greedy search as one writes it with numpy: a GRU reads each way, another writes with additive attention."""

    def __init__(self, source_BS: Any) -> None:
        draw = np.random.default_rng(2)

        def matrix(*shape: int) -> Any:
            return (draw.standard_normal(shape) / 16).astype(np.float32)

        self.source_BS, half = source_BS, SIZE // 2
        self.embedding, self.output = matrix(WORDS, SIZE), matrix(SIZE, WORDS)
        self.there = (matrix(SIZE, 3 * half), matrix(half, 3 * half))
        self.back = (matrix(SIZE, 3 * half), matrix(half, 3 * half))
        self.writer = (matrix(2 * SIZE, 3 * SIZE), matrix(SIZE, 3 * SIZE))
        self.W_q, self.W_k, self.v = matrix(SIZE, SIZE), matrix(SIZE, SIZE), matrix(SIZE)

    def __call__(self) -> Any:
        vectors_BSD = self.embedding[self.source_BS]
        back_BSD = self.read(vectors_BSD[:, ::-1], *self.back)[:, ::-1]
        memory_BSD = np.concatenate([self.read(vectors_BSD, *self.there), back_BSD], -1)
        keys_BSK = memory_BSD @ self.W_k
        state, words = memory_BSD[:, -1], np.full(len(memory_BSD), BOS)
        for _ in range(LENGTH):
            scores_BS = np.tanh((state @ self.W_q)[:, None] + keys_BSK) @ self.v
            weights_BS = np.exp(scores_BS - scores_BS.max(-1, keepdims=True))
            weights_BS /= weights_BS.sum(-1, keepdims=True)
            context = (weights_BS[:, None] @ memory_BSD)[:, 0]
            state = gru(np.concatenate([self.embedding[words], context], -1), state, *self.writer)
            words = (state @ self.output).argmax(-1)
        return words

    def read(self, vectors_BSD: Any, W: Any, U: Any) -> Any:
        """The states of one direction."""
        state, states = np.zeros((len(vectors_BSD), len(U)), np.float32), []
        for t in range(vectors_BSD.shape[1]):
            state = gru(vectors_BSD[:, t], state, W, U)
            states.append(state)
        return np.stack(states, 1)


def gru(x: Any, h: Any, W: Any, U: Any) -> Any:
    """The next state."""
    x_r, x_z, x_n = np.split(x @ W, 3, -1)
    h_r, h_z, h_n = np.split(h @ U, 3, -1)
    r, z = 1 / (1 + np.exp(-x_r - h_r)), 1 / (1 + np.exp(-x_z - h_z))
    return (1 - z) * np.tanh(x_n + r * h_n) + z * h


CASES: dict[str, Callable[[], Case]] = {
    "train rnn": partial(train, "rnn"),
    "train transformer": partial(train, "transformer"),
    "output layer": output_layer,
    "step rnn": step,
    "train pointer": train_pointer,
    "step pointer": step_pointer,
    "engine": partial(engine, 1, "float32"),
    "engine beam int8": partial(engine, 5, "int8"),
}

# ---------------------------------------------------------------- comparing


def compare(name: str, make: Callable[[], Case], seconds: float) -> Verdict:
    """The median of the ratios of many rounds; made several times, because a place in memory may be a lucky one."""
    ratios: list[float] = []
    for _ in range(TIMES_MADE):
        ratios += measure(*make(), seconds / TIMES_MADE)
    return Verdict(name, statistics.median(ratios), bounds()[name], len(ratios))


def bounds() -> dict[str, float]:
    """Those of a processor of the kind that was measured, AMD's without AVX-512; or those of all others."""
    about = Path("/proc/cpuinfo")
    told = about.read_text(encoding="utf-8") if about.is_file() else ""
    return BOUNDS if "AuthenticAMD" in told and "avx2" in told and "avx512" not in told else ELSEWHERE


def measure(ours: Work, fixed: Work, seconds: float) -> list[float]:
    """The ratios of rounds in which each goes first in turn."""
    works, ratios = (ours, fixed), []
    for work in works:
        work()
    begin = time.thread_time()
    while len(ratios) < LEAST_ROUNDS or time.thread_time() - begin < seconds:
        spent = [0.0, 0.0]
        for place in (0, 1) if len(ratios) % 2 else (1, 0):
            start = time.thread_time()
            works[place]()
            spent[place] = time.thread_time() - start
        ratios.append(spent[0] / spent[1])
    return ratios


def slowed(work: Work, times: float) -> Work:
    """The same work, taking so many times as long."""

    def slow() -> None:
        start = time.thread_time()
        work()
        end = start + times * (time.thread_time() - start)
        while time.thread_time() < end:
            pass

    return slow


def judge(name: str, slower: float) -> Verdict:
    """One comparison."""

    def make() -> Case:
        ours, fixed = CASES[name]()
        return slowed(ours, slower) if slower > 1 else ours, fixed

    return compare(name, make, SECONDS)


def verdicts(names: Sequence[str], slower: float = 1.0) -> list[Verdict]:
    """Every comparison, with one thread. What fails is tried again after all others: a neighbour may have left."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        found = {name: judge(name, slower) for name in names}
        for name in [name for name in names if not found[name].passed]:
            second = judge(name, slower)
            ratio = min(found[name].ratio, second.ratio)
            found[name] = Verdict(name, ratio, second.bound, second.rounds, tries=2)
        return list(found.values())
    finally:
        torch.set_num_threads(threads)


def why_no_engine() -> str | None:
    """Why the compiled engine cannot be had here, or None where it can."""
    try:
        library()
    except NoEngineError as error:
        return str(error)
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--only", nargs="*", choices=tuple(CASES), default=list(CASES), metavar="NAME")
    parser.add_argument("--slower", type=float, default=1.0, metavar="TIMES", help="make our path slower, as a proof")
    given = parser.parse_args()
    names = given.only
    if reason := why_no_engine():
        print(f"The engine is not compared: {reason}.", file=sys.stderr)
        names = [name for name in names if not name.startswith("engine")]
    found = verdicts(names, given.slower)
    if given.json:
        print(json.dumps([asdict(verdict) | {"passed": verdict.passed} for verdict in found], indent=1))
    else:
        for one in found:
            word = "ok" if one.passed else "TOO SLOW"
            said = f"{one.ratio:.2f} of the fixed computation in {one.rounds} rounds, at most {one.bound:.2f}: {word}"
            print(f"{one.name:18s} {said}{' (two tries)' if one.tries > 1 else ''}")
    return 0 if all(one.passed for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
