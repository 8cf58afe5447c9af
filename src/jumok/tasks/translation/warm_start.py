"""`train.init_from`: a model that starts from the weights of another run."""

from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import load as read_tensors

from jumok.errors import RunError, TextError
from jumok.models.seq2seq import Seq2Seq
from jumok.run.integrity import check_file, checked
from jumok.run.names import WEIGHTS
from jumok.text.tokenizer import Tokenizer, load_tokenizer

# Tables with a row for each word: they mean nothing under another vocabulary.
SOURCE_TABLES = ("own_source_embedding.weight",)


def target_tables(model: Seq2Seq) -> tuple[str, ...]:
    """The target embedding, and what the head has a row of for each word."""
    own = model.generator.state_dict(prefix="generator.")
    rows = (name for name, value in own.items() if value.shape[:1] == (model.target_size,))
    return ("target_embedding.weight", *rows)


def weights_of(run: Path) -> Path:
    """The weights of a run folder, or the file itself."""
    path = run / WEIGHTS if run.is_dir() else run
    if not path.is_file():
        raise RunError(f"train.init_from: there is no {path}.")
    return path


def check_start(model: Seq2Seq, run: Path) -> None:
    """Raises unless some weight of the run, word tables aside, fits the model; reads names and shapes only."""
    path = weights_of(run)
    check_file(path)
    try:
        with safe_open(path, framework="pt") as file:
            given = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise RunError(f"train.init_from: {path} cannot be read: {error}.") from None
    own = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    inner = [name for name in own if name not in SOURCE_TABLES + target_tables(model)]
    if not any(given.get(name) == own[name] for name in inner):
        raise RunError(
            f"train.init_from: no weight of {path} fits this model; give both the same kind, cells and sizes."
        )


def start_from(model: Seq2Seq, run: Path, source: Tokenizer, target: Tokenizer) -> str:
    """Takes the weights of another run where names and shapes agree, word tables only under the same vocabulary.

    Gives a sentence that tells what was taken and what is new.
    """
    with checked(weights_of(run)) as content:
        own, given = model.state_dict(), read_tensors(content.bytes)
    other_words = _tables_of_other_words(run, source, target, target_tables(model))
    fitting = {
        name: value
        for name, value in given.items()
        if name in own and own[name].shape == value.shape and name not in other_words
    }
    model.load_state_dict(own | fitting)
    fresh = [name for name in own if name not in fitting]
    rest = f"; new: {', '.join(fresh)}" if fresh else ""
    return f"Started from {run}: {len(fitting)} of {len(own)} weights taken{rest}."


def _tables_of_other_words(
    run: Path, source: Tokenizer, target: Tokenizer, target_tables: tuple[str, ...]
) -> tuple[str, ...]:
    """The word tables whose vocabulary is another in the run; all of them if the run does not tell."""
    if not run.is_dir():
        return ()
    found: tuple[str, ...] = ()
    for side, mine, tables in (("source", source, SOURCE_TABLES), ("target", target, target_tables)):
        try:
            theirs = load_tokenizer(run, side)
        except (TextError, OSError):
            found += tables
            continue
        same = theirs.size == mine.size and all(theirs.token(i) == mine.token(i) for i in range(mine.size))
        found += () if same else tables
    return found
