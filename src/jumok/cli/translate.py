"""`jumok translate`: lines of text through a trained model."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from jumok.arguments import MOST_BEAM, MOST_THREADS, MOST_TOKENS
from jumok.cli.opening import load_translator
from jumok.cli.options import (
    Alpha,
    AsJson,
    Coverage,
    Device,
    Ensemble,
    Forbid,
    LengthPenalty,
    MaxLength,
    MinLength,
    NoRepeat,
    Plugins,
    Prefix,
    Require,
    RunFolder,
    Sample,
    Seed,
    Temperature,
    Threads,
    TopK,
    TopP,
)
from jumok.cli.telling import tell
from jumok.errors import InputError, JumokError

if TYPE_CHECKING:
    from jumok.decoding.options import Options
    from jumok.decoding.translation import Translation
    from jumok.decoding.translator import Translator
    from jumok.tasks.translation.model import TranslationModel

Explained = Annotated[
    int | None,
    typer.Option(
        metavar="WORD", min=0, max=MOST_TOKENS, help="Show the numbers behind target word WORD (counted from 0)."
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse lines longer than the model was trained for.")]
Engine = Annotated[str, typer.Option(help="auto (fast where possible, else torch), torch, fast or ctranslate2.")]
File = Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Text, one sentence per line; default: stdin.")]
Numbered = Annotated[
    bool, typer.Option("--numbered", help="Start each output with its line number, from 0 (Moses' n-best format).")
]
Workers = Annotated[
    int, typer.Option(min=0, max=MOST_THREADS, help="Batches at a time (fast, ctranslate2); 0: one per core.")
]
Shortlist = Annotated[bool, typer.Option("--shortlist", help="Score only likely words (`jumok shortlist`).")]


def translate(
    run: RunFolder,
    file: File = None,
    beam: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Beam size; 1 is greedy search.")] = 5,
    nbest: Annotated[int, typer.Option(min=1, max=MOST_BEAM, help="Hypotheses printed for each line.")] = 1,
    numbered: Numbered = False,
    as_json: AsJson = False,
    attention: Annotated[bool, typer.Option(help="With --json: the attention of every layer and head.")] = False,
    tree: Annotated[bool, typer.Option("--tree", help="With --json: the whole beam, with pruned hypotheses.")] = False,
    alignment: Annotated[bool, typer.Option("--alignment", help="Append the word links in Pharaoh format.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the alignment of each line to an .svg or .png file.")] = None,
    explain: Explained = None,
    sample: Sample = False,
    temperature: Temperature = 1.0,
    top_k: TopK = 0,
    top_p: TopP = 1.0,
    seed: Seed = 1,
    length_penalty: LengthPenalty = "gnmt",
    alpha: Alpha = 0.6,
    coverage: Coverage = 0.0,
    min_length: MinLength = 0,
    max_length: MaxLength = None,
    no_repeat: NoRepeat = 0,
    prefix: Prefix = "",
    forbid: Forbid = None,
    require: Require = None,
    unknown: Annotated[str, typer.Option(help="Unknown words: copy from the source, keep or forbid.")] = "copy",
    lexicon: Annotated[Path | None, typer.Option(help="TSV of source and target words, for unknown words.")] = None,
    ensemble: Ensemble = None,
    strict: Strict = False,
    engine: Engine = "auto",
    precision: Annotated[str, typer.Option(help="Weights in fast and ctranslate2: float32 or int8.")] = "float32",
    shortlist: Shortlist = False,
    workers: Workers = 0,
    device: Device = "cpu",
    threads: Threads = 0,
    plugin: Plugins = None,
) -> None:
    """Translate lines from FILE or stdin, one output line per input line."""
    from jumok.decoding.options import Options, Sampling, Unknown
    from jumok.decoding.scoring import LengthForm, Scoring

    check_request(unknown, (attention or tree) and not as_json, file, plot)
    interactive = file is None and sys.stdin.isatty()
    options = Options(
        beam=max(beam, nbest),
        nbest=nbest,
        scoring=Scoring(cast("LengthForm", length_penalty), alpha, coverage),
        sampling=Sampling(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed) if sample else None,
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
    translator = load_translator(
        run, device, threads, plugin, ensemble,
        engine=engine, precision=precision, shortlist=shortlist, workers=workers,
    )  # fmt: skip
    show = Printer(translator, as_json, alignment, plot, explain, ranked=nbest > 1, numbered=numbered)
    if interactive:
        return converse(translator, options, show)
    return translate_file(translator, options, show, file, strict)


def check_request(unknown: str, needs_json: bool, file: Path | None, plot: Path | None) -> None:
    """Refuses what cannot be done before the model is loaded."""
    from jumok.decoding.options import UNKNOWN
    from jumok.output import require_picture_place

    if unknown not in UNKNOWN:
        raise InputError(f"--unknown is copy, keep or forbid, not '{unknown}'.")
    if needs_json:
        raise InputError("--attention and --tree are printed as JSON; add --json.")
    if file is not None and not file.exists():
        raise InputError(f"There is no file {file}.")
    if file is not None and file.is_dir():
        raise InputError(f"{file} is a folder; name a file.")
    if plot is not None:
        require_picture_place(plot)


def read_lexicon(path: Path) -> dict[str, str]:
    """Source and target words of a TSV file."""
    from jumok.data.lines import file_lines

    words: dict[str, str] = {}
    for number, line in enumerate(file_lines(path), start=1):
        source, tab, target = line.partition("\t")
        if line and not tab:
            raise InputError(f"{path}:{number} has no tab; write a source word, a tab and its translation.")
        words.setdefault(source.strip(), target.strip())
    return words


def json_line(tree: dict[str, Any]) -> str:
    """JSON on one line for every reader: characters that some readers treat as a line end are escaped."""
    text = json.dumps(tree, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


class Printer:
    """Prints translations as the user asked for."""

    def __init__(
        self,
        translator: "TranslationModel",
        as_json: bool,
        alignment: bool,
        plot: Path | None,
        explain: int | None,
        *,
        ranked: bool = False,
        numbered: bool = False,
    ) -> None:
        self.translator, self.as_json, self.alignment = translator, as_json, alignment
        self.plot, self.explain, self.ranked, self.numbered = plot, explain, ranked, numbered
        self.drawn = self.explanations = self.refusals = 0
        self.shown = -1
        self.refused: InputError | None = None
        # Read at once: a calibration of other weights is refused before any work.
        self.calibrated = as_json and len(translator.engines[0].runs) == 1 and translator.calibration is not None

    def __call__(self, translation: "Translation") -> None:
        self.shown += 1
        if self.plot is not None and translation.text:
            self.draw(self.plot, translation)
        if self.as_json:
            tree = (
                ({"line": self.shown} if self.numbered else {}) | translation.as_dict() | self.confidence(translation)
            )
            if self.explain is not None and translation.source_words and (told := self.explained(translation)):
                tree["explanation"] = told
            print(json_line(tree))
            return
        if self.ranked and (translation.source_words or self.numbered):
            for rank, one in enumerate((translation, *translation.alternatives)):
                print(f"{self.shown if self.numbered else rank} ||| {self.line(one)} ||| {one.score:.4f}")
        else:
            print(f"{self.shown} ||| {self.line(translation)}" if self.numbered else self.line(translation))
        if self.explain is not None and translation.source_words and (told := self.explained(translation)):
            print(told)

    def confidence(self, translation: "Translation") -> dict[str, Any]:
        """What a calibrated run says of its words; nothing where it is not calibrated, or an ensemble translates."""
        if not self.calibrated:
            return {}
        found = self.translator.confidence(translation)
        words = None if found.words is None else list(found.words)
        sentence = found.sentence if translation.source_words else None
        return {"confidence": sentence, "words": list(translation.target_words), "word_confidence": words}

    def explained(self, translation: "Translation") -> str:
        """The explanation of the word that was asked for; nothing, and a warning, where a line has fewer words."""
        from jumok.inspect.five_steps import explain_word

        try:
            told = explain_word(self.translator, translation, self.explain or 0)
        except InputError as error:
            self.warn()
            self.refused, self.refusals = error, self.refusals + 1
            return ""
        self.explanations += 1
        return told

    def warn(self) -> None:
        """Warns of the last line that had no such word; until here it might have been the only line, and an error."""
        if self.refused is not None:
            tell(f"warning: {self.refused}")
            self.refused = None

    def finish(self) -> None:
        """Raises where an explanation was asked for and no line had that word; each line is mentioned once."""
        if self.refused is not None and self.explanations == 0 and self.refusals == 1:
            raise self.refused
        self.warn()
        if self.refusals and self.explanations == 0:
            raise InputError(f"no line has a target word {self.explain} to explain.")

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
        draw_alignment(translation.weights, translation.source_words, translation.target_words, path, rest=True)


def translate_lines(
    translator: "Translator",
    options: "Options",
    file: Path | None,
    strict: bool,
    show: Callable[["Translation"], None],
) -> None:
    """Lines in, lines out, in order; each window is written as soon as it is done."""
    from jumok.cli.reading import STDIN, stdin_windows, windows
    from jumok.data.lines import file_lines
    from jumok.decoding.translator import WINDOW

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


def translate_file(
    translator: "Translator", options: "Options", show: Printer, file: Path | None, strict: bool
) -> None:
    """Prints what is found for every line of the file, or of stdin."""
    translate_lines(translator, options, file, strict, show)
    show.finish()


def check_length(translation: "Translation", where: str, strict: bool) -> None:
    """Says that a line was cut, or refuses it."""
    if not translation.source_cut:
        return
    taken = len(translation.source_ids)
    text = f"{where} has {taken + translation.source_cut} tokens, more than the {taken} the model was trained for"
    if strict:
        raise InputError(f"{text}; shorten it, or leave out --strict to translate its beginning.")
    tell(f"warning: {text}; only its beginning is translated.")


class progress:  # noqa: N801 — reads as a word in `with progress(file) as advance`
    """A bar on stderr for a file at a terminal, nothing otherwise."""

    def __init__(self, file: Path | None) -> None:
        self.bar: Any = None
        if file is not None and file.is_file() and sys.stderr.isatty():  # a pipe can be read only once
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


def converse(translator: "Translator", options: "Options", show: Printer) -> None:
    """A prompt; each line is answered with its translation and the links between the words in colour."""
    from jumok.alignment.terminal import render_terminal
    from jumok.output import takes_colour

    with suppress(ImportError):
        import readline  # noqa: F401 — arrow keys and history at the prompt
    color = takes_colour(sys.stdout)
    tell(f"{translator.run.name} ({translator.run.hash}). Type a line; an empty one or Ctrl-D exits.")
    for line in _typed():
        try:
            translation = next(translator.translate_stream([line], options))
        except JumokError as error:
            tell(f"error: {error}")
            continue
        check_length(translation, "the line", False)
        if show.as_json or show.alignment or show.ranked or show.explain is not None or translation.weights is None:
            show(translation)
            show.warn()
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
