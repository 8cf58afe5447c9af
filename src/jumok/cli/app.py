"""The command line: one verb per job. A verb's module is imported only when that verb is used.

`jumok --help` must answer at once, so this file imports nothing heavy and keeps the help lines in a table.
"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_command as build_command

from jumok.arguments import check_finite
from jumok.cli.telling import tell
from jumok.commands import COMMANDS
from jumok.errors import InputError, JumokError, did_you_mean
from jumok.language import LANGUAGES, VARIABLE, asked_language, language_of_locale
from jumok.version import __version__

# Files with mechanisms of the user's own, separated as in PATH.
PLUGINS = "JUMOK_PLUGINS"
# verb -> (module:name, help line). The name is a function (one verb) or a typer.Typer (a group of verbs).
VERBS: dict[str, tuple[str, str]] = {
    "demo": ("jumok.cli.demo:demo", "Train the default model in minutes and translate with it."),
    "train": ("jumok.cli.train:train", "Train a model from parallel text or the phrasebook."),
    "adapt": ("jumok.cli.adapt:adapt", "Train a model further on your own text, in minutes."),
    "summarise": ("jumok.cli.summarise:summarise", "Summarise texts with a run of task=summarisation."),
    "translate": ("jumok.cli.translate:translate", "Translate lines with a trained model."),
    "align": ("jumok.cli.pairs:align", "Align the words of given pairs with a trained model."),
    "aligner": ("jumok.cli.aligner:aligner", "Learn a word alignment of two files from these files alone."),
    "score": ("jumok.cli.pairs:score", "Score given translations with a trained model."),
    "classify": ("jumok.cli.classify:classify", "Name pictures from a few labelled ones."),
    "play": ("jumok.cli.play:play", "Let a trained agent play bandits beside classic players."),
    "caption": ("jumok.cli.caption:caption", "Describe pictures, and show where each word looked."),
    "generate": ("jumok.cli.generate:generate", "Draw pictures with a trained generator."),
    "average": ("jumok.cli.average:average", "Average the weights of runs that share an initialisation."),
    "export": ("jumok.cli.export:export", "Write a model for CTranslate2, Argos or Hugging Face."),
    "import": ("jumok.cli.exchange:import_model", "Make a run of a MarianMT model in Hugging Face's layout."),
    "shortlist": ("jumok.cli.export:shortlist", "Learn the likely translations of words, for faster search."),
    "run": ("jumok.cli.run:app", "Check the files of a run; calibrate its confidences."),
    "evaluate": ("jumok.cli.evaluate:evaluate", "Measure BLEU, chrF and the alignment error of a model."),
    "card": ("jumok.cli.evaluate:card", "Write the model card of a run."),
    "mechanisms": ("jumok.cli.attention:mechanisms", "List the attention mechanisms, each with its paper."),
    "explain": ("jumok.cli.attention:explain", "Compute a mechanism step by step, with numbers."),
    "studio": ("jumok.cli.studio:studio", "Open a web page that shows where a model looks."),
    "data": ("jumok.cli.data:app", "Write an embedded corpus, or check parallel text."),
    "serve": ("jumok.cli.serve:serve", "Serve trained models over HTTP, with APIs that clients know."),
    "cluster": ("jumok.cli.cluster:app", "Translate a large corpus, or serve, on a Ray cluster."),
    "config": ("jumok.cli.config:app", "Print the config that keys resolve to, or list every key."),
}


class LazyVerbs(TyperGroup):
    """A group that lists verbs from the table and imports a verb's module only to run or complete it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The real command in place of the table's line."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, (load_verb(name) if name in VERBS else command), rest

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name; one that the table does not know may be a plugin's."""
        found = super().get_command(ctx, cmd_name)
        if found is None:
            use_plugins(ctx.params.get("plugin") or [])
            found = own_command(cmd_name) if cmd_name in COMMANDS else None
        return found

    def get_help(self, ctx: Any) -> str:
        """The help, in the language of the person."""
        if language_of_locale() != "ko":
            return super().get_help(ctx)
        from jumok.cli.in_korean import framed, translate_lines

        translate_lines(self, ctx)
        return framed(super().get_help(ctx))


def load_verb(verb: str) -> Any:
    """The command of a verb, its module imported now."""
    place, help_line = VERBS[verb]
    module, _, name = place.partition(":")
    found = getattr(import_module(module), name)
    if isinstance(found, typer.Typer):
        for one in found.registered_commands:
            one.callback = one.callback and finite_only(one.callback)
        found.info.name, found.info.help = verb, help_line
    command = build_command(found if isinstance(found, typer.Typer) else alone(verb, found))
    command.name = verb
    if language_of_locale() == "ko":
        from jumok.cli.in_korean import translate

        return translate(command)
    return command


def own_command(name: str) -> Any:
    """A command that a plugin added."""
    function, help_line = COMMANDS[name]
    command = build_command(alone(name, function))
    command.name, command.short_help = name, help_line
    return command


def alone(verb: str, function: Callable[..., Any]) -> typer.Typer:
    """A function as the only verb of a program."""
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(verb, no_args_is_help=False)(finite_only(function))
    return single


def finite_only(verb: Callable[..., Any]) -> Callable[..., Any]:
    """The verb, which refuses a number that is not finite in any of its options."""

    @wraps(verb)
    def checked(*arguments: Any, **options: Any) -> Any:
        for name, value in options.items():
            if isinstance(value, float):
                check_finite(f"--{name.replace('_', '-')}", value)
        return verb(*arguments, **options)

    return checked


def show_version(wanted: bool) -> None:
    """Prints the version and exits."""
    if wanted:
        typer.echo(f"jumok {__version__}")
        raise typer.Exit()


app = typer.Typer(
    cls=LazyVerbs,
    name="jumok",
    help="Jumok (주목): sequence-to-sequence learning with attention you can see.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
    plugin: Annotated[
        list[Path] | None,
        typer.Option("--plugin", help="File with parts of your own, for any command; may be repeated."),
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option(help="Language of help and messages: ko or en; default: JUMOK_LANG or the locale's."),
    ] = None,
) -> None:
    """Jumok (주목): sequence-to-sequence learning with attention you can see."""
    if lang not in (None, *LANGUAGES):
        raise InputError(f"Unknown language '{lang}'{did_you_mean(lang, LANGUAGES)}; one of {', '.join(LANGUAGES)}.")
    use_plugins(plugin or [])


def use_plugins(named: Sequence[Path]) -> None:
    """Loads the plugins that are named here or in JUMOK_PLUGINS, which processes that we start read in their turn.

    Only what the user names is executed: a run folder that mentions a plugin does not load it.
    """
    kept = [Path(path) for path in os.environ.get(PLUGINS, "").split(os.pathsep) if path]
    paths = list(dict.fromkeys([*kept, *(path.absolute() for path in named)]))
    if not paths:
        return
    from jumok.attention import load_plugins

    load_plugins(paths)
    os.environ[PLUGINS] = os.pathsep.join(map(str, paths))


def list_verb(verb: str, help_line: str) -> None:
    """Adds a verb to the listing; `LazyVerbs` replaces it when it is called."""
    app.command(verb, help=help_line)(lambda: None)


for _verb, (_place, _help_line) in VERBS.items():
    list_verb(_verb, _help_line)


def run() -> NoReturn:
    """Runs the command line: 0 done, 1 internal error, 2 the user's, 130 and 143 after a signal."""
    if language := asked_language(sys.argv[1:]):
        os.environ[VARIABLE] = language
    try:
        if language_of_locale() == "ko":
            from jumok.cli.in_korean import run_in_korean

            run_in_korean(app)
        else:
            app(prog_name="jumok")
    except JumokError as error:
        tell(f"error: {error}")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader (`| head`) has gone: nothing is wrong, and Python must not complain at its last flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(0)
