"""`train.init_from` for models that write text: which weights mean nothing under another vocabulary."""

from pathlib import Path

from jumok.errors import TextError
from jumok.models.seq2seq import Seq2Seq
from jumok.tasks.warm_start import check_fit, take_weights
from jumok.text.tokenizer import Tokenizer, load_tokenizer

# Tables with a row for each word: they mean nothing under another vocabulary.
SOURCE_TABLES = ("own_source_embedding.weight",)


def target_tables(model: Seq2Seq) -> tuple[str, ...]:
    """The target embedding, and what the head has a row of for each word."""
    own = model.generator.state_dict(prefix="generator.")
    rows = (name for name, value in own.items() if value.shape[:1] == (model.target_size,))
    return ("target_embedding.weight", *rows)


def check_start(model: Seq2Seq, run: Path) -> None:
    """Raises unless some weight of the run, word tables aside, fits the model."""
    check_fit(model, run, SOURCE_TABLES + target_tables(model))


def start_from(model: Seq2Seq, run: Path, source: Tokenizer, target: Tokenizer) -> str:
    """Takes the weights of another run that fit, word tables only under the same vocabulary; tells what was taken."""
    return take_weights(model, run, _tables_of_other_words(run, source, target, target_tables(model)))


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
