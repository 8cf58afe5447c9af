"""The model card of a run: what it is, what it was trained on, how good it was found to be, how to use it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from jumok.config import TranslationConfig
from jumok.durable import write_file
from jumok.errors import RunError
from jumok.metric import BLEU, CHRF, TER
from jumok.output import require_file_place
from jumok.run.folder import read_translation_config
from jumok.run.integrity import run_hash
from jumok.run.names import ADAPTED, AVERAGED, CARD, EVALUATION, IMPORTED, METRICS, WEIGHTS
from jumok.tasks import card_words
from jumok.tasks.task import CardWords
from jumok.version import __version__

if TYPE_CHECKING:
    from jumok.evaluation.evaluate import Evaluation


def write_card(run: Path) -> Path:
    """Writes the model card (README.md) of the folder `run` into it, and gives its path."""
    path = run / CARD
    require_card_place(run)
    write_file(path, make_card(run).encode("utf-8"))
    return path


def keep_scores(run: Path, found: "Evaluation", test_set: str) -> Path:
    """Writes what `evaluate` found beside the model and into its card, and gives the card.

    run        the run folder that was measured
    found      its scores
    test_set   what the text that it was measured on is called
    """
    require_card_place(run)
    tree = {"test_set": test_set, **found.as_dict()}
    write_file(run / EVALUATION, (json.dumps(tree, ensure_ascii=False, indent=2) + "\n").encode("utf-8"))
    return write_card(run)


def require_card_place(run: Path) -> None:
    """Raises where the run has a README.md that is not a model card of ours."""
    require_file_place(run / CARD, "a model card of Jumok", lambda head: b"library_name: jumok" in head)


def make_card(run: Path) -> str:
    """The card as Markdown with a YAML head, from what lies in the run folder."""
    config = read_translation_config(run)
    sections = [
        head(config),
        f"# {run.resolve().name}\n",
        description(run, config),
        "## Use\n",
        usage(run, card_words(config.task)),
        "## Training\n",
        training(run, config),
        "## Scores\n",
        scores(run),
        *adaptation(run),
        "## The model\n",
        architecture(config),
        files(run),
    ]
    return "\n".join(sections)


def languages(config: TranslationConfig) -> tuple[str, str]:
    """Codes of both languages, `?` where they are not known."""
    data = config.data
    if data.source is None and not data.corpora:
        return card_words(config.task).languages(data)
    return data.source_language or "?", data.target_language or "?"


def head(config: TranslationConfig) -> str:
    """The YAML head that model hubs read."""
    known = [language for language in dict.fromkeys(languages(config)) if language != "?"]
    tree: dict[str, Any] = {"library_name": "jumok", "pipeline_tag": card_words(config.task).tag}
    if known:
        tree["language"] = known
    return f"---\n{yaml.safe_dump(tree, allow_unicode=True, sort_keys=False)}---\n"


def description(run: Path, config: TranslationConfig) -> str:
    """One paragraph."""
    source, target = languages(config)
    model = config.model
    decoder = model.decoder
    looks = "without attention" if decoder.attention == "none" else f"with `{decoder.attention}` attention"
    sides = f"{model.encoder.title} encoder and {decoder.title} decoder"
    made = f"trained with Jumok {__version__}"
    if (run / IMPORTED).is_file():
        about = json.loads((run / IMPORTED).read_text(encoding="utf-8"))
        made = f"imported from `{about['name']}`, {about['format']}, with Jumok {__version__}"
    does = card_words(config.task).does.format(source=source, target=target)
    return f"{does} with a {sides} {looks}, {made}.\n"


def usage(run: Path, words: CardWords) -> str:
    """How to call it."""
    name, verb = run.resolve().name, words.verb
    return (
        f'```sh\necho "…" | jumok {verb} {name}{words.options}\n```\n\n'
        f'```python\nimport jumok\n\nfound = jumok.load({name!r}).{verb}("…")\n'
        f"print({words.printed})\n```\n"
    )


def training(run: Path, config: TranslationConfig) -> str:
    """The text and the course of training."""
    data, train = config.data, config.train
    if data.source is None and not data.corpora:
        text = card_words(config.task).text(data)
    else:
        names = [data.source] if data.source else [corpus.source for corpus in data.corpora]
        text = ", ".join(f"`{Path(str(name)).name}`" for name in names)
    lines = [f"- text: {text}", f"- tokens: `{config.text.kind}`, at most {data.max_length} a side"]
    lines.append(f"- optimiser: {train.optimizer}, learning rate {train.learning_rate:g}, {train.schedule} schedule")
    best = best_validation(run / METRICS)
    if best is not None:
        named = ", ".join(
            f"{name.removeprefix('valid_')} {value:.3f}" for name, value in best.items() if name != "step"
        )
        case = ", against lower-cased references" if config.text.lowercase else ""
        lines.append(f"- best validation at step {best['step']}: {named}{case}")
    if (run / AVERAGED).is_file():
        parts = json.loads((run / AVERAGED).read_text(encoding="utf-8"))["runs"]
        lines.append("- weights: the mean of " + ", ".join(f"`{part['name']}`" for part in parts))
    return "\n".join(lines) + "\n"


def best_validation(path: Path) -> dict[str, Any] | None:
    """The last validation that was the best so far."""
    if not path.is_file():
        return None
    best: dict[str, Any] | None = None
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("best") is True:
            best = {name: value for name, value in row.items() if name == "step" or name.startswith("valid_")}
    return best


def scores(run: Path) -> str:
    """What `jumok evaluate --card` found."""
    path = run / EVALUATION
    if not path.is_file():
        return "Not measured yet; `jumok evaluate RUN --card` measures and writes them here.\n"
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        rows = [(metric.label, tree[metric.name], tree["signature"][metric.name]) for metric in (BLEU, CHRF, TER)]
        uncased = tree.get("ignoring_case")
        if uncased is not None:
            rows += [
                (f"{metric.label} ignoring case", uncased[metric.name], uncased["signature"][metric.name])
                for metric in (BLEU, CHRF)
            ]
        if tree.get("aer") is not None:
            rows.append(("AER", tree["aer"], "forced alignment against gold links"))
        name, count = tree["test_set"], tree["sentences"]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} is damaged: {error}; run `jumok evaluate --card` again.") from None
    listed = "\n".join(f"- {metric} **{value:.3f}** (`{signature}`)" for metric, value, signature in rows)
    return f"On {name} ({count} sentences):\n\n{listed}\n"


def adaptation(run: Path) -> list[str]:
    """What an adaptation gained and cost; nothing where the run is not adapted."""
    if not (run / ADAPTED).is_file():
        return []
    from jumok.tasks.translation.adaptation.report import read_report, report_lines

    listed = "\n".join(f"- {line}" for line in report_lines(read_report(run)))
    return ["## Adaptation\n", f"{listed}\n"]


def architecture(config: TranslationConfig) -> str:
    """The network in a table."""
    encoder, decoder = config.model.encoder, config.model.decoder
    rows = [
        ("encoder", encoder.describe()),
        ("decoder", decoder.describe()),
        ("attention", decoder.describe_attention()),
        ("head", config.model.head.describe()),
    ]
    return "| | |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows) + "\n"


def files(run: Path) -> str:
    """The hash that names this model."""
    found = run_hash(run)
    if found is None:
        return "There are no weights yet.\n"
    return f"Weights are in `{WEIGHTS}` (safetensors); SHA-256 of weights and config: `{found}`.\n"
