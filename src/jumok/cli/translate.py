"""`jumok translate`, `jumok align` and `jumok score`: a trained model at work on lines of text."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from jumok.errors import InputError, JumokError

if TYPE_CHECKING:
    from jumok.alignment import Links
    from jumok.decoding.alignment_choice import AlignmentChoice
    from jumok.decoding.options import Options
    from jumok.decoding.translation import PairAlignment, Translation
    from jumok.decoding.translator import Translator
    from jumok.engine.packing import Precision
    from jumok.engine.translator import QuickTranslator

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of a trained model.")]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:0, …")]
Threads = Annotated[int, typer.Option(min=0, help="CPU threads; 0: all cores.")]
Plugins = Annotated[list[Path] | None, typer.Option("--plugin", help="File with mechanisms the run needs.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def translate(
    run: RunFolder,
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Text, one sentence a line; or stdin.")] = None,
    beam: Annotated[int, typer.Option(min=1, help="Hypotheses followed; 1 is greedy.")] = 5,
    nbest: Annotated[int, typer.Option(min=1, help="Hypotheses printed for each line.")] = 1,
    as_json: AsJson = False,
    attention: Annotated[bool, typer.Option(help="With --json: every layer and head.")] = False,
    tree: Annotated[bool, typer.Option("--tree", help="With --json: the whole beam, pruned hypotheses too.")] = False,
    alignment: Annotated[bool, typer.Option("--alignment", help="Append the word links in Pharaoh form.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the alignment of each line to an .svg or .png file.")] = None,
    explain: Annotated[
        int | None, typer.Option(metavar="WORD", help="How target word WORD (from 0) came about, in numbers.")
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Draw words instead of searching.")] = False,
    temperature: Annotated[float, typer.Option(help="Of the draw: below 1 sharper, above 1 flatter.")] = 1.0,
    top_k: Annotated[int, typer.Option(help="Draw among the k likeliest words; 0: all.")] = 0,
    top_p: Annotated[float, typer.Option(help="Draw among the fewest words of this probability.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of the draw; the same sentence and seed give the same words.")] = 1,
    length_penalty: Annotated[str, typer.Option(help="gnmt, power or none.")] = "gnmt",
    alpha: Annotated[float, typer.Option(help="Strength of the length penalty.")] = 0.6,
    coverage: Annotated[float, typer.Option(help="Strength of the coverage penalty; 0: off.")] = 0.0,
    min_length: Annotated[int, typer.Option(min=0, help="Shortest output in tokens.")] = 0,
    max_length: Annotated[int | None, typer.Option(min=1, help="Longest output in tokens.")] = None,
    no_repeat: Annotated[int, typer.Option(min=0, help="No n-gram of this size twice; 0: off.")] = 0,
    prefix: Annotated[str, typer.Option(help="What every output begins with.")] = "",
    forbid: Annotated[list[str] | None, typer.Option(help="Word that must not appear; may be repeated.")] = None,
    require: Annotated[list[str] | None, typer.Option(help="Word that must appear; may be repeated.")] = None,
    unknown: Annotated[str, typer.Option(help="Unknown words: copy from the source, keep or forbid.")] = "copy",
    lexicon: Annotated[Path | None, typer.Option(help="TSV of source and target words, for unknown words.")] = None,
    ensemble: Annotated[list[Path] | None, typer.Option(help="A further run that writes along; repeatable.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse lines longer than the model was trained for.")
    ] = False,
    engine: Annotated[
        str, typer.Option(help="auto (fast where it can, else torch), torch, fast or ctranslate2.")
    ] = "auto",
    precision: Annotated[str, typer.Option(help="Of fast and ctranslate2: float32 or int8.")] = "float32",
    shortlist: Annotated[
        bool, typer.Option("--shortlist", help="Score only likely words (`jumok shortlist`).")
    ] = False,
    workers: Annotated[int, typer.Option(min=0, help="Batches at a time (fast, ctranslate2); 0: one a core.")] = 0,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Translate lines from FILE or stdin, one line out for each line in."""
    from jumok.decoding.options import Options, Sampling, Unknown
    from jumok.decoding.scoring import LengthForm, Scoring

    check_request(unknown, (attention or tree) and not as_json, file)
    interactive = file is None and sys.stdin.isatty()
    options = Options(
        beam=max(beam, nbest),
        nbest=nbest,
        scoring=Scoring(cast("LengthForm", length_penalty), alpha, coverage),
        sampling=Sampling(temperature, top_k, top_p, seed) if sample else None,
        min_length=min_length,
        max_length=max_length,
        no_repeat=no_repeat,
        forbid=tuple(forbid or ()),
        require=tuple(require or ()),
        prefix=prefix,
        unknown=cast("Unknown", unknown),
        lexicon=read_lexicon(lexicon) if lexicon else None,
        attention=attention,
        alignment=as_json or alignment or plot is not None or explain is not None or interactive,
        tree=tree,
    )
    choice = EngineChoice(engine, precision, shortlist, workers)
    translator = load_engine(run, device, threads, plugin, ensemble, choice)
    show = Shower(translator, as_json, alignment, plot, explain, ranked=nbest > 1)
    if interactive:
        converse(translator, options, show)
    else:
        translate_lines(translator, options, file, strict, show)
        show.finish()


def check_request(unknown: str, needs_json: bool, file: Path | None) -> None:
    """Refuses what cannot be done before the model is loaded."""
    if unknown not in ("copy", "keep", "forbid"):
        raise InputError(f"--unknown is copy, keep or forbid, not '{unknown}'.")
    if needs_json:
        raise InputError("--attention and --tree are printed as JSON; add --json.")
    if file is not None and not file.exists():
        raise InputError(f"There is no file {file}.")
    if file is not None and file.is_dir():
        raise InputError(f"{file} is a folder; name a file.")


@dataclass(frozen=True)
class EngineChoice:
    """Which engine translates, and how."""

    name: str
    precision: str
    shortlist: bool
    workers: int


def load_engine(
    run: Path, device: str, threads: int, plugin: list[Path] | None, ensemble: list[Path] | None, choice: EngineChoice
) -> "Translator | QuickTranslator":
    """The translator of a run over the chosen engine; torch is imported only where it is needed."""
    from jumok.engine.loading import EngineName, load, why_not_fast

    name = choice.name
    if name == "auto":
        name = "torch" if plugin or why_not_fast(run, device, ensemble or ()) else "fast"
    if name == "torch":
        if choice.precision != "float32" or choice.shortlist:
            raise InputError("--precision int8 and --shortlist need --engine fast or ctranslate2.")
        return load_translator(run, device, threads, plugin, ensemble)
    return load(
        run,
        device,
        engine=cast("EngineName", name),
        precision=cast("Precision", choice.precision),
        shortlist=choice.shortlist,
        workers=choice.workers or threads,
        ensemble=ensemble or (),
    )


def load_translator(
    run: Path, device: str, threads: int, plugin: list[Path] | None, ensemble: list[Path] | None = None
) -> "Translator":
    """The translator of a run; only plugins that the user names are executed."""
    import torch

    if threads:
        torch.set_num_threads(threads)
    torch.set_flush_denormal(True)
    if plugin:
        from jumok.attention import load_plugins

        load_plugins(plugin)
    from jumok.decoding.translator import load

    return load(run, device, ensemble=ensemble or ())


def plain_of(translator: "Translator | QuickTranslator") -> "Translator":
    """The readable translator of the same run."""
    from jumok.engine.translator import QuickTranslator

    return translator.plain if isinstance(translator, QuickTranslator) else translator


def read_lexicon(path: Path) -> dict[str, str]:
    """Source and target words of a TSV file."""
    from jumok.cli.reading import file_lines

    words: dict[str, str] = {}
    for number, line in enumerate(file_lines(path), start=1):
        source, tab, target = line.partition("\t")
        if line and not tab:
            raise InputError(f"{path}:{number} has no tab; write a source word, a tab and its translation.")
        words.setdefault(source.strip(), target.strip())
    return words


def json_line(tree: dict[str, Any]) -> str:
    """JSON on one line for every reader: characters that some take for the end of a line are escaped."""
    text = json.dumps(tree, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


class Shower:
    """Prints translations as the user asked for."""

    def __init__(
        self,
        translator: "Translator | QuickTranslator",
        as_json: bool,
        alignment: bool,
        plot: Path | None,
        explain: int | None,
        *,
        ranked: bool = False,
    ) -> None:
        self.translator, self.as_json, self.alignment = translator, as_json, alignment
        self.plot, self.explain, self.ranked = plot, explain, ranked
        self.drawn = self.explanations = 0
        self.refused: InputError | None = None

    def __call__(self, translation: "Translation") -> None:
        if self.plot is not None and translation.text:
            self.draw(self.plot, translation)
        if self.as_json:
            tree = translation.as_dict()
            if self.explain is not None and translation.source_words and (told := self.explained(translation)):
                tree["explanation"] = told
            print(json_line(tree))
            return
        if self.ranked and translation.source_words:
            for rank, one in enumerate((translation, *translation.alternatives)):
                print(f"{rank} ||| {self.line(one)} ||| {one.score:.4f}")
        else:
            print(self.line(translation))
        if self.explain is not None and translation.source_words and (told := self.explained(translation)):
            print(told)

    def explained(self, translation: "Translation") -> str:
        """The explanation of the word that was asked for; nothing, and a warning, where a line has fewer words."""
        from jumok.cli.five_steps import explain_word

        try:
            told = explain_word(plain_of(self.translator), translation, self.explain or 0)
        except InputError as error:
            self.refused = error
            print(f"warning: {error}", file=sys.stderr)
            return ""
        self.explanations += 1
        return told

    def finish(self) -> None:
        """Raises where an explanation was asked for and no line had that word."""
        if self.refused is not None and self.explanations == 0:
            raise self.refused

    def line(self, translation: "Translation") -> str:
        from jumok.alignment import to_pharaoh

        if not self.alignment or not translation.source_words:
            return translation.text
        return f"{translation.text} ||| {to_pharaoh(translation.alignment)}"

    def draw(self, path: Path, translation: "Translation") -> None:
        """The alignment as a picture: `out.svg`, then `out-2.svg`, …"""
        from jumok.alignment.plot import draw_alignment

        if translation.weights is None:
            raise InputError("--plot needs a model with attention; this one has none.")
        self.drawn += 1
        path = path if self.drawn == 1 else path.with_stem(f"{path.stem}-{self.drawn}")
        draw_alignment(translation.weights, translation.source_words, translation.target_words, path)


def translate_lines(
    translator: "Translator | QuickTranslator",
    options: "Options",
    file: Path | None,
    strict: bool,
    show: Callable[["Translation"], None],
) -> None:
    """Lines in, lines out, in order; each window is written as soon as it is done."""
    from jumok.cli.reading import STDIN, file_lines, stdin_windows, windows
    from jumok.engine.translator import WINDOW

    taken = stdin_windows(WINDOW) if file is None else windows(file_lines(file), WINDOW)
    where = str(file or STDIN)
    with progress(file) as advance:
        number = 0
        for window in taken:
            for translation in translator.translate_stream(window, options):
                number += 1
                check_length(translation, f"{where}, line {number}", strict)
                show(translation)
                advance()
            sys.stdout.flush()


def check_length(translation: "Translation", where: str, strict: bool) -> None:
    """Says that a line was cut, or refuses it."""
    if not translation.source_cut:
        return
    taken = len(translation.source_ids)
    text = f"{where} has {taken + translation.source_cut} tokens, more than the {taken} the model was trained for"
    if strict:
        raise InputError(f"{text}; shorten it, or leave out --strict to translate its beginning.")
    print(f"warning: {text}; only its beginning is translated.", file=sys.stderr)


class progress:  # noqa: N801 — reads as a word in `with progress(file) as advance`
    """A bar on stderr for a file at a terminal, nothing otherwise."""

    def __init__(self, file: Path | None) -> None:
        self.bar: Any = None
        if file is not None and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.task = self.bar.add_task(file.name, total=count_lines(file))

    def __enter__(self) -> Callable[[], None]:
        if self.bar is not None:
            self.bar.start()
        return self.advance

    def advance(self) -> None:
        if self.bar is not None:
            self.bar.advance(self.task)

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


def count_lines(file: Path) -> int:
    """How many lines a file has."""
    from jumok.data.lines import file_facts

    return file_facts(file).lines


def converse(translator: "Translator | QuickTranslator", options: "Options", show: Shower) -> None:
    """A prompt; each line is answered with its translation and the links between the words in colour."""
    from jumok.alignment.terminal import render_terminal

    with suppress(ImportError):
        import readline  # noqa: F401 — arrow keys and history at the prompt
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print(f"{translator.run.name} ({translator.run.hash}). Type a line; an empty one or Ctrl-D ends.", file=sys.stderr)
    for line in _typed():
        try:
            translation = next(translator.translate_stream([line], options))
        except JumokError as error:
            print(f"error: {error}", file=sys.stderr)
            continue
        check_length(translation, "the line", False)
        if show.as_json or show.alignment or show.ranked or show.explain is not None or translation.weights is None:
            show(translation)
        else:
            if show.plot is not None and translation.text:
                show.draw(show.plot, translation)
            width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 100
            print(
                render_terminal(
                    translation.weights,
                    translation.source_words,
                    translation.target_words,
                    color=color,
                    width=width,
                    links=translation.alignment,
                )
            )


def _typed() -> Iterator[str]:
    """Lines until an empty one or the end."""
    while True:
        try:
            line = input("› ")
        except EOFError:
            return
        if not line.strip():
            return
        yield line


def align(
    run: RunFolder,
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Source side, one sentence a line.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Target side, line by line.")],
    method: Annotated[str, typer.Option(help="argmax (one link a target word) or threshold.")] = "argmax",
    threshold: Annotated[float, typer.Option(help="With --method threshold: the least weight of a link.")] = 0.2,
    reverse: Annotated[Path | None, typer.Option(metavar="RUN2", help="A run of the other direction.")] = None,
    symmetrize: Annotated[
        str, typer.Option(help="With --reverse: intersection, union, grow-diag, grow-diag-final(-and).")
    ] = "grow-diag-final-and",
    shift: Annotated[
        bool | None, typer.Option("--shift/--no-shift", help="Read the step that takes the word in (Transformers).")
    ] = None,
    layer: Annotated[int | None, typer.Option(help="Decoder layer, from 0; -1 is the top.")] = None,
    heads: Annotated[str | None, typer.Option(help="Heads of the layer, such as 0,2; or all.")] = None,
    soft: Annotated[Path | None, typer.Option(help="Write the matrices over words to an .npz or .json file.")] = None,
    gold: Annotated[Path | None, typer.Option(help="Gold links (Pharaoh): report error rate on stderr.")] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Find the layer and heads that align best here and keep them with the run.")
    ] = False,
    as_json: AsJson = False,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Align the words of given pairs: one Pharaoh line (source-target, from 0) a pair."""
    from jumok.alignment import METHODS, score_alignments, to_pharaoh, write_soft
    from jumok.alignment.soft import SoftAlignment
    from jumok.cli.reading import pair_lines

    if method not in ("argmax", "threshold"):
        raise InputError(f"--method is argmax or threshold, not '{method}'.")
    if symmetrize not in METHODS:
        raise InputError(f"--symmetrize is one of {', '.join(METHODS)}, not '{symmetrize}'.")
    if soft is not None and soft.suffix.lower() not in (".json", ".npz"):
        raise InputError(f"--soft writes .json or .npz, not '{soft.name}'.")
    pairs = pair_lines(source, target)
    links_of_gold = gold_links(gold, pairs) if gold else None
    translator = load_translator(run, device, threads, plugin)
    backward = load_translator(reverse, device, 0, None) if reverse else None
    if search:
        search_heads(translator, pairs, links_of_gold, backward)
    choice = chosen(translator, layer, heads, shift)
    least = threshold if method == "threshold" else None
    found = translator.align(pairs, choice=choice, threshold=least)
    links = [pair.links for pair in found]
    if backward is not None:
        links = both_directions(symmetrize, found, backward.align([(t, s) for s, t in pairs], threshold=least))
    for number, (pair, chosen_links) in enumerate(zip(found, links, strict=True), start=1):
        if pair.cut:
            print(f"warning: line {number} is longer than the model can read; its end is not aligned.", file=sys.stderr)
        print(json.dumps({"alignment": [list(link) for link in chosen_links]}) if as_json else to_pharaoh(chosen_links))
    if soft is not None:
        write_soft(soft, (SoftAlignment(p.source_words, p.target_words, cast("Any", p.weights)) for p in found))
    if links_of_gold is not None:
        print(score_alignments(links, links_of_gold), file=sys.stderr)


def gold_links(path: Path, pairs: list[tuple[str, str]]) -> "list[Links]":
    """The gold links of the pairs, which must be of these very sentences."""
    from jumok.alignment import check_bounds, read_pharaoh

    found = read_pharaoh(path)
    if len(found) != len(pairs):
        raise InputError(f"{path} has links for {len(found)} pairs, but there are {len(pairs)}; they must match.")
    for number, (links, (source, target)) in enumerate(zip(found, pairs, strict=True), start=1):
        check_bounds(links, len(source.split()), len(target.split()), where=f"{path}, line {number}")
    return found


def chosen(translator: "Translator", layer: int | None, heads: str | None, shift: bool | None) -> "AlignmentChoice":
    """The run's own choice with what the user set."""
    from dataclasses import replace

    choice = translator.choice
    config = translator.run.config.model.decoder
    layers = config.layers if config.kind == "transformer" else 1
    if layer is not None:
        if not -layers <= layer < layers:
            raise InputError(f"--layer {layer} does not exist: the decoder has {layers} layer(s), from 0.")
        choice = replace(choice, layer=layer)
    if heads is not None:
        choice = replace(choice, heads=parse_heads(heads, config.heads if config.kind == "transformer" else 1))
    return choice if shift is None else replace(choice, shift=shift)


def parse_heads(text: str, count: int) -> tuple[int, ...] | None:
    """Head numbers of `0,2`, None for `all`."""
    if text == "all":
        return None
    try:
        heads = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--heads takes numbers such as 0,2 or all, not '{text}'.") from None
    if not all(0 <= head < count for head in heads):
        raise InputError(f"--heads {text} does not exist: there are {count} head(s), from 0.")
    return heads


def both_directions(
    method: str, forward: "list[PairAlignment]", backward: "list[PairAlignment]"
) -> list[list[tuple[int, int]]]:
    """The links of both directions made into one set a pair."""
    from jumok.alignment import symmetrize, transpose

    return [symmetrize(method, f.links, transpose(b.links)) for f, b in zip(forward, backward, strict=True)]


def search_heads(
    translator: "Translator", pairs: list[tuple[str, str]], gold: Any, reverse: "Translator | None"
) -> None:
    """Tries every layer and head, keeps the best with the run, and says what was found."""
    from jumok.decoding.alignment_choice import write_choice
    from jumok.decoding.alignment_search import search

    tried, judged_by = search(translator, pairs, gold=gold, reverse=reverse)
    for one in tried[:5]:
        print(f"{one.choice}: error {one.error:.3f} by {judged_by}", file=sys.stderr)
    translator.choice = tried[0].choice
    try:
        write_choice(translator.run.path, tried[0].choice, judged_by)
    except OSError as error:
        raise InputError(f"the choice cannot be kept in {translator.run.path}: {error.strerror or error}.") from None


def score(
    run: RunFolder,
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Source side, one sentence a line.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Translations to score, line by line.")],
    as_json: AsJson = False,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Score given translations: log-probability and perplexity a line, and of the whole on stderr."""
    import math

    from jumok.cli.reading import pair_lines

    pairs = pair_lines(source, target)
    found = load_translator(run, device, threads, plugin).score(pairs)
    for number, one in enumerate(found, start=1):
        if one.cut:
            print(f"warning: line {number} is longer than the model can read; its end is not scored.", file=sys.stderr)
        if as_json:
            tree = {
                "log_prob": one.log_prob,
                "perplexity": one.perplexity,
                "tokens": list(one.tokens),
                "token_log_probs": list(one.token_log_probs),
            }
            print(json_line(tree))
        else:
            print(f"{one.log_prob:.4f}\t{one.perplexity:.4f}")
    tokens = sum(len(one.token_log_probs) for one in found)
    if tokens:
        total = sum(one.log_prob for one in found)
        print(
            f"{len(found)} pairs, {tokens} tokens: log-probability {total:.2f}, perplexity "
            f"{math.exp(min(700.0, -total / tokens)):.3f}",
            file=sys.stderr,
        )
