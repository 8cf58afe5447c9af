"""What `import jumok` gives: train a run, load one, explain a mechanism, align two texts.

Every function here does what the command of the same name does; the command parses, calls and prints.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jumok import config as configuration
from jumok.errors import ConfigError

if TYPE_CHECKING:
    from jumok.attention import Mechanism
    from jumok.inspect import Explanation
    from jumok.tasks.training import Training
    from jumok.tasks.translation.model import TranslationModel
    from jumok.training.events import Event

Keys = Mapping[str, Any] | str | Path


def train(
    config: Keys | None = None,
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    progress: bool = True,
    on_event: "Callable[[Event], None] | None" = None,
    **sections: Any,
) -> "TranslationModel":
    """Trains a run and gives its model.

    config     keys as on the command line, `{"model.preset": "luong", "train.max_steps": 200}`, nested or dotted; or
               the path of a YAML file. What is left open is chosen from the data.
    out        the run folder to write; `runs/…` if not given
    resume     a run folder to resume instead; `config` may then change keys of train and runtime
    progress   show a bar in a terminal or notebook, lines elsewhere, and what is chosen for you
    on_event   called with each event: a step done, a validation, a checkpoint (`jumok.training.events`)
    sections   whole sections as keywords: `model={"preset": "luong"}, seed=3`

    Ctrl-C saves the run and ends training; the model is then the best so far.
    """
    training = start_training(config, out=out, resume=resume, progress=progress, **sections)
    _watch(training, progress, on_event)
    from jumok.tasks import load

    return load(training.folder)


def _watch(training: "Training", progress: bool, on_event: "Callable[[Event], None] | None") -> None:
    """Trains, with a bar or lines where progress is wanted."""
    from jumok.training.report import watcher

    with watcher() if progress else nullcontext() as shown:
        for event in training:
            if shown is not None and training.writer:
                shown.hear(event)
            if on_event is not None:
                on_event(event)


def start_training(
    config: Keys | None = None,
    *,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    progress: bool = False,
    **sections: Any,
) -> "Training":
    """A run whose training is done while you iterate over it: `for event in jumok.start_training(…): …`.

    config     keys in a mapping, nested or dotted, or the path of a YAML file
    out        the run folder to write; `runs/…` if not given
    resume     a run folder to resume instead; `config` may then change keys of train and runtime
    progress   print what is chosen for you
    sections   whole sections as keywords, as for `train`

    `training.folder` is the run folder and `training.stopped` says how it ended; leaving the loop early leaves a run
    that `resume` continues from its last checkpoint.
    """
    from jumok.tasks import training

    say = _print if progress else training.say_nothing
    keys = _keys(config, sections)
    if resume is not None:
        if out is not None:
            raise ConfigError("A run is resumed in its own folder; leave out `out`.")
        return training.resume(Path(resume), [f"{key}={_text(value)}" for key, value in keys.items()], say)
    resolved = configuration.resolve(configuration.nest(keys))
    return training.begin(resolved, set(keys), None if out is None else Path(out), say)


def adapt(
    run: str | Path,
    source: str | Path,
    target: str | Path | None = None,
    *,
    out: str | Path | None = None,
    terms: str | Path | None = None,
    minutes: float = 5.0,
    mix: float = 1.0,
    source_language: str | None = None,
    target_language: str | None = None,
    progress: bool = True,
    train: Mapping[str, Any] | None = None,
) -> "TranslationModel":
    """Trains a run further on your text and gives the new run's model; the old run is not touched.

    run        the run to adapt
    source     your text: a TMX, .tsv or .jsonl file of pairs, or the source side of two line-aligned files
    target     the target side of two files
    out        the run folder to write; `RUN-adapted` if not given
    terms      file with terms to watch: source term, tab, target term
    minutes    training ends after this time at the latest
    mix        old pairs seen per pair of yours; more of them forget less
    progress   show a bar in a terminal or notebook, lines elsewhere
    source_language, target_language   which languages of a TMX are meant, such as `en-US` and `ko`
    train      keys under `train` to set otherwise, such as `{"learning_rate": 0.0002}`

    What was gained and forgotten is in `adapted.json` and in the model card of the new run.
    """
    from jumok.tasks import load
    from jumok.tasks.training import say_nothing
    from jumok.tasks.translation.adaptation.recipe import Request, start_adapting

    paths = [None if path is None else Path(path) for path in (target, terms, out)]
    overrides = tuple(f"train.{key}={_text(value)}" for key, value in (train or {}).items())
    request = Request(
        Path(run), Path(source), *paths, minutes=minutes, mix=mix, overrides=overrides,
        source_language=source_language, target_language=target_language,
    )  # fmt: skip
    training = start_adapting(request, _print if progress else say_nothing)
    _watch(training, progress, None)
    return load(training.folder)


def mechanisms(plugins: Sequence[str | Path] = ()) -> "list[Mechanism]":
    """Every attention mechanism: name, score, scope, normalisation, paper, what it is good for.

    plugins   files with mechanisms of your own, which join the catalogue
    """
    from jumok.attention import catalog, load_plugins

    load_plugins(plugins)
    return catalog()


def explain(
    name: str | None = None,
    *,
    query: Sequence[Sequence[float]] | None = None,
    keys: Sequence[Sequence[float]] | None = None,
    values: Sequence[Sequence[float]] | None = None,
    mask: Sequence[bool] | Sequence[Sequence[bool]] | None = None,
    parameters: Mapping[str, Sequence[Sequence[float]]] | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int = 0,
    position: int | None = None,
    draw: bool = False,
    lang: str = "en",
) -> "Explanation":
    """A mechanism worked through step by step in numbers; printing it shows the text.

    name         a name of `mechanisms()`, or `generalise`; none: the worked example
    query, keys  vectors to use; drawn if not given
    values       the values' vectors; the keys if not given
    seed         draws the parameters and vectors that are not given
    mask         which keys may be attended
    parameters   matrices of the score by name, such as `{"W": [[1, 7], [-8, 4]]}`
    options      options of the mechanism, such as `{"D": 2}`
    position     where the first query stands, from 0
    draw         hard attention draws as in training
    lang         en or ko
    """
    import numpy as np

    from jumok.inspect import Request, explain_request

    def rows(given: Any) -> Any:
        return None if given is None else np.atleast_2d(np.asarray(given, dtype=np.float64))

    request = Request(
        name or "",
        query=rows(query),
        keys=rows(keys),
        values=rows(values),
        mask=None if mask is None else np.asarray(mask, dtype=bool),
        parameters={key: rows(value) for key, value in (parameters or {}).items()},
        options=dict(options or {}),
        seed=seed,
        position=position,
        draw=draw,
    )
    return explain_request(request, lang)


def _keys(config: Keys | None, sections: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys of a file or mapping, with the keywords over them."""
    if config is None:
        tree: Mapping[str, Any] = {}
    elif isinstance(config, str | Path):
        tree = configuration.load(Path(config))
    elif isinstance(config, Mapping):
        tree = config
    else:
        raise ConfigError(f"A config is a mapping of keys or the path of a YAML file, not {type(config).__name__}.")
    return configuration.flatten(tree) | configuration.flatten(sections)


def _text(value: Any) -> str:
    """A value as an override of the command line has it."""
    return json.dumps(value)


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
