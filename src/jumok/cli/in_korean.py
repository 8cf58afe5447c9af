"""The command line in Korean: help, usage and errors, from the tables beside it."""

import re
import sys
from typing import Any, NoReturn

from jumok.cli.korean import FRAME, HELP
from jumok.cli.korean_errors import in_korean

# The library counts characters, of which one of Hangul takes two columns.
_WIDTH = 56


def translate(command: Any) -> Any:
    """The command with its help, its options' and its commands' in Korean."""
    command.help = _help(command.help)
    command.short_help = _help(command.short_help)
    for option in command.params:
        if getattr(option, "help", None):
            option.help = _help(option.help)
    for inner in getattr(command, "commands", {}).values():
        translate(inner)
    written = command.get_help
    command.get_help = lambda ctx: framed(_narrow(ctx, written))
    return command


def translate_lines(group: Any, ctx: Any) -> None:
    """The list of commands of a group and its own options in Korean, before they are printed."""
    ctx.terminal_width = _WIDTH
    group.help = _help(group.help)
    for option in group.params:
        option.help = _help(option.help)
    for inner in group.commands.values():
        inner.help = _help(inner.help)


def _help(english: str | None) -> str | None:
    return None if english is None else HELP.get(english, english)


def _narrow(ctx: Any, written: Any) -> str:
    ctx.terminal_width = _WIDTH
    return written(ctx)


def framed(text: str) -> str:
    """The text with the words that the library writes around ours in Korean; it may have broken a line within them."""
    for english, korean in FRAME.items():
        text = re.sub(re.escape(english).replace(r"\ ", r"\s+"), korean, text)
    return text


def run_in_korean(app: Any) -> None:
    """Runs the command line; what it cannot read is told in Korean and ends with 2."""
    try:
        code = app(prog_name="jumok", standalone_mode=False)
    except Exception as error:
        # Whichever copy of it the library uses, an error of reading the command line formats its own message.
        if not hasattr(error, "format_message"):
            raise
        refuse(error)
    sys.exit(code if isinstance(code, int) else 0)


def refuse(error: Any) -> NoReturn:
    """Prints what could not be read, how the command is used, and where its help is."""
    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        print(framed(ctx.get_usage()), file=sys.stderr)
        print(f"'{ctx.command_path} -h'로 도움말을 볼 수 있습니다.\n", file=sys.stderr)
    print(f"오류: {in_korean(error.format_message())}", file=sys.stderr)
    sys.exit(error.exit_code)
