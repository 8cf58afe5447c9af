"""Seeds by a stable hash: the same parts give the same number in every process, on every machine."""

from hashlib import blake2b


def stable_seed(*parts: int | str) -> int:
    """A 64-bit number that depends on the parts and on nothing else (Python's own `hash` changes with the
    run).

    Segmentation of a sentence is seeded with `stable_seed(run_seed, epoch, sentence, side)`.
    """
    text = "\x1f".join(f"{type(part).__name__[0]}{part}" for part in parts)
    return int.from_bytes(blake2b(text.encode("utf-8"), digest_size=8).digest(), "little")
