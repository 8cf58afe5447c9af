"""The text that every toolkit trains on: sentence pairs cut into the same pieces, and one vocabulary for both sides."""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

from jumok.data.phrasebook import generate
from jumok.text.tokenizer import build_tokenizer

VOCABULARY = 8000
PHRASES = 20_000
LONGEST = 100


@dataclass(frozen=True)
class Text:
    """A folder with `train.src` and `train.tgt` (pieces), `train.src.ids` and `train.tgt.ids`, and `vocab.txt`."""

    folder: Path
    name: str
    size: int
    """Ids in the vocabulary."""
    ratio: float
    """Source tokens for each target token."""

    def ids(self) -> list[tuple[list[int], list[int]]]:
        """The pairs as ids, without BOS and EOS."""
        sides = [(self.folder / f"train.{side}.ids").read_text().splitlines() for side in ("src", "tgt")]
        return [([*map(int, one.split())], [*map(int, other.split())]) for one, other in zip(*sides, strict=True)]


def prepare(data: Path | None, out: Path) -> Text:
    """The text of a Multi30k folder (English to German), or the phrasebook's (English to Korean), made once."""
    name = "phrasebook" if data is None else data.name
    folder = out / f"text-{name}"
    about = folder / "about.json"
    if not about.is_file():
        _write(folder, pairs_of(data))
    facts = json.loads(about.read_text(encoding="utf-8"))
    return Text(folder, name, facts["size"], facts["ratio"])


def pairs_of(data: Path | None) -> list[tuple[str, str]]:
    """Raw sentence pairs."""
    if data is None:
        return [(pair.source, pair.target) for pair in generate(pair="en-ko", split="train", size=PHRASES)]
    sides: list[list[str]] = []
    for language in ("en", "de"):
        with gzip.open(data / f"train.{language}.gz", "rt", encoding="utf-8") as file:
            sides.append([line.strip() for line in file])
    return list(zip(*sides, strict=True))


def _write(folder: Path, pairs: list[tuple[str, str]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [line for pair in pairs for line in pair]
    words = len({word for line in lines for word in line.split()})
    tokenizer = build_tokenizer("bpe", lines, size=VOCABULARY if words > VOCABULARY else None)
    encoded = [(tokenizer.encode(one), tokenizer.encode(other)) for one, other in pairs]
    encoded = [pair for pair in encoded if all(0 < len(side) <= LONGEST for side in pair)]
    for place, side in enumerate(("src", "tgt")):
        rows = [pair[place] for pair in encoded]
        pieces = [" ".join(tokenizer.token(number) for number in row) for row in rows]
        (folder / f"train.{side}").write_text("\n".join(pieces) + "\n", encoding="utf-8")
        (folder / f"train.{side}.ids").write_text("\n".join(" ".join(map(str, row)) for row in rows) + "\n")
    ordinary = [tokenizer.token(number) for number in range(4, tokenizer.size)]
    (folder / "vocab.txt").write_text("\n".join(f"{piece}\t1" for piece in ordinary) + "\n", encoding="utf-8")
    counts = [sum(len(pair[place]) + 1 for pair in encoded) for place in (0, 1)]
    facts = {"size": tokenizer.size, "ratio": counts[0] / counts[1], "pairs": len(encoded)}
    (folder / "about.json").write_text(json.dumps(facts), encoding="utf-8")
