"""How many threads a computation uses: a second one only where it gains enough to be worth taking a core for."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

# How many times as fast two threads are as one, on two cores; decoding over torch from this size of the decoder on.
# `benchmarks/load.py` measures the aligner and a small decoder.
GAINED_BY_TWO: Mapping[str, float] = {"aligner": 1.12, "decoding 0": 0.7, "decoding 256": 1.0, "decoding 512": 1.31}
DECODER_SIZES = (512, 256, 0)
# A second thread that gains less takes more from its neighbours than it gives to us.
WORTH_A_SECOND = 1.15


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
