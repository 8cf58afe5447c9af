"""`jumok evaluate` of captioning runs: on the picturebook, or on a list of one's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jumok.config import CaptioningConfig
from jumok.data.images import Picture, read_image
from jumok.data.images.captioned import has_splits, open_pictures, read_captions
from jumok.errors import InputError
from jumok.evaluation.captions import ORDERS
from jumok.evaluation.report import Table
from jumok.tasks.captioning.evaluating import CaptionEvaluation, evaluate_pictures, evaluate_scenes
from jumok.tasks.captioning.model import CaptionModel, load
from jumok.tasks.measuring import Asked

SPLITS = ("test", "compose")
EFFECTS = 20
"""Scenes on which the effect of erasing is measured."""


@dataclass(frozen=True)
class Measured:
    """The scores of several runs, as `jumok evaluate` prints them."""

    found: tuple[CaptionEvaluation, ...]

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"captions": [one.as_dict() for one in self.found]}

    def tables(self) -> list[Table]:
        """Scores; exact captions by the number of things; where words look."""
        tables = [_score_table(self.found), _bleu_table(self.found)]
        things = sorted({number for one in self.found for number in one.exact_by_things})
        if things:
            rows = tuple(
                (f"{one.name}, {one.test}", *(_shown(one.exact_by_things.get(n), 1) for n in things))
                for one in self.found
            )
            columns = ("run", *(f"{n} thing{'s' * (n > 1)}" for n in things))
            tables.append(Table("Exact captions (%) by the number of things", columns, rows))
        return tables + [_region_table(one) for one in self.found if one.regions]


def _score_table(found: Sequence[CaptionEvaluation]) -> Table:
    columns = ("run", "exact (%)", "ROUGE-L", "CIDEr-D", "pointing")
    rows = tuple(
        (
            f"{one.name}, {one.test}",
            *(_shown(value, 1) for value in (one.scores.exact, one.scores.rouge_l)),
            _shown(one.scores.cider_d, 2),
            _shown(one.regions.get("all", {}).get("pointing"), 3),
        )
        for one in found
    )
    return Table("Captions", columns, rows)


def _bleu_table(found: Sequence[CaptionEvaluation]) -> Table:
    """A table of its own: beside the other scores it would be wider than a terminal."""
    orders = tuple(f"BLEU-{order}" for order in range(1, ORDERS + 1))
    rows = tuple(
        (f"{one.name}, {one.test}", *(_shown(value, 1) for value in (*one.scores.bleu, one.scores.bleu_unpenalised[3])))
        for one in found
    )
    signatures = dict.fromkeys(
        f"BLEU-4: {one.scores.signature}" + "; compared in lower case, without punctuation" * one.plain for one in found
    )
    return Table("BLEU", ("run", *orders, "BLEU-4 without penalty"), rows, "\n".join(signatures))


def _region_table(one: CaptionEvaluation) -> Table:
    columns = ("words", "count", "pointing", "energy", "log p lost, attended", "log p lost, elsewhere")
    rows = tuple(
        (
            kind,
            int(values["words"]),
            _shown(values["pointing"], 3),
            _shown(values["energy"], 3),
            *(_shown(one.effects.get(kind, {}).get(key), 3) for key in ("attended", "elsewhere")),
        )
        for kind, values in one.regions.items()
    )
    return Table(f"Where words look: {one.name}, {one.test}", columns, rows)


def _shown(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def measure(runs: list[Path], asked: Asked) -> Measured:
    """The scores of runs, as `jumok evaluate` asks for them: on the picturebook, or on a list of one's own."""
    if asked.references:
        raise InputError("--reference is for text; the captions of pictures are in the list that --source names.")
    if asked.tokenize is not None:
        raise InputError("--tokenize is for text; captions are compared word by word, so leave it out.")
    found: list[CaptionEvaluation] = []
    for name, run in zip(asked.names, runs, strict=True):
        model = load(run, asked.device)
        if asked.source is not None:
            found.append(_on_list(model, asked, name))
            continue
        if not _config(model).data.is_picturebook:
            raise InputError(
                "the run was trained on pictures of your own; name a test set: --source LIST.tsv or .jsonl."
            )
        for split in SPLITS:
            effects = EFFECTS if split == "test" else 0
            found.append(evaluate_scenes(model, split, asked.size, name=name, beam=asked.beam, effects=effects))
    return Measured(tuple(found))


def _config(model: CaptionModel) -> CaptioningConfig:
    config = model.run.config
    assert isinstance(config, CaptioningConfig)
    return config


def _on_list(model: CaptionModel, asked: Asked, name: str) -> CaptionEvaluation:
    """The scores on a list of captions; its pictures lie where the run's training pictures lay, or beside the list."""
    assert asked.source is not None
    data = _config(model).data
    rows = read_captions(asked.source, data.test_split if has_splits(asked.source) else "")
    place = data.test_images or data.images
    pictures = open_pictures(place if place and Path(place).exists() else asked.source.parent)
    absent = [row.file for row in rows if pictures.content(row.file) is None]
    if absent:
        raise InputError(
            f"{len(absent)} pictures of {asked.source} are not in {pictures.name}: {', '.join(absent[:5])}."
        )
    # Read when their turn comes: decoded, thousands of photographs are more than memory holds.
    given = (Picture(read_image(pictures.content(row.file) or b"", name=row.file), row.file) for row in rows)
    silent = [row.file for row in rows if not row.captions]
    if silent:
        raise InputError(f"{asked.source} has pictures without a caption to compare with: {', '.join(silent[:5])}.")
    references = [row.captions for row in rows]
    return evaluate_pictures(model, given, references, name=name, test=asked.source.name, beam=asked.beam, plain=True)
