"""`jumok train`: from a config (or nothing at all) to a trained run folder."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jumok import config as configuration
from jumok.cli.config import split_arguments
from jumok.config import Config
from jumok.errors import ConfigError, InputError, JumokError, RunError
from jumok.output import require_folder_place
from jumok.run.lock import owned
from jumok.run.names import CHECKPOINTS, CONFIG, METRICS, TIMING, WEIGHTS, steps_in

if TYPE_CHECKING:
    import torch

    from jumok.data.store import PairStore
    from jumok.tasks.translation.prepare import Prepared, Say
    from jumok.training.checkpoint import Checkpoint
    from jumok.training.distributed import Processes
    from jumok.training.events import Stopped
    from jumok.training.report import Listener

# What may be changed when a run is resumed: how long and how it is watched, not what it is.
RESUMABLE = ("train.", "runtime.")
# Validation sentences, and their longest, that the reading of a Transformer's attention is chosen on.
SETTLED_ON, SETTLED_WORDS = 30, 30


def train(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CONFIG] [key=value …]", help="config file (YAML) and overrides"),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Training text, source side.")] = None,
    target: Annotated[str | None, typer.Option(help="Training text, target side.")] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder to write; runs/… if not given.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Run folder to go on with.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON on stdout.")] = False,
) -> None:
    """Train a model. Without arguments: the default model on the embedded phrasebook, English to Korean."""
    if resume is not None:
        if source or target or out:
            raise ConfigError("--resume goes on with a run as it is; leave out --source, --target and --out.")
        path, overrides = split_arguments(arguments or [])
        if path is not None:
            raise ConfigError(f"--resume takes the run's own config; leave out {path}.")
        code = _resume(resume, overrides, as_json)
    else:
        files = {key: value for key, value in (("data.source", source), ("data.target", target)) if value}
        code = _begin(arguments or [], files, out, as_json)
    raise typer.Exit(code)


def _begin(arguments: list[str], files: dict[str, str], out: Path | None, as_json: bool) -> int:
    """A new run."""
    path, overrides = split_arguments(arguments)
    given = configuration.flatten(configuration.load(path) if path else {}) | files
    config = configuration.resolve(configuration.nest(given), overrides)
    keys = set(given) | {item.partition("=")[0].strip() for item in overrides}

    from jumok.training import distributed

    own = distributed.own_folder([out] if out else _names(config)) if distributed.restarted() else None
    folder = own or out or _free_name(config)
    with distributed.join(config.runtime.device) as processes:
        if own is not None:
            with _owned(folder, config, processes):
                return _continue(folder, _config_of(folder), processes, as_json)
        _require_free(folder)
        from jumok.tasks.translation.assemble import check_config

        if config.data.is_phrasebook:  # what is chosen for it needs no data, and is checked with the rest
            config = choose_for_phrasebook(config, keys, _say if processes.writer else _say_nothing)
        check_config(config)
        processes.wait()  # until every process has seen that the folder is free
        if not processes.writer:
            processes.wait()
            with _owned(folder, config, processes):
                return _continue(folder, _config_of(folder), processes, as_json, fresh=True)
        from jumok.cli.fresh_folder import FreshFolder

        with FreshFolder(folder) as kept:
            _prepare(config, keys, folder)
            distributed.mark_as_own(folder)
            processes.wait()
            with _owned(folder, config, processes):
                return _continue(folder, _config_of(folder), processes, as_json, fresh=True, listeners=(kept,))


def _resume(folder: Path, overrides: list[str], as_json: bool) -> int:
    """An old run, perhaps with more steps."""
    from jumok.run.folder import write_config
    from jumok.text.tokenizer import load_tokenizer
    from jumok.training import distributed

    config = _config_of(folder)
    for item in overrides:
        if not item.startswith(RESUMABLE):
            key = item.partition("=")[0]
            raise ConfigError(f"'{key}' cannot be changed when a run is resumed; only train.* and runtime.* can.")
    if overrides:
        config = configuration.resolve(config.model_dump(mode="json"), overrides)
        _check_limits(folder, config, {item.partition("=")[0].strip() for item in overrides})
    with distributed.join(config.runtime.device) as processes, _owned(folder, config, processes):
        if overrides:
            from jumok.tasks.translation.assemble import check_config

            check_config(config, begins=False)  # before they are kept: a run must not be left with what cannot work
            processes.wait()
        if overrides and processes.writer:
            write_config(folder, config, load_tokenizer(folder, "source"), load_tokenizer(folder, "target"))
        processes.wait()
        return _continue(folder, config, processes, as_json)


@contextmanager
def _owned(folder: Path, config: Config, processes: "Processes") -> Iterator[None]:
    """Holds the run's lock in the process that writes; where it is refused, every process of the group ends."""
    from jumok.training import environment

    with ExitStack() as stack:
        refused: JumokError | None = None
        if processes.writer:
            try:
                stack.enter_context(owned(folder))
            except JumokError as error:
                refused = error
        device = environment.find_device(config.runtime.device, processes.local_rank)
        [ended] = processes.from_writer([float(refused is not None)], device)
        if refused is not None:
            raise refused
        if ended:
            raise typer.Exit(JumokError.exit_code)
        yield


def _check_limits(folder: Path, config: Config, changed: set[str]) -> None:
    """Refuses a new limit that the run has passed already."""
    from jumok.training import checkpoint as checkpoints

    step, minutes = checkpoints.reached(folder / CHECKPOINTS)
    settings = config.train
    if "train.max_steps" in changed and settings.max_steps < step:
        raise ConfigError(
            f"train.max_steps={settings.max_steps} is below step {step}, which {folder} has reached; raise it."
        )
    if "train.max_minutes" in changed and settings.max_minutes is not None and settings.max_minutes < minutes:
        raise ConfigError(
            f"train.max_minutes={settings.max_minutes:g} is less than the {minutes:.1f} minutes that {folder} has been "
            "trained; raise it."
        )


def _config_of(folder: Path) -> Config:
    from jumok.run.folder import read_config

    return read_config(folder)


def _prepare(config: Config, keys: set[str], folder: Path) -> None:
    from jumok.tasks.translation.prepare import prepare_run

    def choose(config: Config, ids: "PairStore", say: "Say") -> Config:
        if config.train.guided_alignment > 0 and not ids.aligned:
            raise ConfigError(
                "train.guided_alignment needs word links of the training text; set data.alignment to a Pharaoh file."
            )
        return config if config.data.is_phrasebook else choose_length(config, keys, ids, say)

    prepare_run(config, folder, _say, choose)


_RECURRENT = {"model.embedding": 192, "model.encoder.size": 192, "model.decoder.size": 192}
_SMALL = {"size": 128, "layers": 2, "ff": 256, "positions": "rotary"}
# What learns the phrasebook in three minutes on two cores, found on its validation sentences.
PHRASEBOOK: dict[str, dict[str, Any]] = {
    "seq2seq": {**_RECURRENT, "train.learning_rate": 0.004},
    "rnnsearch": {**_RECURRENT, "train.learning_rate": 0.004},
    "luong": {**_RECURRENT, "train.learning_rate": 0.007},
    "transformer": {
        **{f"model.{side}.{key}": value for side in ("encoder", "decoder") for key, value in _SMALL.items()},
        "train.learning_rate": 0.004,
        "train.schedule": "cosine",
    },
}


def choose_for_phrasebook(config: Config, keys: set[str], say: "Say") -> Config:
    """The config with what learns the embedded corpus in minutes on two cores, where the user left it open."""
    steps = config.train.max_steps if "train.max_steps" in keys else 1500
    chosen: dict[str, Any] = {
        "train.batch_tokens": 1024,
        "train.max_steps": steps,
        "train.validate_every": 250,
        "train.warmup": min(100, max(1, steps // 10)),
        **PHRASEBOOK.get(config.model.preset, {}),
    }
    kinds = {f"model.{side}.kind": getattr(config.model, side).kind for side in ("encoder", "decoder")}
    chosen = {key: value for key, value in configuration.fitting(chosen, kinds).items() if key not in keys}
    if chosen:
        say(f"Chosen for the phrasebook: {', '.join(f'{key}={value}' for key, value in chosen.items())}.")
    return _with(config, chosen)


def choose_length(config: Config, keys: set[str], ids: "PairStore", say: "Say") -> Config:
    """The config with the length of training set from the amount of text, where the user left it open."""
    tokens = int(ids.lengths()[:, 1].astype("int64").sum()) + len(ids)
    chosen: dict[str, Any] = {}
    batch = config.train.batch_tokens
    if "train.batch_tokens" not in keys and tokens < 100_000:
        batch = chosen["train.batch_tokens"] = 512 if tokens < 25_000 else 1024
    steps = config.train.max_steps
    if "train.max_steps" not in keys:
        # About 15 times over a middling corpus; a small one is seen more often, a very large one less.
        steps = chosen["train.max_steps"] = _round(min(100_000, max(1000, 15 * tokens // batch)))
    for key in ("train.validate_every", "train.save_every"):
        if key not in keys:
            chosen[key] = max(50, _round(steps // 15))
    if "train.warmup" not in keys:
        chosen["train.warmup"] = min(config.train.warmup, max(1, steps // 10))
    if chosen:
        listed = ", ".join(f"{key}={value}" for key, value in chosen.items())
        say(f"Chosen for {len(ids):,} pairs of {tokens:,} target tokens: {listed}.")
    return _with(config, chosen)


def _with(config: Config, chosen: dict[str, Any]) -> Config:
    flat = configuration.flatten(config.model_dump(mode="json")) | chosen
    return configuration.validate(configuration.nest(flat))


def _round(value: int) -> int:
    """Two significant digits."""
    size = 10 ** max(0, len(str(value)) - 2)
    return max(1, round(value / size) * size)


def _continue(
    folder: Path,
    config: Config,
    processes: "Processes",
    as_json: bool,
    *,
    fresh: bool = False,
    listeners: "Sequence[Listener]" = (),
) -> int:
    """Trains the run in the folder from its newest good checkpoint, or from the start."""
    from jumok.tasks.translation.assemble import build_setup, check_config
    from jumok.tasks.translation.prepare import open_run
    from jumok.training import checkpoint as checkpoints
    from jumok.training import environment
    from jumok.training.interrupt import Interrupts
    from jumok.training.loop import train as train_loop

    threads = environment.set_up(config.runtime.threads, config.runtime.deterministic, processes.local_world)
    device = environment.find_device(config.runtime.device, processes.local_rank)
    say = _say if processes.writer else _say_nothing
    saved = folder / CHECKPOINTS
    resume = None if fresh else checkpoints.latest(saved, lambda text: say(f"warning: {text}"))
    if resume is None and steps_in(saved):
        raise RunError(
            f"No checkpoint of {folder} is whole; train anew with another --out, its model can still be used."
        )
    if not fresh:
        check_config(config, begins=resume is None)
    run = open_run(folder, config)
    with Interrupts() as interrupts:
        here = environment.describe(threads, processes.world, device)
        setup = build_setup(run, processes, device, interrupts, here, say if resume is None else None)
        if resume is not None:
            for difference in environment.differences(resume.environment, here):
                say(f"warning: {difference} since the checkpoint; results will not be equal to the last bit.")
        if processes.writer:
            listeners = [*listeners, *listeners_of(run, resume, device)]
        stopped = _listen(train_loop(setup, resume), listeners)
    if processes.writer:
        from jumok.tasks.translation.card import write_card

        if interrupts.exit_code == 0:
            _settle_alignment(run, say)
        try:
            write_card(folder)
        except InputError as error:  # a README.md of the user's own
            say(f"warning: {error}")
        say(f"The run is in {folder}.")
    if processes.writer and as_json:
        typer.echo(json.dumps(summary(folder, stopped), ensure_ascii=False))
    return interrupts.exit_code


def _settle_alignment(run: "Prepared", say: "Say") -> None:
    """Which heads of a Transformer stand for the word alignment, found on a few validation sentences."""
    from jumok.decoding.alignment_search import settle
    from jumok.decoding.translator import load

    if not run.config.model.decoder.several_readings:
        return
    fitting = (pair for pair in run.dev_text if 3 <= len(pair.source.split()) <= SETTLED_WORDS)
    pairs = [(pair.source, pair.target) for pair in islice(fitting, SETTLED_ON)]
    found = settle(load(run.folder), pairs) if pairs else None
    if found is not None:
        say(found)


def _listen(events: Any, listeners: "Sequence[Listener]") -> "Stopped":
    """Tells the listeners every event; gives the last one."""
    from jumok.training.events import Stopped
    from jumok.training.report import tell

    last = None
    try:
        for last in events:
            tell(listeners, last)
    finally:
        for listener in listeners:
            listener.close()
    assert isinstance(last, Stopped)
    return last


def listeners_of(run: "Prepared", resume: "Checkpoint | None", device: "torch.device") -> "list[Listener]":
    """Files, pictures, and a bar or lines to look at."""
    from jumok.training import report

    folder = run.folder
    listeners: list[report.Listener] = [
        report.MetricsFile(folder / METRICS, None if resume is None else resume.step, _validates_first(resume)),
        report.TimingFile(folder / TIMING),
        report.ProgressBar() if sys.stderr.isatty() else report.LogLines(),
        report.Pictures(folder),
    ]
    if run.config.train.tensorboard:
        listeners.append(report.TensorBoard(folder / "tensorboard"))
    return listeners


def _validates_first(resume: "Checkpoint | None") -> bool:
    """Whether the run goes on with the validation of its last step, whose line must not stand there already."""
    return resume is not None and bool(resume.state.get("progress", {}).get("to_validate"))


def summary(folder: Path, stopped: "Stopped") -> dict[str, Any]:
    """What a script wants to know of a finished run."""
    return {
        "run": str(folder),
        "step": stopped.step,
        "reason": stopped.reason,
        "best": {"metric": stopped.best_metric, "score": stopped.best_score, "step": stopped.best_step},
        "model": str(folder / WEIGHTS),
    }


def _free_name(config: Config) -> Path:
    """`runs/en-ko-rnnsearch`, or the next number if that is taken."""
    return next(folder for folder in _names(config) if not folder.exists() or not any(folder.iterdir()))


def _names(config: Config) -> Iterator[Path]:
    """`runs/en-ko-rnnsearch`, `runs/en-ko-rnnsearch-2`, …, to one that is free."""
    data = config.data
    if data.source or data.corpora:
        first = data.source or data.corpora[0].source
        stem = re.sub(r"[^\w.-]+", "-", Path(first.removesuffix(".gz")).stem) or "run"
    else:
        stem = data.phrasebook
    base = Path("runs") / f"{stem}-{config.model.preset}"
    number, folder = 1, base
    while folder.exists() and any(folder.iterdir()):
        yield folder
        number += 1
        folder = base.with_name(f"{base.name}-{number}")
    yield folder


def _require_free(folder: Path) -> None:
    if (folder / CONFIG).exists():
        raise RunError(f"{folder} already holds a run; resume it with --resume {folder}, or name another --out.")
    require_folder_place(folder, "a new run", lambda _: "it is not empty")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _say_nothing(_text: str) -> None:
    return
