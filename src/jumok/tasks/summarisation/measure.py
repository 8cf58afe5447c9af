"""`jumok evaluate` of summarisation runs."""

from pathlib import Path

from jumok.data.lines import file_lines
from jumok.errors import InputError
from jumok.evaluation.rouge import TOKENISATIONS, Tokenisation, tokeniser
from jumok.evaluation.summaries import SummaryEvaluation
from jumok.tasks.measuring import Asked
from jumok.tasks.summarisation.model import load
from jumok.tasks.summarisation.test_sets import given_test, measured, own_test


def measure(runs: list[Path], asked: Asked) -> SummaryEvaluation:
    """The scores of runs, as `jumok evaluate` asks for them."""
    wanted = chosen_tokenisation(asked.tokenize)
    models = {name: load(run, asked.device) for name, run in zip(asked.names, runs, strict=True)}
    if asked.source is None:
        test = own_test(next(iter(models.values())).run.config, asked.size)
    elif len(asked.references) != 1:
        raise InputError("--source needs one --reference: the summaries that the model's are compared with.")
    else:
        test = given_test(list(file_lines(asked.source)), list(file_lines(asked.references[0])), asked.source.name)
    return measured(models, test, asked.beam, wanted, asked.samples)


def chosen_tokenisation(name: str | None) -> Tokenisation | None:
    """The tokenisation of a name, refused before any work where it cannot be had."""
    if name is None:
        return None
    tokeniser(name)("a")
    return next(one for one in TOKENISATIONS if one == name)
