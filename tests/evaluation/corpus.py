"""A small corpus with translations of different quality, made from a seed."""

import random

WORDS = "the a red old house tree sees finds likes very often near under small bird child river".split()  # noqa: SIM905


def references(size: int = 61, seed: int = 7) -> list[str]:
    chance = random.Random(seed)
    return [" ".join(chance.choices(WORDS, k=chance.randint(3, 23))).capitalize() + " ." for _ in range(size)]


def spoiled(lines: list[str], rate: float, seed: int) -> list[str]:
    """Each word is lost, or replaced, with the given rate."""
    chance = random.Random(seed)

    def word(given: str) -> str:
        if chance.random() >= rate:
            return given
        return chance.choice([*WORDS, ""])

    return [" ".join(filter(None, map(word, line.split()))) for line in lines]
