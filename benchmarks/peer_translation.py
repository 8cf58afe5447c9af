"""Translation beside the peers: our engine with a recurrent model, the others with a Transformer, on the same lines.

    python benchmarks/peer_translation.py [--quick] [--data FOLDER] [--run RUN … --transformer RUN] [--json]

Text in, text out, with the same tokenizers for all. Every system gets what suits it best: 2 workers of 1 thread (or 2
threads) for batches, 1 thread for one sentence at a time; where ours uses its shortlist, CTranslate2 gets the same as
its `vmap`. Systems take turns, `--rounds` times; a table shows medians and spreads, and each ratio is of one round. A
ratio counts as of equal quality where BLEU differs by 0.3 at most. What cannot run is named with the reason.

CTranslate2 and OpenNMT-py run the Transformer's own weights. MarianMT knows post-norm Transformers only: it runs those
of `--post-norm RUN`, or random ones that write as many words. Without runs, small models are trained first, on the
phrasebook or on the Multi30k of `--data` (en→de), and kept under out/; on Multi30k the recurrent model also learns from
what the Transformer writes, so that the two are equally good. Runs that are given may be of another direction.
"""

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peer_engines import System, Translate, close, ctranslate2, jumok, marian, opennmt, ours, plain, through_ours
from peer_engines import whole_command as opennmt_command
from peer_environments import PEERS, Environment, environment

OUT = PEERS / "translation"
TRANSFORMER = (
    "model.preset=transformer", "model.encoder.layers=4", "model.decoder.layers=4", "model.encoder.size=128",
    "model.decoder.size=128", "model.encoder.ff=256", "model.decoder.ff=256", "model.encoder.heads=4",
    "model.decoder.heads=4", "model.encoder.positions=sinusoidal", "model.decoder.positions=sinusoidal",
)  # fmt: skip
POST_NORM = (
    *TRANSFORMER,
    "model.encoder.norm=post",
    "model.decoder.norm=post",
    "text.joint=true",
    "model.tie_source=true",
)
RNN = ("model.preset=rnnsearch",)
MULTI30K = (
    "data.source=train.en.gz", "data.target=train.de.gz", "data.dev_source=val.en.gz", "data.dev_target=val.de.gz",
    "text.kind=bpe", "text.size=8000", "text.joint=true", "model.tie_source=true", "model.dropout=0.15",
    "train.batch_tokens=1024", "train.learning_rate=0.003", "train.schedule=cosine", "train.warmup=500",
    "train.ema=0.999",
)  # fmt: skip
STEPS = {"phrasebook": 2500, "multi30k": 6000}
STUDENT_STEPS = 8000  # at 4,000 the recurrent model was 0.6 BLEU behind the Transformer, greedily
PARTS = ("speed", "start", "growth")
EQUAL = 0.3  # BLEU


@dataclass
class Measured:
    """One system at one beam; latencies are the medians of each round."""

    system: str
    model: str
    beam: int
    bleu: float | None = None
    per_second: list[float] = field(default_factory=list)
    latency_ms: list[float] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return {
            **vars(self),
            "sentences_per_second": statistics.median(self.per_second),
            "median_latency_ms": statistics.median(self.latency_ms) if self.latency_ms else None,
        }


@dataclass(frozen=True)
class Test:
    """What is translated, and what people wrote."""

    lines: list[str]
    references: list[str]
    lowercase: bool
    """Whether the models write lower case, and are scored so."""


# ------------------------------------------------------------ lines and models


def test_lines(data: Path | None, languages: tuple[str, str], count: int) -> tuple[list[str], list[str]]:
    """Sources and references: the phrasebook's test split, or Multi30k's test_2016 in a folder."""
    if data is None:
        from jumok.data.phrasebook import generate

        examples = list(generate("en-ko", "test", count))
        return [one.source for one in examples], [one.target for one in examples]
    sides = []
    for side in languages:
        with gzip.open(data / f"test_2016_flickr.{side}.gz", "rt", encoding="utf-8") as file:
            sides.append([line.strip() for line in file][:count])
    return sides[0], sides[1]


def text_of(run: Path | None) -> tuple[tuple[str, str], bool]:
    """The two languages of a run, and whether it writes lower case; English and German, cased, where none is given."""
    if run is None:
        return ("en", "de"), False
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    data = config["data"]
    return (data["source_language"] or "en", data["target_language"] or "de"), config["text"]["lowercase"]


def trained(name: str, overrides: Sequence[str], steps: int, data: Path | None) -> Path:
    """A small model of the phrasebook or of Multi30k's folder, trained once; an interrupted training is resumed."""
    folder = OUT / f"{name}-{'phrasebook' if data is None else 'multi30k'}-{steps}"
    if data is not None:
        overrides = (*overrides, f"data.folder={data}", *MULTI30K)
    if (folder / "config.json").is_file():
        jumok("train", "--resume", str(folder))
    else:
        settings = [f"train.max_steps={steps}", "train.validate_size=100", f"train.validate_every={steps}"]
        jumok("train", "--out", str(folder), *overrides, *settings)
    return folder


def trained_student(transformer: Path, data: Path, quick: bool) -> Path:
    """A recurrent model that is as good as the Transformer because it learns from it too (benchmarks/distil.py)."""
    from distil import distil

    text, steps = OUT / f"{transformer.resolve().name}-text", 100 if quick else STUDENT_STEPS
    if not quick and not (text / "train.de.gz").is_file():
        distil([transformer], data, text, source="en", target="de")
    sizes = ("model.encoder.size=256", "model.decoder.size=384", "model.decoder.attention_options.attention_dim=256")
    return trained("rnn", (*RNN, *sizes), steps, data if quick else text)


def prepare(runs: Sequence[Path], transformer: Path) -> dict[str, Path]:
    """Shortlists for the runs, and the Transformer in CTranslate2 in both precisions."""
    from jumok.engine.ctranslate2_export import export

    for folder in (*runs, transformer):
        if not (folder / "shortlist.npz").is_file():
            jumok("shortlist", str(folder))
    places = {}
    for precision in ("float32", "int8"):
        places[precision] = OUT / f"{transformer.resolve().name}-ct2-{precision}"
        export(transformer, places[precision], quantization=precision)
    return places


# ------------------------------------------------------------ measuring


def bleu(found: Sequence[str], references: Sequence[str], lowercase: bool) -> float:
    """Corpus BLEU."""
    from jumok.evaluation.metrics import MetricOptions, score_metric

    return score_metric("bleu", list(found), list(references), MetricOptions(lowercase=lowercase)).value


def speeds(
    systems: Sequence[System], beam: int, test: Test, rounds: int, alone: int
) -> tuple[list[Measured], dict[str, str]]:
    """Sentences a second in batches, and the latency of single sentences; the systems take turns. Also what failed."""
    lines, failed = test.lines, dict[str, str]()
    measured: list[Measured] = []
    ready: list[tuple[Translate, Translate]] = []
    for system in systems:
        try:
            both = (system.make(beam, 2), system.make(beam, 1))
            found = both[0](lines)  # the first pass also warms up
            both[1](lines[:1])
        except (OSError, ValueError, ImportError, RuntimeError, subprocess.SubprocessError) as error:
            failed[f"{system.name} ({system.model}), beam {beam}"] = str(error)[-500:]
            continue
        score = bleu(found, test.references, test.lowercase) if system.has_quality else None
        measured.append(Measured(system.name, system.model, beam, score))
        ready.append(both)
    for _ in range(rounds):
        for one, (translate, _) in zip(measured, ready, strict=True):
            start = time.perf_counter()
            translate(lines)
            one.per_second.append(len(lines) / (time.perf_counter() - start))
        for one, (_, translate) in zip(measured, ready, strict=True):
            one.latency_ms.append(1000 * latency(translate, lines[:alone]))
    for both in ready:
        for translate in both:
            close(translate)
    return measured, failed


def latency(translate: Translate, lines: Sequence[str]) -> float:
    """The median time of one sentence, alone; the first warms up."""
    translate(lines[:1])
    spent = []
    for line in lines:
        start = time.perf_counter()
        translate([line])
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


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
    from jumok.decoding.options import Options
    from jumok.tasks.translation.model import load

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
    # Not ru_maxrss: a process begins with that of the one it was forked from.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")) / 1024
    return {"sentences_per_second": len(lines) / spent, "tokens_per_second": tokens / spent, "peak_mb": peak}


def measure(options: Any) -> dict[str, Any]:
    """Everything, as JSON has it; options that the caller does not know have their defaults."""
    options = argparse.Namespace(**(vars(defaults()) | vars(options)))
    quick: bool = options.quick
    languages, lowercase = text_of(options.transformer or (options.run or [None])[0])
    test = Test(*test_lines(options.data, languages, options.lines or (200 if quick else 1000)), lowercase)
    parts = options.parts or PARTS
    if "speed" in parts:
        from jumok.engine.ctranslate2_export import library

        library()  # what is missing is said before models are trained
    steps = 100 if quick else STEPS["phrasebook" if options.data is None else "multi30k"]
    transformer = options.transformer
    if transformer is None and ("speed" in parts or options.run is None):
        transformer = trained("transformer", TRANSFORMER, steps, options.data)
    runs = options.run or [
        trained("rnn", RNN, 100 if quick else 1500, None)
        if options.data is None
        else trained_student(transformer, options.data, quick)
    ]
    result: dict[str, Any] = {"lines": len(test.lines), "systems": [], "ratios": [], "missing": {}}
    if "speed" in parts:
        result |= all_speeds(options, runs, transformer, steps, test)
    result["cold_start_seconds"] = cold_start(runs[0], test.lines[0], 2 if quick else 5) if "start" in parts else {}
    result["growth"] = growth(runs[0], test.lines[:200], quick) if "growth" in parts else []
    return result


def all_speeds(
    options: argparse.Namespace, runs: Sequence[Path], transformer: Path, steps: int, test: Test
) -> dict[str, Any]:
    """Every system, greedy and with a beam of 5; the ratios; and what could not be measured."""
    quick: bool = options.quick
    places = prepare(runs, transformer)
    systems = [system for run in runs for system in (ours(run, "float32", False), ours(run, "int8", True))]
    systems += [
        ctranslate2(transformer, places["float32"], "float32", False),
        ctranslate2(transformer, places["int8"], "int8", False),
        ctranslate2(transformer, places["int8"], "int8", True),
        through_ours(transformer, "int8"),
    ]
    if not quick:
        systems.append(plain(runs[0]))
    missing, peers = {}, {}
    wanted = options.only or ("opennmt", "huggingface")
    for name in ("opennmt", "huggingface"):
        peer = environment(name, not options.installed_only) if name in wanted else Environment(name, None, {}, "")
        if peer.python is not None:
            peers[name] = peer
            systems.append(
                opennmt(peer, transformer)
                if name == "opennmt"
                else marian(peer, post_norm(options, transformer, steps))
            )
        else:
            missing[name] = peer.reason or "it was not asked for"
    rounds = options.rounds or (2 if quick else 5)
    rows: list[Measured] = []
    commands: dict[str, float] = {}
    for beam in (1, 5):
        found, failed = speeds(systems, beam, test, rounds, min(len(test.lines), 20 if quick else 100))
        rows += found
        missing |= failed
        if "opennmt" in peers and not any(name.startswith("OpenNMT") for name in failed):
            commands[f"onmt_translate, beam {beam}"] = opennmt_command(peers["opennmt"], transformer, test.lines, beam)
    return {
        "systems": [row.as_dict() for row in rows],
        "ratios": ratios(rows),
        "whole_command_per_second": commands,
        "missing": missing,
        "versions": versions(peers),
    }


def post_norm(options: argparse.Namespace, transformer: Path, steps: int) -> Path:
    """The Transformer that MarianMT is given: a post-norm one, trained now unless runs are given."""
    if options.post_norm or options.transformer:
        return options.post_norm or transformer
    return trained("post-norm", POST_NORM, steps, options.data)


def versions(peers: dict[str, Environment]) -> dict[str, Any]:
    """What was compared, on what."""
    from importlib.metadata import version
    from platform import processor, python_version

    own = {name: version(name) for name in ("torch", "ctranslate2", "jumok")}
    return {"python": python_version(), "processor": processor(), **own} | {
        name: peer.versions for name, peer in peers.items()
    }


def ratios(rows: Sequence[Measured]) -> list[dict[str, Any]]:
    """Our quickest against each peer, round by round."""
    found = []
    for mine in rows:
        if not mine.system.startswith("jumok fast int8"):
            continue
        for peer in rows:
            if peer.beam != mine.beam or peer.system.startswith("jumok"):
                continue
            each = [a / b for a, b in zip(mine.per_second, peer.per_second, strict=True)]
            sooner = [b / a for a, b in zip(mine.latency_ms, peer.latency_ms, strict=True)]
            both = mine.bleu is not None and peer.bleu is not None
            better = mine.bleu - peer.bleu if mine.bleu is not None and peer.bleu is not None else None
            found.append(
                {
                    "beam": mine.beam, "ours": mine.system, "run": mine.model, "peer": peer.system,
                    "speed": statistics.median(each), "least": min(each), "most": max(each),
                    "latency": statistics.median(sooner), "latency_least": min(sooner), "latency_most": max(sooner),
                    "bleu": better, "as_good": both and better is not None and better >= -EQUAL,
                }
            )  # fmt: skip
    return found


def show(result: dict[str, Any]) -> None:
    """The result as tables."""
    print(f"{result['lines']} lines, text in, text out; 2 workers or threads in batches, 1 for single sentences")
    if result["systems"]:
        print(f"{'':56}{'beam':>5}{'BLEU':>7}{'sentences/s':>13}{'spread':>16}{'one alone':>12}")
    for row in result["systems"]:
        spread = f"{min(row['per_second']):.0f}-{max(row['per_second']):.0f}"
        score = f"{row['bleu']:7.1f}" if row["bleu"] is not None else f"{'':7}"
        print(
            f"{row['system'] + ' (' + row['model'] + ')':56.56}{row['beam']:5}{score}"
            f"{row['sentences_per_second']:13.0f}{spread:>16}{row['median_latency_ms']:9.2f} ms"
        )
    for row in result["ratios"]:
        quality = "" if row["bleu"] is None else f", BLEU {row['bleu']:+.1f}"
        quality += "" if row["as_good"] else ": not of equal quality"
        print(
            f"beam {row['beam']}: {row['ours']} ({row['run']}) / {row['peer']}: {row['speed']:.2f} x the sentences/s "
            f"({row['least']:.2f}-{row['most']:.2f}), {row['latency']:.2f} x as soon alone "
            f"({row['latency_least']:.2f}-{row['latency_most']:.2f}){quality}"
        )
    for name, value in result.get("whole_command_per_second", {}).items():
        print(f"{name}: {value:.0f} sentences/s, the whole command")
    for name, reason in result["missing"].items():
        print(f"{name} was not measured: {reason}")
    for name, value in result["cold_start_seconds"].items():
        print(f"{name}: {value:.2f} s")
    for row in result["growth"]:
        print(
            f"{row['over']} {row['value']}: {row['sentences_per_second']:.0f} sentences/s, "
            f"{row['tokens_per_second']:.0f} tokens/s, {row['peak_mb']:.0f} MB"
        )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that are ours alone."""
    parser.add_argument("--run", type=Path, nargs="+", help="recurrent runs to translate with")
    parser.add_argument("--transformer", type=Path, help="a Transformer run to give to CTranslate2")
    parser.add_argument("--post-norm", type=Path, help="a post-norm Transformer run to give to MarianMT")
    parser.add_argument("--rounds", type=int, default=0, help="how often the systems take turns")
    parser.add_argument("--lines", type=int, default=0, help="test lines; 1,000 if not given")
    parser.add_argument("--parts", nargs="*", choices=PARTS, help="what is measured; all if not given")


def defaults() -> argparse.Namespace:
    """What is measured when nothing is said."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    parser.set_defaults(quick=False, data=None, only=(), installed_only=False)
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
        print(json.dumps(result, indent=2, allow_nan=False))
    else:
        show(result)


if __name__ == "__main__":
    main()
