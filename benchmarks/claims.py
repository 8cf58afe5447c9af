"""What is said about attention, run again on the phrasebook: each claim is a few short trainings and one picture.

    python benchmarks/claims.py length            # one claim
    python benchmarks/claims.py all               # every claim
    python benchmarks/claims.py all --quick       # a few steps only: shows that it runs, proves nothing

Trainings are kept in out/claims and shared between claims; each takes at most three minutes of one thread. A claim
writes docs/images/claims/*.svg, docs/claims/<claim>.json and the table of docs/claims/<claim>.md; what stands around
the table is not touched.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jumok.data.phrasebook import Example
    from jumok.decoding.translator import Translator
    from jumok.evaluation.chart import Chart, Series

HERE = Path(__file__).resolve().parent.parent
SMALL = [
    "model.embedding=128",
    "model.encoder.size=128",
    "model.decoder.size=128",
    "data.phrasebook_size=20000",
    "train.batch_tokens=1024",
    "train.max_steps=1200",
    "train.validate_every=300",
    "train.save_every=1200",
    "train.validate_size=100",
    "train.pictures=0",
    "train.keep=1",
    "runtime.threads=1",
]
RECURRENT = ["train.learning_rate=0.004", "train.warmup=100"]
NO_ATTENTION = ["model.preset=seq2seq", *RECURRENT]
ATTENTION = ["model.preset=rnnsearch", *RECURRENT]
# Layers of 256 with one head: the products of the claim about scaling have 256 terms.
ONE_HEAD = [
    "model.preset=transformer",
    "model.embedding=256",
    "model.encoder.size=256",
    "model.encoder.ff=256",
    "model.encoder.layers=1",
    "model.decoder.size=256",
    "model.decoder.ff=256",
    "model.decoder.layers=1",
    "model.decoder.heads=1",
    "train.warmup=200",
]
TRAININGS: dict[str, list[str]] = {
    "en-ko no attention": NO_ATTENTION,
    "en-ko no attention, reversed": [*NO_ATTENTION, "model.reverse_source=true"],
    "en-ko attention": ATTENTION,
    "en-fr no attention": NO_ATTENTION,
    "en-fr no attention, reversed": [*NO_ATTENTION, "model.reverse_source=true"],
    "en-fr attention": ATTENTION,
    "en-ko no attention, tanh": [*NO_ATTENTION, "model.encoder.cell=tanh", "model.decoder.cell=tanh"],
    "en-ko half forced": [*ATTENTION, "train.teacher_forcing=0.5"],
    "en-ko less and less forced": [*ATTENTION, "train.teacher_forcing=linear:1->0@1200"],
    "en-ko forced, then free": [*ATTENTION, "train.teacher_forcing=switch:800"],
    "en-ko never forced": [*ATTENTION, "train.teacher_forcing=never"],
    "en-ko dot": [*ONE_HEAD, "model.decoder.attention_options.score=dot"],
    "en-ko scaled dot": [*ONE_HEAD, "model.decoder.attention_options.score=scaled_dot"],
}

BOUNDS = (5, 8, 11, 14, 20, 26, 32)


@dataclass
class Found:
    """What a claim's page shows: a table, and pictures by name."""

    head: list[str]
    rows: list[list[str]]
    charts: dict[str, "Chart"] = field(default_factory=dict)
    data: Any = None


@dataclass(frozen=True)
class Bench:
    """Where trainings are kept, how long they are, and how much is measured."""

    out: Path
    images: Path
    quick: bool

    @property
    def sentences(self) -> int:
        """Test sentences of each kind."""
        return 20 if self.quick else 400

    def translator(self, name: str) -> "Translator":
        """The trained model of a name, trained now if it is not there."""
        import jumok
        from jumok.run.status import status_of

        run = self.out / name.replace(" ", "-").replace(",", "")
        pair = name.split(" ", 1)[0]
        settings = [*SMALL, *TRAININGS[name], f"data.phrasebook={pair}"]
        if self.quick:
            settings += ["train.max_steps=12", "data.phrasebook_size=300", "train.validate_size=5"]
            settings += ["train.validate_every=6", "train.warmup=3"]
        if status_of(run) != "finished":
            begin = ["--resume", str(run)] if (run / "config.json").exists() else ["--out", str(run), *settings]
            print(f"— {name}", file=sys.stderr, flush=True)
            subprocess.run([sys.executable, "-m", "jumok", "train", *begin], check=True)
        return jumok.load(run)

    def sentences_of(self, pair: str, split: str) -> "list[Example]":
        """Unseen sentences of a pair."""
        from jumok.data.phrasebook import generate

        return list(generate(pair, split, self.sentences))


def translate(translator: "Translator", sources: Sequence[str]) -> list[str]:
    """Greedy translations."""
    from jumok.decoding.options import Options

    return [one.text for one in translator.translate_stream(sources, Options(beam=1, alignment=False))]


def bleu(found: Sequence[str], wanted: Sequence[str]) -> float:
    """BLEU over white-space words."""
    from jumok.evaluation.metrics import MetricOptions, score_metric

    return score_metric("bleu", found, wanted, MetricOptions(tokenize="none")).value


def line(name: str, x: Sequence[float], y: Sequence[float]) -> "Series":
    """One line of a chart."""
    from jumok.evaluation.chart import Series

    return Series(name, tuple(float(v) for v in x), tuple(float(v) for v in y))


# ---------------------------------------------------------------- the claims


def length(bench: Bench) -> Found:
    """Attention keeps its score where the sentence grows long; one vector does not."""
    from jumok.evaluation.by_length import score_by_length, source_lengths
    from jumok.evaluation.chart import Chart, length_chart
    from jumok.evaluation.metrics import MetricOptions

    examples = bench.sentences_of("en-ko", "test") + bench.sentences_of("en-ko", "long")
    sources, wanted = [one.source for one in examples], [one.target for one in examples]
    short = bench.sentences_of("en-ko", "test")
    curves, joined, data = [], [], {}
    for name in ("en-ko no attention", "en-ko attention"):
        translator = bench.translator(name)
        found = translate(translator, sources)
        lengths = source_lengths(sources)
        bins = score_by_length(lengths, found, wanted, bounds=BOUNDS, options=MetricOptions(tokenize="none"))
        together = [joined_bleu(translator, short, count) for count in (1, 2, 3, 4)]
        curves.append((name, bins))
        joined.append(line(name, (1, 2, 3, 4), together))
        data[name] = {"by_length": [{"label": b.label, **asdict(b)} for b in bins], "joined": together}
    labels = [part.label for part in curves[0][1]]
    rows = [[name, *(f"{part.bleu:.1f}" for part in bins)] for name, bins in curves]
    rows = [[*row, *(f"{value:.1f}" for value in s.y[1:])] for row, s in zip(rows, joined, strict=True)]
    head = ["model", *[f"{label} words" for label in labels], "2 joined", "3 joined", "4 joined"]
    chart = Chart("Neighbours joined into one line", "sentences joined", "BLEU", tuple(joined), from_zero=True)
    return Found(head, rows, {"length": length_chart(curves), "length-joined": chart}, data)


def joined_bleu(translator: "Translator", examples: "Sequence[Example]", count: int) -> float:
    """BLEU of lines made of `count` neighbouring sentences."""
    groups = [examples[start : start + count] for start in range(0, len(examples) - count + 1, count)]
    sources = [" ".join(one.source for one in group) for group in groups]
    return bleu(translate(translator, sources), [" ".join(one.target for one in group) for group in groups])


def reversed_source(bench: Bench) -> Found:
    """Reading the source backwards helps a model without attention, where the word order is alike."""
    rows, data = [], {}
    for pair in ("en-fr", "en-ko"):
        examples = bench.sentences_of(pair, "test")
        for name in (f"{pair} no attention", f"{pair} no attention, reversed", f"{pair} attention"):
            translator = bench.translator(name)
            value = bleu(translate(translator, [one.source for one in examples]), [one.target for one in examples])
            loss = final_loss(translator.run.path)
            rows.append([name, f"{value:.1f}", f"{loss:.3f}"])
            data[name] = {"bleu": value, "loss": loss}
    return Found(["model", "BLEU", "loss on dev"], rows, {"reversed": reversed_chart(bench)}, data)


def reversed_chart(bench: Bench) -> "Chart":
    """Validation loss while training, forwards and backwards."""
    from jumok.evaluation.chart import Chart

    lines = []
    for pair in ("en-fr", "en-ko"):
        for name in (f"{pair} no attention", f"{pair} no attention, reversed"):
            points = losses(bench.translator(name).run.path)
            lines.append(line(name, *zip(*points, strict=True)))
    return Chart("Source forwards and backwards", "step", "loss on dev", tuple(lines))


def losses(run: Path) -> list[tuple[float, float]]:
    """(step, validation loss) over training."""
    from jumok.training.curves import read_metrics

    lines = read_metrics(run / "metrics.jsonl")
    return [(one["step"], one["valid_loss"]) for one in lines if "valid_loss" in one]


def final_loss(run: Path) -> float:
    """The last validation loss."""
    return losses(run)[-1][1]


def forcing(bench: Bench) -> Found:
    """A model that never heard its own words is surprised by them: exposure bias."""
    from jumok.evaluation.chart import Chart
    from jumok.evaluation.exposure import exposure

    names = {
        "en-ko attention": "always forced",
        "en-ko half forced": "half",
        "en-ko less and less forced": "less and less",
        "en-ko forced, then free": "forced, then free",
        "en-ko never forced": "never",
    }
    examples = bench.sentences_of("en-ko", "test")
    rows, lines, data = [], [], {}
    for name, said in names.items():
        translator = bench.translator(name)
        run = translator.run
        pairs = [(run.source_tokenizer.encode(one.source), run.target_tokenizer.encode(one.target)) for one in examples]
        exposed = exposure(run.model, pairs)
        value = bleu(translate(translator, [one.source for one in examples]), [one.target for one in examples])
        rows.append([said, f"{value:.1f}", f"{exposed.forced:.3f}", f"{exposed.free:.3f}", f"{exposed.gap:.3f}"])
        usual = [(t, free - forced) for t, (forced, free, count) in enumerate(exposed.by_position) if count >= 20]
        if usual:
            lines.append(line(said, *zip(*usual, strict=True)))
        data[said] = {"bleu": value, "forced": exposed.forced, "free": exposed.free}
    chart = Chart("What its own words cost a model", "position in the target", "free − forced loss", tuple(lines))
    return Found(
        ["in training", "BLEU", "loss, right words heard", "loss, own words heard", "gap"],
        rows,
        {"forcing": chart},
        data,
    )


def gradient(bench: Bench) -> Found:
    """The gradient fades with the distance between two words; attention gives it a way around."""
    from jumok.evaluation.chart import Chart
    from jumok.evaluation.gradient_flow import flow_over_distance

    examples = bench.sentences_of("en-ko", "long")[: 2 if bench.quick else 12]
    rows, lines, data = [], [], {}
    for name in ("en-ko no attention, tanh", "en-ko no attention", "en-ko attention"):
        run = bench.translator(name).run
        pairs = [(run.source_tokenizer.encode(e.source), run.target_tokenizer.encode(e.target)) for e in examples]
        for when, model in (("before training", untrained(run)), ("after training", run.model)):
            flow = flow_over_distance(model, pairs)
            near, far = flow[0].words, flow[-1].words
            label = f"{name.removeprefix('en-ko ')}, {when}"
            lost = near / max(far, 1e-30)
            rows.append([label, f"{near:.1e}", f"{far:.1e}", f"{lost:,.{1 if lost < 100 else 0}f} ×", shares(flow)])
            lines.append(line(label, [part.low for part in flow], [max(part.words, 1e-12) for part in flow]))
            data[label] = [asdict(part) for part in flow]
    chart = Chart(
        "The gradient at a source word", "steps between reading and writing", "norm", tuple(lines), log_y=True
    )
    head = ["model", "nearest words", "farthest words", "lost on the way", "direct: through weights"]
    return Found(head, rows, {"gradient": chart}, data)


def shares(flow: Sequence[Any]) -> str:
    """How much of the direct gradient through attention moves the weights, not the values."""
    if flow[0].weights is None:
        return "–"
    through_weights, through_values = (sum(getattr(p, lane) * p.count for p in flow) for lane in ("weights", "values"))
    return f"{100 * through_weights / (through_weights + through_values):.0f}%"


def untrained(run: Any) -> Any:
    """The model of a run as it was before training."""
    import torch

    from jumok.models.build import build_model

    torch.manual_seed(run.config.seed)
    return build_model(run.config.model, run.source_tokenizer.size, run.target_tokenizer.size)


def scaling(bench: Bench) -> Found:
    """Unscaled products of long vectors saturate the softmax and leave no gradient."""
    from jumok.evaluation.chart import Chart
    from jumok.inspect.scaling import measure_saturation

    table = measure_saturation()
    x = range(len(table))
    labels = tuple(str(row.d) for row in table)
    plain = line("q·k", x, [max(row.gradient, 1e-6) for row in table])
    scaled = line("q·k / √d", x, [row.gradient_scaled for row in table])
    chart = Chart("Gradient of the softmax", "d", "norm of ∂a/∂e", (plain, scaled), "", labels, True)
    rows = [
        [f"{row.d}", f"{row.spread:.1f}", f"{row.peak:.2f} / {row.peak_scaled:.2f}",
         f"{row.gradient:.1e} / {row.gradient_scaled:.1e}"]
        for row in table
    ]  # fmt: skip
    lines: list[Series] = []
    data: dict[str, Any] = {"saturation": [row.as_json() for row in table]}
    examples = bench.sentences_of("en-ko", "test")
    for name in ("en-ko dot", "en-ko scaled dot"):
        translator = bench.translator(name)
        lines.append(line(name, *zip(*losses(translator.run.path), strict=True)))
        value = bleu(translate(translator, [one.source for one in examples]), [one.target for one in examples])
        data[name] = {"bleu": value, "loss": final_loss(translator.run.path)}
        rows.append([f"trained: {name.removeprefix('en-ko ')}, d = 256", "", f"BLEU {value:.1f}",
                     f"loss on dev {final_loss(translator.run.path):.3f}"])  # fmt: skip
    learned = Chart("One-headed Transformer, d = 256", "step", "loss on dev", tuple(lines))
    head = ["d", "spread of q·k", "largest weight, plain / scaled", "gradient, plain / scaled"]
    return Found(head, rows, {"scaling": chart, "scaling-trained": learned}, data)


def order(bench: Bench) -> Found:
    """Attention finds the words of the other order: adjective and noun, verb and object."""
    from jumok.alignment import Links, score_alignments
    from jumok.alignment.plot import draw_alignment

    rows, data = [], {}
    for pair in ("en-fr", "en-ko"):
        translator = bench.translator(f"{pair} attention")
        examples = bench.sentences_of(pair, "test")
        aligned = translator.align([(one.source, one.target) for one in examples])
        gold = [Links(frozenset(one.links)) for one in examples]
        score = score_alignments([one.links for one in aligned], gold)
        crossed, right = crossings([one.links for one in examples], [one.links for one in aligned])
        rows.append(
            [pair.replace("-", "→"), f"{score.aer:.3f}", f"{crossed:,}", f"{100 * right / max(1, crossed):.0f}%"]
        )
        data[pair] = {"aer": score.aer, "crossed": crossed, "right": right}
        for number, place in enumerate(most_crossed(examples)):
            one = aligned[place]
            path = bench.images / f"order-{pair}-{number + 1}.svg"
            draw_alignment(one.weights, one.source_words, one.target_words, path, gold=examples[place].links)
    return Found(["pair", "AER", "gold links that cross another", "of them found"], rows, {}, data)


def crossings(gold: Sequence[Sequence[tuple[int, int]]], found: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, int]:
    """How many gold links cross another one (i < i' but j > j'), and how many of those were found."""
    total = right = 0
    for links, ours in zip(gold, found, strict=True):
        crossing = {(i, j) for i, j in links for k, l in links if (i - k) * (j - l) < 0}
        total += len(crossing)
        right += len(crossing & set(ours))
    return total, right


def most_crossed(examples: "Sequence[Example]", count: int = 2) -> list[int]:
    """The sentences of readable length with the most crossing links."""
    sizes = [len(one.source.split()) for one in examples]
    usual = [n for n, size in enumerate(sizes) if 6 <= size <= 10] or list(range(len(examples)))
    return sorted(usual, key=lambda n: -crossings([examples[n].links], [()])[0])[:count]


CLAIMS: dict[str, Callable[[Bench], Found]] = {
    "length": length,
    "reversed": reversed_source,
    "forcing": forcing,
    "gradient": gradient,
    "scaling": scaling,
    "order": order,
}
BEGIN, END = "<!-- measured -->", "<!-- /measured -->"


def write(name: str, found: Found, pages: Path, images: Path) -> None:
    """The claim's pictures, JSON and table."""
    from jumok.evaluation.chart import draw_chart

    for picture, chart in found.charts.items():
        draw_chart(chart, images / f"{picture}.svg")
    (pages / f"{name}.json").write_text(json.dumps(found.data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    table = [
        f"| {' | '.join(found.head)} |",
        f"|{'---|' * len(found.head)}",
        *[f"| {' | '.join(r)} |" for r in found.rows],
    ]
    print("\n".join(table))
    page = pages / f"{name}.md"
    text = page.read_text(encoding="utf-8") if page.exists() else f"# {name}\n\n{BEGIN}\n{END}\n"
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(before + "\n".join([BEGIN, "", *table, "", END]) + after, encoding="utf-8")


def main() -> None:
    """Runs the claims asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claim", choices=[*CLAIMS, "all"])
    parser.add_argument("--quick", action="store_true", help="a few steps only, into out/claims-quick")
    parser.add_argument("--out", type=Path, help="where trainings are kept")
    parser.add_argument("--docs", type=Path, help="where pages and pictures go; docs, or the --out of a quick run")
    options = parser.parse_args()
    out = options.out or HERE / "out" / ("claims-quick" if options.quick else "claims")
    docs = options.docs or (out / "docs" if options.quick else HERE / "docs")
    pages, images = docs / "claims", docs / "images" / "claims"
    for folder in (out, pages, images):
        folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(out, images, options.quick)
    for name in CLAIMS if options.claim == "all" else [options.claim]:
        print(f"{name}: {CLAIMS[name].__doc__}", file=sys.stderr, flush=True)
        write(name, CLAIMS[name](bench), pages, images)


if __name__ == "__main__":
    main()
