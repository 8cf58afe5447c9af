"""What an adaptation gained and what it cost: scores before and after, on the user's text and on the old."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jumok.durable import write_file
from jumok.errors import RunError
from jumok.evaluation.metrics import score_metric
from jumok.run.folder import read_translation_config
from jumok.run.names import ADAPTATION, ADAPTED, METRICS
from jumok.run.status import read_lines
from jumok.tasks.translation.adaptation.terms import Term
from jumok.tasks.translation.adaptation.text import TextPair, read_pairs
from jumok.tasks.translation.model import TranslationModel, load

OWN_TEST, OLD_TEST, TERMS, BEFORE = "test.jsonl", "old-test.jsonl", "terms.json", "before.json"


@dataclass(frozen=True)
class TermUse:
    """A term, the sentences that hold it, and whether they are of the held-out part or were learned from."""

    source: str
    target: str
    sentences: list[str]
    held_out: bool


def term_uses(terms: Sequence[Term], held_out: Sequence[str], learned: Sequence[str]) -> list[TermUse]:
    """The sentences on which each term is measured: held-out ones, or where none has it, ones that are learned from."""
    found: list[TermUse] = []
    for term in terms:
        unseen = term.among(held_out)
        numbers, lines = (unseen, held_out) if unseen else (term.among(learned), learned)
        found.append(TermUse(term.source, term.target, [lines[number] for number in numbers], bool(unseen)))
    return found


def measure(model: TranslationModel, folder: Path) -> dict[str, Any]:
    """BLEU and chrF on both test sets, and how often each term is written, by what lies in an `adaptation` folder."""
    found: dict[str, Any] = {}
    for name, file in (("own", OWN_TEST), ("old", OLD_TEST)):
        pairs = read_pairs(folder / file)
        if pairs:
            found[name] = _scores(model, pairs)
    found["terms"] = [_written(model, use) for use in read_uses(folder)]
    return found


def _scores(model: TranslationModel, pairs: Sequence[TextPair]) -> dict[str, float]:
    outputs = [one.text for one in model.translate([source for source, _ in pairs])]
    references = [target for _, target in pairs]
    return {name: score_metric(name, outputs, references).value for name in ("bleu", "chrf")}


def _written(model: TranslationModel, use: TermUse) -> int:
    term = Term(use.source, use.target)
    return sum(term.written(one.text) for one in model.translate(use.sentences)) if use.sentences else 0


def read_uses(folder: Path) -> list[TermUse]:
    """The terms of an adaptation with their sentences."""
    return [TermUse(**row) for row in _read(folder / TERMS)]


def write_uses(folder: Path, uses: Sequence[TermUse]) -> None:
    """Keeps the terms with their sentences."""
    _write(folder / TERMS, [asdict(use) for use in uses])


def write_before(folder: Path, about: dict[str, Any], scores: dict[str, Any]) -> None:
    """Keeps what the old run reached, so that the old run is not needed any more."""
    _write(folder / BEFORE, about | {"scores": scores})


def write_report(run: Path) -> dict[str, Any]:
    """Measures an adapted run and writes `adapted.json`: before and after side by side."""
    folder = run / ADAPTATION
    before = _read(folder / BEFORE)
    old, new = before.pop("scores"), measure(load(run, engine="auto"), folder)
    tree = before | {
        name: {"before": old[name], "after": new[name], "sentences": len(read_pairs(folder / file))}
        for name, file in (("own", OWN_TEST), ("old", OLD_TEST))
        if name in new
    }
    tree["terms"] = [
        {"source": use.source, "target": use.target, "sentences": len(use.sentences), "held_out": use.held_out}
        | {"before": was, "after": now}
        for use, was, now in zip(read_uses(folder), old["terms"], new["terms"], strict=True)
    ]
    tree["steps"] = {"done": _steps_done(run), "planned": read_translation_config(run).train.max_steps}
    _write(run / ADAPTED, tree)
    return tree


def _steps_done(run: Path) -> int:
    return max((line["step"] for line in read_lines(run / METRICS) if "step" in line), default=0)


def read_report(run: Path) -> dict[str, Any]:
    """What `write_report` wrote."""
    return _read(run / ADAPTED)


def report_lines(tree: dict[str, Any]) -> list[str]:
    """The report as lines of text."""
    lines = [f"Adapted from {tree['run']} on {tree['pairs']:,} pairs of {tree['text']}, {tree['kept_by']}."]
    for name, title in (("own", "your text (held out)"), ("old", tree["old_name"])):
        if name in tree:
            lines.append(_compared(title, tree[name]))
    for term in tree["terms"]:
        where = "" if term["held_out"] else ", in sentences that were learned from"
        count = term["sentences"]
        shown = f"{term['before']} → {term['after']} of {count}{where}" if count else "in no sentence of your text"
        lines.append(f"{term['source']} → {term['target']}: {shown}")
    return lines + _cut_short(**tree["steps"]) if "steps" in tree else lines


def _cut_short(done: int, planned: int) -> list[str]:
    if done >= planned:
        return []
    return [f"Only {done:,} of {planned:,} steps fitted into the time; a longer --minutes gains more and forgets less."]


def _compared(title: str, part: dict[str, Any]) -> str:
    before, after = part["before"], part["after"]
    named = ", ".join(
        f"{label} {before[name]:.1f} → {after[name]:.1f} ({after[name] - before[name]:+.1f})"
        for name, label in (("bleu", "BLEU"), ("chrf", "chrF"))
    )
    return f"{title}, {part['sentences']} sentences: {named}"


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{path} is missing or damaged ({error}); adapt the run again.") from None


def _write(path: Path, tree: Any) -> None:
    write_file(path, (json.dumps(tree, ensure_ascii=False, indent=2) + "\n").encode("utf-8"))
