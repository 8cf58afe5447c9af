"""A corpus translated on Ray Data: pieces of lines go to workers, each finished piece is a file, and files are joined.

A piece is written completely or not at all, under its number. So a worker that dies loses nothing that was finished and
doubles nothing when its piece is tried again, the order is that of the numbers, and a second start does only what is
missing. Run, corpus and output must be on a file system that all machines see.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import file_digest
from itertools import islice
from pathlib import Path
from typing import Any

from jumok.decoding.options import Options
from jumok.durable import digest, disk_errors, replace_file
from jumok.errors import InputError
from jumok.run.folder import describe
from jumok.run.integrity import run_hash

NOTE = "work.json"


@dataclass(frozen=True)
class Work:
    """A corpus to translate, and how."""

    run: str
    corpus: str
    parts: str
    """Folder of the finished pieces."""
    beam: int = 5
    lines: int = 500
    """Of a piece."""
    engine: str = "auto"
    precision: str = "float32"


def part_file(work: Work, number: int) -> Path:
    """Where a piece's translation is kept."""
    return Path(work.parts) / f"{number:08}.txt"


def lines_of(work: Work, start: int) -> list[str]:
    """The lines of the piece that begins at a byte of the corpus."""
    with Path(work.corpus).open("rb") as file:
        file.seek(start)
        return [line.decode("utf-8").rstrip("\r\n") for line in islice(file, work.lines)]


def pieces_of(work: Work) -> list[int]:
    """The byte at which each piece of the corpus begins."""
    starts, at = list[int](), 0
    with Path(work.corpus).open("rb") as file:
        for number, line in enumerate(file):
            if number % work.lines == 0:
                starts.append(at)
            at += len(line)
    return starts


class Worker:
    """A process of the cluster: the model loaded once, then piece after piece."""

    def __init__(self, work: Work) -> None:
        from jumok.decoding.translator import Translator
        from jumok.engine.loading import EngineChoice, open_engine

        self.work = work
        choice = EngineChoice(work.engine, work.precision, workers=1)  # type: ignore[arg-type]
        self.translator = Translator([open_engine(work.run, "cpu", choice)])

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Translates a piece and keeps it; gives its number."""
        lines = lines_of(self.work, int(row["start"]))
        found = self.translator.translate_stream(lines, Options(beam=self.work.beam))
        text = "".join(f"{one.text}\n" for one in found)
        replace_file(part_file(self.work, int(row["number"])), text.encode())
        return {"number": row["number"], "lines": len(lines)}


def check_work(work: Work, out: Path) -> None:
    """Refuses what would fail on every worker: no run, no corpus, no UTF-8, no place for the result."""
    describe(Path(work.run))
    if not Path(work.corpus).is_file():
        raise InputError(f"{work.corpus} is not a file; name a text with one sentence per line.")
    if not out.parent.is_dir():
        raise InputError(f"There is no folder {out.parent} to write {out.name} to; make it first.")
    with disk_errors(Path(work.corpus)), Path(work.corpus).open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                raise InputError(f"{work.corpus}, line {number} is not UTF-8; convert the file first.") from None


def claim(work: Work) -> None:
    """Makes the folder of the pieces, or refuses one with pieces of other work."""
    folder = Path(work.parts)
    with Path(work.corpus).open("rb") as file:
        corpus = file_digest(file, "sha256").hexdigest()
    told = {**asdict(work), "version": run_hash(Path(work.run)), "sha256": corpus}
    note = folder / NOTE
    if note.is_file() and note.read_text(encoding="utf-8", errors="replace") != json.dumps(told):
        raise InputError(f"{folder} has pieces of another run, corpus or setting; remove it or name another.")
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(note, json.dumps(told).encode())


def translate_corpus(work: Work, workers: int) -> Iterator[tuple[int, int]]:
    """Translates what is missing; yields how many pieces are done, and how many there are.

    work      the corpus, the run, and the folder of the pieces
    workers   processes of the cluster that translate
    """
    import ray.data  # pyright: ignore[reportMissingImports]

    claim(work)
    starts = pieces_of(work)
    missing = [
        {"number": number, "start": start}
        for number, start in enumerate(starts)
        if not part_file(work, number).is_file()
    ]
    done = len(starts) - len(missing)
    yield done, len(starts)
    if not missing:
        return
    ray.data.DataContext.get_current().enable_progress_bars = False
    rows = ray.data.from_items(missing, override_num_blocks=len(missing))
    compute = ray.data.ActorPoolStrategy(size=workers)
    for _ in rows.map(Worker, fn_constructor_args=(work,), compute=compute, num_cpus=1).iter_rows():
        done += 1
        yield done, len(starts)


def join(work: Work, out: Path) -> str:
    """Writes all pieces in order to one file; gives its hash."""
    parts: Sequence[Path] = [part_file(work, number) for number in range(len(pieces_of(work)))]
    content = b"".join(part.read_bytes() for part in parts)
    replace_file(out, content)
    return digest(content)


def remove_parts(work: Work) -> None:
    """Removes the pieces, once they are joined."""
    for part in [*(part_file(work, number) for number in range(len(pieces_of(work)))), Path(work.parts) / NOTE]:
        part.unlink(missing_ok=True)
    Path(work.parts).rmdir()
