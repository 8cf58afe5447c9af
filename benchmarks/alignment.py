"""Word alignment against gold links: the statistical aligner eflomal and ours, in one run, from the bitext alone.

    python benchmarks/alignment.py DATA/bible-grc-en
    python benchmarks/alignment.py DATA/bible-grc-en --ablate --neural 3000 --json

The folder's name ends in the two languages and it holds `test.<language>` for both and `test.gold` (Pharaoh), plain or
.gz. Gold links are read only after every aligner is done. eflomal is taken from the environment, or installed from
PyPI into a virtual environment inside the work folder (which needs a C compiler).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from jumok.aligner import AlignedBitext, Bitext, Settings, align_bitext, fit, mean_log_likelihood
from jumok.aligner.spelling import fold
from jumok.alignment import METHODS, AlignmentScore, Link, read_pharaoh, score_alignments, symmetrize, to_pharaoh
from jumok.alignment import transpose as turned
from jumok.data.lines import pair_lines

COMBINED = ("union", "intersection", "grow-diag", "grow-diag-final-and")
Pairs = list[tuple[str, str]]
Alignments = list[list[Link]]


@dataclass
class Result:
    """What an aligner found, by the way two directions were made into one, and how long it took."""

    name: str
    seconds: float
    links: dict[str, Alignments] = field(repr=False)
    cpu_seconds: float = 0.0
    note: str = ""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Clock:
    """Wall and CPU seconds (of this process and its children) since it was made."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.monotonic(), self._cpu()

    @staticmethod
    def _cpu() -> float:
        return sum(os.times()[:4])

    def read(self) -> tuple[float, float]:
        return time.monotonic() - self.wall, self._cpu() - self.cpu


def both_ways(forward: Alignments, backward: Alignments) -> dict[str, Alignments]:
    """Either direction and all combinations of both."""
    found = {"forward": forward, "backward": backward}
    for method in COMBINED:
        found[method] = [symmetrize(method, one, other) for one, other in zip(forward, backward, strict=True)]
    return found


# ---------------------------------------------------------------- eflomal


def eflomal_program(work: Path) -> Path:
    """`eflomal-align` of this environment, or of one made for it."""
    beside = Path(sys.executable).parent / "eflomal-align"
    if beside.exists():
        return beside
    if found := shutil.which("eflomal-align"):
        return Path(found)
    folder = work / "eflomal-venv"
    program = folder / ("Scripts" if os.name == "nt" else "bin") / "eflomal-align"
    if not program.exists():
        say("installing eflomal …")
        venv.create(folder, with_pip=True, clear=True)
        python = program.parent / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "eflomal"], check=True, stdout=sys.stderr)
    return program


def eflomal(name: str, pairs: Pairs, work: Path, options: list[str]) -> Result:
    """eflomal's links of the pairs in both directions."""
    program = eflomal_program(work)
    texts = [work / "eflomal.source", work / "eflomal.target"]
    links = [work / "eflomal.forward", work / "eflomal.backward"]
    for path, lines in zip(texts, zip(*pairs, strict=True), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [program, "--overwrite", "-s", texts[0], "-t", texts[1], "-f", links[0], "-r", links[1], *options]
    clock = Clock()
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(command, check=True, stdout=sys.stderr, stderr=subprocess.DEVNULL, env=environment)
    seconds, cpu = clock.read()
    forward, backward = ([sorted(line.sure) for line in read_pharaoh(path)] for path in links)
    return Result(name, seconds, both_ways(forward, backward), cpu)


def eflomal_runs(pairs: Pairs, work: Path, stems: bool) -> Iterator[Result]:
    """eflomal as it is, and with what helps an aligner of inflected words: folded letters, words cut to stems."""
    yield eflomal("eflomal", pairs, work, [])
    if stems:
        folded = [(folded_line(source), folded_line(target)) for source, target in pairs]
        yield eflomal("eflomal, folded text", folded, work, [])
        prefix = ["--source-prefix", "4", "--target-prefix", "4"]
        yield eflomal("eflomal, folded text, 4-letter stems", folded, work, prefix)


def folded_line(line: str) -> str:
    """The line in lower case without accents, as our aligner reads it."""
    return " ".join(fold(word) for word in line.split())


# ---------------------------------------------------------------- ours


def aligner(name: str, pairs: Pairs, settings: Settings) -> tuple[Result, AlignedBitext]:
    """Our aligner's links, and its attention."""
    clock = Clock()
    aligned = align_bitext(
        pairs,
        settings,
        lambda way, done: say(
            f"{name}, {way} {done.epoch}/{done.epochs}: {done.log_likelihood:.3f}, {done.seconds:.0f} s"
        ),
        threads=torch.get_num_threads(),
    )
    links = both_ways(aligned.forward_links, aligned.backward_links) | {"consensus": aligned.links()}
    return Result(name, clock.read()[0], links, clock.read()[1]), aligned


def ablations(pairs: Pairs, settings: Settings) -> Iterator[Result]:
    """The aligner without each of its ideas."""
    yield aligner("aligner, words without spelling", pairs, replace(settings, spelled=False))[0]
    yield aligner("aligner, punctuation like words", pairs, replace(settings, marks_apart=False))[0]
    yield aligner("aligner, no jumps (IBM model 1)", pairs, replace(settings, uniform_epochs=settings.epochs))[0]


# ---------------------------------------------------------------- translation models


# A few thousand verses: small models, few subwords, small batches; so many steps say how far each gets, on any machine.
SMALL = ["text.size=3000", "data.max_length=120", "data.held_out=200", "train.batch_tokens=1024", "train.warmup=200",
         "train.schedule=cosine", "train.validate_size=0", "train.validate_every=500", "train.pictures=0"]  # fmt: skip
SIDES = ("encoder", "decoder")
MODELS = {
    "rnnsearch": ["model.embedding=128", *[f"model.{side}.size=192" for side in SIDES], "train.learning_rate=0.003"],
    "transformer": [*[f"model.{side}.{key}" for side in SIDES for key in ("size=128", "layers=3", "heads=4", "ff=256")],
                    "train.learning_rate=0.003"],
}  # fmt: skip


def train(preset: str, files: tuple[Path, Path], folder: Path, steps: int, options: list[str]) -> None:
    """One direction of a translation model, for so many steps; one that was trained before is kept."""
    program = [sys.executable, "-m", "jumok", "train"]
    if (folder / "config.json").exists():
        program += ["--resume", str(folder), f"train.max_steps={steps}"]
    else:
        program += ["--source", str(files[0]), "--target", str(files[1]), "--out", str(folder)]
        program += [f"model.preset={preset}", f"train.max_steps={steps}", *SMALL, *MODELS[preset], *options]
    subprocess.run(program, check=True, stdout=sys.stderr)


def translation_model(
    name: str, preset: str, pairs: Pairs, work: Path, steps: int, teacher: Alignments | None = None
) -> Result:
    """The links in the attention of translation models of both directions; `teacher` links guide their attention."""
    import jumok

    clock = Clock()
    sides = (work / "train.source", work / "train.target")
    for path, lines in zip(sides, zip(*pairs, strict=True), strict=True):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    found: list[Alignments] = []
    for way, files in (("forward", sides), ("backward", sides[::-1])):
        options: list[str] = []
        if teacher is not None:
            lines = teacher if way == "forward" else [turned(links) for links in teacher]
            (work / "teacher").write_text("".join(f"{to_pharaoh(links)}\n" for links in lines), encoding="utf-8")
            options = [f"data.alignment={work / 'teacher'}", "train.guided_alignment=0.5"]
        folder = work / f"{preset}-{way}-{steps}{'-guided' if teacher is not None else ''}"
        train(preset, files, folder, steps, options)
        given = pairs if way == "forward" else [(target, source) for source, target in pairs]
        found.append([pair.links for pair in jumok.load(folder).align(given)])
    links = both_ways(found[0], [turned(one) for one in found[1]])
    return Result(name, clock.read()[0], links, clock.read()[1], f"{steps:,} steps per direction")


# ---------------------------------------------------------------- settings without gold


def tune(pairs: Pairs, settings: Settings) -> list[dict[str, object]]:
    """The likelihood of every 20th pair under aligners fitted to the others: how the default settings were chosen."""
    bitext = Bitext.of(pairs)
    held_out = range(0, len(bitext), 20)
    kept = [n for n in range(len(bitext)) if n % 20]
    rows: list[dict[str, object]] = []
    changes: list[dict[str, Any]] = [
        {},
        {"epochs": 3},
        {"epochs": 10},
        {"size": 48},
        {"learning_rate": 5e-3},
        {"learning_rate": 5e-3, "epochs": 12},
        {"size": 160},
        {"spelled": False},
    ]
    for change in changes:
        row: dict[str, object] = {"change": change}
        for way, text in (("forward", bitext), ("backward", bitext.reversed())):
            model = fit(text, replace(settings, **change), numbers=kept)
            row[way] = mean_log_likelihood(model, text, held_out)
        say(f"held out {change or 'default'}: {row['forward']:.3f} forward, {row['backward']:.3f} backward")
        rows.append(row)
    return rows


# ---------------------------------------------------------------- the table


def find_files(folder: Path, languages: str | None) -> tuple[Path, Path, Path]:
    """Source, target and gold of a folder such as bible-grc-en."""
    source, target = languages.split("-") if languages else folder.resolve().name.split("-")[-2:]
    found: list[Path] = []
    for name in (source, target, "gold"):
        choices = [folder / f"test.{name}", folder / f"test.{name}.gz"]
        found += [path for path in choices if path.exists()][:1] or [choices[1]]
    return found[0], found[1], found[2]


def table(results: list[Result], scores: dict[str, dict[str, AlignmentScore]]) -> str:
    """A Markdown table: a row for each aligner and way, the best way of each aligner in bold."""
    lines = ["| aligner | links | AER | precision | recall | wall s | CPU s |", "|---|---|---|---|---|---|---|"]
    for result in results:
        ways = scores[result.name]
        best = min(ways, key=lambda way: ways[way].aer)
        for way, score in ways.items():
            aer = f"**{score.aer:.3f}**" if way == best else f"{score.aer:.3f}"
            first = way == next(iter(ways))
            times = f"{result.seconds:.0f} | {result.cpu_seconds:.0f}" if first else " | "
            label = result.name + (f" ({result.note})" if result.note else "") if first else ""
            lines.append(f"| {label} | {way} | {aer} | {score.precision:.3f} | {score.recall:.3f} | {times} |")
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--languages", help="source-target, such as grc-en; the end of the folder's name if not given")
    parser.add_argument("--work", type=Path, default=Path("out/alignment"), help="folder for eflomal and runs")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stems", action="store_true", help="also eflomal on folded text and on stems")
    parser.add_argument("--ablate", action="store_true", help="also our aligner without each of its ideas")
    parser.add_argument("--neural", type=int, default=0, metavar="STEPS", help="also translation models, so many steps")
    parser.add_argument("--tune", action="store_true", help="only: held-out likelihood of other settings, no gold")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    torch.set_num_threads(given.threads)
    source, target, gold_file = find_files(given.folder, given.languages)
    pairs = pair_lines(source, target)
    settings = Settings(seed=given.seed)
    if given.tune:
        print(json.dumps(tune(pairs, settings), indent=1))
        return
    given.work.mkdir(parents=True, exist_ok=True)
    results = list(eflomal_runs(pairs, given.work, given.stems))
    ours, aligned = aligner("aligner", pairs, settings)
    results.append(ours)
    if given.ablate:
        results += ablations(pairs, settings)
    if given.neural:
        teacher = aligned.links()
        for preset in MODELS:
            results.append(translation_model(preset, preset, pairs, given.work, given.neural))
            name = f"{preset}, guided by our aligner"
            results.append(translation_model(name, preset, pairs, given.work, given.neural, teacher))
    gold = read_pharaoh(gold_file)
    scores = {
        result.name: {way: score_alignments(links, gold) for way, links in result.links.items()} for result in results
    }
    if given.json:
        rows = [
            {"aligner": r.name, "links": way, **asdict(score), "seconds": r.seconds, "cpu_seconds": r.cpu_seconds}
            for r in results
            for way, score in scores[r.name].items()
        ]
        print(json.dumps(rows, indent=1))
    else:
        print(table(results, scores))


if __name__ == "__main__":
    assert set(COMBINED) <= set(METHODS)
    main()
