"""`jumok config print` and `jumok config schema`: what a config resolves to, and every key."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from jumok import config as configuration
from jumok.cli.options import ConfigArguments
from jumok.errors import ConfigError

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


def split_arguments(arguments: list[str]) -> tuple[Path | None, list[str]]:
    """The config file (if one was named) and the `key.sub=value` overrides among the arguments."""
    files = [argument for argument in arguments if "=" not in argument]
    if len(files) > 1:
        raise ConfigError(f"Give one config file, not {len(files)}: {', '.join(files)}.")
    return (Path(files[0]) if files else None), [argument for argument in arguments if "=" in argument]


def resolve_arguments(
    arguments: list[str], extra: Mapping[str, Any] | None = None
) -> tuple[configuration.Config, set[str]]:
    """The full config of `[CONFIG] [key.sub=value …]` and the keys that were given; `extra` are those of options."""
    path, overrides = split_arguments(arguments)
    given = configuration.flatten(configuration.load(path) if path else {}) | dict(extra or {})
    keys = {*given, *(item.partition("=")[0].strip() for item in overrides)}
    return configuration.resolve(configuration.nest(given), overrides), keys


@app.command("print")
def print_config(
    arguments: ConfigArguments = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of YAML.")] = False,
) -> None:
    """Print the full config that a file and overrides resolve to; what no machine could train is refused."""
    from jumok.tasks import complete

    tree = complete(*resolve_arguments(arguments or [])).model_dump(mode="json")
    text = json.dumps(tree, ensure_ascii=False, indent=2) + "\n"
    typer.echo(text if as_json else yaml.safe_dump(tree, allow_unicode=True, sort_keys=False), nl=False)


@app.command("schema")
def schema(
    task: Annotated[
        str, typer.Argument(metavar="[TASK]", help="Task whose keys are listed.")
    ] = configuration.DEFAULT_TASK,
    as_json: Annotated[bool, typer.Option("--json", help="JSON Schema instead of a table.")] = False,
) -> None:
    """List every key with its default and meaning."""
    section = configuration.config_class(task)
    if as_json:
        typer.echo(json.dumps(section.model_json_schema(), ensure_ascii=False, indent=2))
        return
    for key, (default, meaning) in configuration.keys(section).items():
        typer.echo(f"{key:<34} {json.dumps(default, ensure_ascii=False):<14} {meaning}")
    if section is not configuration.TranslationConfig:
        return
    for name, field in configuration.CorpusConfig.model_fields.items():
        default = "" if field.is_required() else json.dumps(field.default)
        typer.echo(f"{f'data.corpora[].{name}':<34} {default:<14} {field.description or ''}")
