"""Translation beside the peers: our engine with a recurrent model, CTranslate2 with a Transformer, on the same lines.

    python benchmarks/peer_translation.py [--quick] [--data FOLDER] [--run RUN --transformer RUN] [--json]

Text in, text out, with the same tokenizers for all. Every system gets what suits it best: 2 workers of 1 thread for
batches, 1 thread for one sentence at a time; where ours uses its shortlist, CTranslate2 gets the same as its `vmap`.
Systems take turns, `--rounds` times; a table shows medians and spreads, and each ratio is of one round. MarianMT takes
part where an environment in out/peers/huggingface has torch and transformers. Without `--run` and `--transformer`
two small models are trained first, on the phrasebook or on the Multi30k of `--data` (en→de), and kept under out/.
"""

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "out" / "peers" / "translation"
TRANSFORMER = (
    "model.preset=transformer", "model.encoder.layers=4", "model.decoder.layers=4", "model.encoder.size=128",
    "model.decoder.size=128", "model.encoder.ff=256", "model.decoder.ff=256", "model.encoder.heads=4",
    "model.decoder.heads=4",
)  # fmt: skip
RNN = ("model.preset=rnnsearch",)
MULTI30K = (
    "data.source=train.en.gz", "data.target=train.de.gz", "data.dev_source=val.en.gz", "data.dev_target=val.de.gz",
    "text.kind=bpe", "text.size=8000", "text.joint=true", "model.tie_source=true", "train.batch_tokens=4096",
)  # fmt: skip
BATCH = 32
PARTS = ("speed", "start", "growth")
Translate = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True)
class System:
    """Something that translates lines; `workers` is 2 for batches, 1 for a sentence at a time."""

    name: str
    model: str
    make: Callable[[int, int], Translate]
    """From beam and workers."""


@dataclass
class Measured:
    """One system at one beam."""

    system: str
    model: str
    beam: int
    bleu: float = 0.0
    per_second: list[float] = field(default_factory=list)
    latency_ms: list[float] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            **vars(self),
            "sentences_per_second": statistics.median(self.per_second),
            "median_latency_ms": statistics.median(self.latency_ms) if self.latency_ms else None,
        }


# ------------------------------------------------------------ lines and models


def test_lines(data: Path | None, count: int) -> tuple[list[str], list[str]]:
    """Sources and references: the phrasebook's test split, or Multi30k's test_2016 in a folder."""
    if data is None:
        from jumok.data.phrasebook import generate

        examples = list(generate("en-ko", "test", count))
        return [one.source for one in examples], [one.target for one in examples]
    sides = []
    for side in ("en", "de"):
        with gzip.open(data / f"test_2016_flickr.{side}.gz", "rt", encoding="utf-8") as file:
            sides.append([line.strip() for line in file][:count])
    return sides[0], sides[1]


def trained(name: str, overrides: Sequence[str], steps: int, data: Path | None) -> Path:
    """A small model of the phrasebook or of Multi30k, trained once."""
    folder = OUT / f"{name}-{'phrasebook' if data is None else 'multi30k'}-{steps}"
    if data is not None:
        overrides = (*overrides, f"data.folder={data}", *MULTI30K)
    if not (folder / "model.safetensors").is_file():
        command = [sys.executable, "-m", "jumok", "train", "--out", str(folder), *overrides]
        command += [f"train.max_steps={steps}", "train.validate_size=100", f"train.validate_every={steps}"]
        subprocess.run(command, check=True, stdout=sys.stderr)
    return folder


def prepare(run: Path, transformer: Path) -> dict[str, Path]:
    """Shortlists for both runs, and the Transformer in CTranslate2 in both precisions."""
    from jumok.engine.ctranslate2 import export

    for folder in (run, transformer):
        if not (folder / "shortlist.npz").is_file():
            subprocess.run([sys.executable, "-m", "jumok", "shortlist", str(folder)], check=True)
    places = {}
    for precision in ("float32", "int8"):
        places[precision] = OUT / f"{transformer.resolve().name}-ct2-{precision}"
        export(transformer, places[precision], quantization=precision)
    return places


# ------------------------------------------------------------ systems


def ours(run: Path, precision: str, shortlist: bool) -> System:
    """Our engine."""

    def make(beam: int, workers: int) -> Translate:
        from jumok.decoding.options import Options
        from jumok.engine.loading import load

        translator = load(run, engine="fast", precision=precision, shortlist=shortlist, workers=workers)
        options = Options(beam=beam, alignment=False)
        return lambda lines: [one.text for one in translator.translate(list(lines), options=options)]

    words = " + shortlist" if shortlist else ""
    return System(f"jumok fast {precision}{words}", run.name, make)


def plain(run: Path) -> System:
    """The readable decoder over torch."""

    def make(beam: int, workers: int) -> Translate:
        import torch

        from jumok.decoding.options import Options
        from jumok.decoding.translator import load

        torch.set_num_threads(workers)
        translator = load(run)
        options = Options(beam=beam, alignment=False)
        return lambda lines: [one.text for one in translator.translate(list(lines), options=options)]

    return System("jumok torch", run.name, make)


def ctranslate2(run: Path, place: Path, precision: str, shortlist: bool) -> System:
    """CTranslate2 as its own documentation uses it: tokens in, tokens out, batches sorted by it."""

    def make(beam: int, workers: int) -> Translate:
        import ctranslate2 as library

        from jumok.engine.ctranslate2 import names_of
        from jumok.engine.weights import load_parts

        parts = load_parts(run)
        names, written = names_of(parts.source_tokenizer), names_of(parts.target_tokenizer)
        ids = {name: token for token, name in enumerate(written)}
        engine = library.Translator(str(place), inter_threads=workers, intra_threads=1, compute_type=precision)

        def translate(lines: Sequence[str]) -> list[str]:
            tokens = [[names[token] for token in parts.source_tokenizer.encode(line)] for line in lines]
            found = engine.translate_batch(
                tokens, beam_size=beam, max_batch_size=BATCH, use_vmap=shortlist, max_decoding_length=100
            )
            return [parts.target_tokenizer.decode([ids[token] for token in one.hypotheses[0]]) for one in found]

        return translate

    words = " + vmap" if shortlist else ""
    return System(f"CTranslate2 {precision}{words}", run.name, make)


def marian(transformer: Path, beam: int, lines: Sequence[str], alone: int) -> Measured | None:
    """MarianMT of the Transformer's size where out/peers/huggingface has it: random weights, the same steps."""
    python = OUT.parent / "huggingface" / "bin" / "python"
    if not python.is_file():
        return None
    from jumok.decoding.options import Options
    from jumok.decoding.translator import load

    translator = load(transformer)
    found = translator.translate(list(lines), options=Options(beam=1, alignment=False))
    side = translator.run.config.model.decoder
    words = max(translator.run.source_tokenizer.size, translator.run.target_tokenizer.size)
    sizes = {"words": words, "size": side.size, "layers": side.layers, "heads": side.heads, "ff": side.ff}
    asked = {
        "sizes": sizes, "sources": [list(one.source_ids) for one in found], "beam": beam, "threads": 2, "alone": alone,
        "lengths": [len(one.ids) + 1 for one in found],
    }  # fmt: skip
    command = [str(python), str(HERE / "marian_speed.py")]
    done = subprocess.run(command, input=json.dumps(asked), text=True, check=True, capture_output=True)
    row = json.loads(done.stdout.splitlines()[-1])
    name = "Hugging Face MarianMT, random weights"
    return Measured(name, transformer.name, beam, float("nan"), [row["per_second"]], [row["latency_ms"]])


# ------------------------------------------------------------ measuring


def bleu(found: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU."""
    from jumok.evaluation.metrics import MetricOptions, score_metric

    return score_metric("bleu", list(found), list(references), MetricOptions()).value


def speeds(
    systems: Sequence[System], beam: int, lines: Sequence[str], references: Sequence[str], rounds: int, alone: int
) -> list[Measured]:
    """Sentences a second in batches, and the latency of single sentences; the systems take turns."""
    measured = [Measured(system.name, system.model, beam) for system in systems]
    ready = [system.make(beam, 2) for system in systems]
    for one, translate in zip(measured, ready, strict=True):
        one.bleu = bleu(translate(lines), references)  # the first pass also warms up
    for _ in range(rounds):
        for one, translate in zip(measured, ready, strict=True):
            start = time.perf_counter()
            translate(lines)
            one.per_second.append(len(lines) / (time.perf_counter() - start))
    for one, system in zip(measured, systems, strict=True):
        translate = system.make(beam, 1)
        for line in lines[:alone]:
            translate([line])
        for line in lines[:alone]:
            start = time.perf_counter()
            translate([line])
            one.latency_ms.append(1000 * (time.perf_counter() - start))
    return measured


def seconds(command: Sequence[str], stdin: str = "", times: int = 5) -> float:
    """The shortest of several starts of a command, until it has ended."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, input=stdin, text=True, check=True, capture_output=True)
        best = min(best, time.perf_counter() - start)
    return best


def cold_start(run: Path, line: str, times: int) -> dict[str, float]:
    """From the start of the command to its end with one line translated, beside `import torch` alone."""
    jumok = [sys.executable, "-m", "jumok"]
    return {
        "import torch": seconds([sys.executable, "-c", "import torch"], times=times),
        "jumok --help": seconds([*jumok, "--help"], times=times),
        "jumok translate": seconds([*jumok, "translate", str(run)], line + "\n", times),
        "jumok translate --engine torch": seconds(
            [*jumok, "translate", str(run), "--engine", "torch"], line + "\n", times
        ),
    }


def growth(run: Path, lines: Sequence[str], quick: bool) -> list[dict[str, Any]]:
    """Speed and peak memory over beam, sentence length and batch, each in a process of its own."""
    cases = [("beam", beam, {"beam": beam}) for beam in ((1, 5) if quick else (1, 2, 5, 10, 20))]
    cases += [("words", length, {"length": length}) for length in ((10, 40) if quick else (10, 20, 40, 80))]
    cases += [("batch", batch, {"batch": batch}) for batch in ((1, 64) if quick else (1, 4, 16, 64, 256))]
    rows = []
    for what, value, case in cases:
        command = [sys.executable, str(Path(__file__)), "--case", json.dumps({"run": str(run), **case})]
        done = subprocess.run(command, input="\n".join(lines), text=True, check=True, capture_output=True)
        rows.append({"over": what, "value": value, **json.loads(done.stdout)})
    return rows


def one_case(case: dict[str, Any], lines: list[str]) -> dict[str, float]:
    """What `growth` runs: greedy by default, all lines at once, one worker."""
    import resource

    from jumok.decoding.options import Options
    from jumok.engine.loading import load

    translator = load(case["run"], engine="fast")
    if length := case.get("length"):
        words = " ".join(lines).split()
        lines = [" ".join(words[n * length : (n + 1) * length]) for n in range(len(words) // length)][:100]
    batch, options = case.get("batch", len(lines)), Options(beam=case.get("beam", 1), alignment=False)
    translator.translate(lines[:batch], options=options)
    start = time.perf_counter()
    tokens = 0
    for first in range(0, len(lines), batch):
        tokens += sum(len(one.ids) for one in translator.translate(lines[first : first + batch], options=options))
    spent = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"sentences_per_second": len(lines) / spent, "tokens_per_second": tokens / spent, "peak_mb": peak}


def measure(options: Any) -> dict[str, Any]:
    """Everything, as JSON has it; options that the caller does not know have their defaults."""
    options = argparse.Namespace(**(vars(defaults()) | vars(options)))
    quick: bool = options.quick
    lines, references = test_lines(options.data, options.lines or (200 if quick else 1000))
    parts = options.parts or PARTS
    run = options.run or trained("rnn", RNN, 100 if quick else 1500, options.data)
    transformer = options.transformer or trained("transformer", TRANSFORMER, 100 if quick else 2500, options.data)
    rows = all_speeds(options, run, transformer, lines, references) if "speed" in parts else []
    return {
        "lines": len(lines),
        "systems": [row.as_dict() for row in rows],
        "ratios": ratios(rows),
        "cold_start_seconds": cold_start(run, lines[0], 2 if quick else 5) if "start" in parts else {},
        "growth": growth(run, lines[:200], quick) if "growth" in parts else [],
    }


def all_speeds(
    options: argparse.Namespace, run: Path, transformer: Path, lines: list[str], references: list[str]
) -> list[Measured]:
    """Every system, greedy and with a beam of 5."""
    quick: bool = options.quick
    places = prepare(run, transformer)
    systems = [
        ours(run, "float32", False),
        ours(run, "int8", True),
        ctranslate2(transformer, places["float32"], "float32", False),
        ctranslate2(transformer, places["int8"], "int8", False),
        ctranslate2(transformer, places["int8"], "int8", True),
    ]
    if not quick:
        systems.append(plain(run))
    rounds = options.rounds or (2 if quick else 5)
    rows: list[Measured] = []
    for beam in (1, 5):
        rows += speeds(systems, beam, lines, references, rounds, min(len(lines), 30 if quick else 200))
        peer = marian(transformer, beam, lines, 10 if quick else 50)
        rows += [peer] if peer else []
    return rows


def ratios(rows: Sequence[Measured]) -> list[dict[str, Any]]:
    """Our quickest against each CTranslate2, round by round."""
    found = []
    for beam in (1, 5):
        of_beam = [row for row in rows if row.beam == beam]
        mine = next((row for row in of_beam if row.system.startswith("jumok fast int8")), None)
        if mine is None:
            continue
        for peer in of_beam:
            if not peer.system.startswith("CTranslate2"):
                continue
            each = [a / b for a, b in zip(mine.per_second, peer.per_second, strict=True)]
            latency = statistics.median(peer.latency_ms) / statistics.median(mine.latency_ms)
            found.append(
                {
                    "beam": beam, "ours": mine.system, "peer": peer.system, "speed": statistics.median(each),
                    "least": min(each), "most": max(each), "latency": latency, "bleu": mine.bleu - peer.bleu,
                }
            )  # fmt: skip
    return found


def show(result: dict[str, Any]) -> None:
    """The result as tables."""
    print(f"{result['lines']} lines, text in, text out; 2 workers x 1 thread in batches, 1 thread for single sentences")
    print(f"{'':34}{'beam':>5}{'BLEU':>7}{'sentences/s':>13}{'spread':>16}{'one alone':>12}")
    for row in result["systems"]:
        spread = f"{min(row['per_second']):.0f}-{max(row['per_second']):.0f}"
        print(
            f"{row['system'] + ' (' + row['model'] + ')':34.34}{row['beam']:5}{row['bleu']:7.1f}"
            f"{row['sentences_per_second']:13.0f}{spread:>16}{row['median_latency_ms']:9.2f} ms"
        )
    for row in result["ratios"]:
        print(
            f"beam {row['beam']}: {row['ours']} / {row['peer']}: {row['speed']:.2f} x the sentences/s "
            f"({row['least']:.2f}-{row['most']:.2f}), {row['latency']:.2f} x as soon alone, BLEU {row['bleu']:+.1f}"
        )
    for name, value in result["cold_start_seconds"].items():
        print(f"{name}: {value:.2f} s")
    for row in result["growth"]:
        print(
            f"{row['over']} {row['value']}: {row['sentences_per_second']:.0f} sentences/s, "
            f"{row['tokens_per_second']:.0f} tokens/s, {row['peak_mb']:.0f} MB"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that are ours alone."""
    parser.add_argument("--run", type=Path, help="a recurrent run to translate with")
    parser.add_argument("--transformer", type=Path, help="a Transformer run to give to CTranslate2")
    parser.add_argument("--rounds", type=int, default=0, help="how often the systems take turns")
    parser.add_argument("--lines", type=int, default=0, help="test lines; 1,000 if not given")
    parser.add_argument("--parts", nargs="*", choices=PARTS, help="what is measured; all if not given")


def defaults() -> argparse.Namespace:
    """What is measured when nothing is said."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    parser.set_defaults(quick=False, data=None)
    return parser.parse_args([])


def main() -> None:
    """Runs on its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few lines and barely trained models")
    parser.add_argument("--data", type=Path, help="a folder with Multi30k")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    add_arguments(parser)
    options = parser.parse_args()
    if options.case:
        print(json.dumps(one_case(json.loads(options.case), sys.stdin.read().splitlines())))
        return
    result = measure(options)
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        show(result)


if __name__ == "__main__":
    main()
