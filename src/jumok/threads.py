"""How many threads a computation uses, and how they wait for each other.

Both are about the neighbours: a program that shares its cores should lose no more than the others' fair share.
"""

import os
from collections.abc import Generator, Mapping, MutableMapping
from contextlib import contextmanager

# Each of these says how long an OpenMP thread spins: to OpenMP in general, to GNU's library and to LLVM's.
WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
# How many times as fast two threads are as one, on two cores (`benchmarks/load.py` measures it); decoding over torch
# from this size of the decoder on.
GAINED_BY_TWO: Mapping[str, float] = {"aligner": 1.12, "decoding 0": 0.7, "decoding 256": 1.0, "decoding 512": 1.31}
DECODER_SIZES = (512, 256, 0)
# A second thread that gains less takes more from its neighbours than it gives to us.
WORTH_A_SECOND = 1.15


def wait_passively(environment: MutableMapping[str, str] = os.environ) -> None:
    """Lets OpenMP threads sleep while they wait for each other, unless the user chose how they wait.

    GNU's OpenMP, which torch brings along on Linux, spins for about 3 ms at each meeting of its threads otherwise: time
    that a thread of ours would have used, had another program not been given its core. It reads the variable once, when
    torch is imported, so this comes first. Processes that we start inherit it.
    """
    if not any(name in environment for name in WAITING):
        environment["OMP_WAIT_POLICY"] = "PASSIVE"


def threads_for(work: str, asked: int, present: int) -> int:
    """The threads that the user asked for; if none (0), one where a second gains too little, else all present."""
    if asked:
        return asked
    return present if GAINED_BY_TWO[work] >= WORTH_A_SECOND else 1


def threads_for_decoding(size: int, asked: int, present: int) -> int:
    """The threads for a decoder of a size over torch: small products are done before a second thread has woken up."""
    measured = next(least for least in DECODER_SIZES if size >= least)
    return threads_for(f"decoding {measured}", asked, present)


@contextmanager
def torch_threads(count: int) -> Generator[None]:
    """So many threads in torch's operations inside, as many as before afterwards."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
