"""A trained few-shot classifier in use: `jumok.load(RUN).classify(support, query)`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from jumok.arguments import check_text, shown
from jumok.config import FewShotConfig
from jumok.data.images import SUFFIXES, class_folders, empty_folders
from jumok.errors import InputError
from jumok.models.layout import Episode
from jumok.models.stored import stored_network, usable_device
from jumok.run.folder import read_config, wrong_task
from jumok.run.integrity import steady
from jumok.tasks.few_shot.build import build_classifier
from jumok.tasks.few_shot.pictures import as_ink, read_ink

Picture = str | Path | bytes | np.ndarray
"""A file, the content of one, or uint8 pixels [side, side] of grey."""
MOST_EXAMPLES = 2000


@dataclass(frozen=True)
class Example:
    """A labelled picture of the support set."""

    label: str
    name: str
    pixels_HW: np.ndarray


@dataclass(frozen=True)
class Answer:
    """What a picture was named, and which examples each attention block looked at."""

    label: str
    probabilities: dict[str, float]
    """Of each class, the most likely first."""
    examples: tuple[Example, ...]
    weights: tuple[np.ndarray, ...]
    """For each attention block [S + 1]: the examples in their order, and last the query itself."""

    @property
    def layout(self) -> Episode:
        """How the examples are drawn: in a row, by class."""
        return Episode(tuple(example.label for example in self.examples))

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON."""
        looks = [[round(float(weight), 6) for weight in block] for block in self.weights]
        return {
            "label": self.label,
            "probabilities": {name: round(value, 6) for name, value in self.probabilities.items()},
            "examples": [{"label": example.label, "name": example.name} for example in self.examples],
            "attention": looks,
        }


class FewShotModel:
    """The model of a run, which names pictures of classes that it has never seen."""

    def __init__(self, folder: Path, config: FewShotConfig, device: torch.device, weights: Path | None = None) -> None:
        self.folder, self.config, self.device = folder, config, device
        self.network = stored_network(lambda: build_classifier(config), folder, config.plugins, device, weights)

    def classify(self, support: Any, query: Any) -> list[Answer]:
        """The class of each query.

        support   a folder of class folders; or label → pictures; or a list of (label, picture), in the order in which
                  the model should read them
        query     a picture or a list of them
        """
        examples = self.examples(support)
        return self.answer(examples, [self.read(one)[0] for one in _pictures(query)])

    def answer(self, examples: Sequence[Example], queries_QHW: Sequence[np.ndarray]) -> list[Answer]:
        """The answers for pixels that were read already."""
        if not queries_QHW:
            return []
        labels = self._labels(examples)
        known = [labels.index(example.label) for example in examples]
        chances_QN, looks = self.look([example.pixels_HW for example in examples], known, queries_QHW, len(labels))
        return [
            _answer(labels, chances_N, tuple(examples), tuple(block[number] for block in looks))
            for number, chances_N in enumerate(chances_QN)
        ]

    @torch.no_grad()
    def look(
        self,
        examples_SHW: Sequence[np.ndarray],
        labels_S: Sequence[int],
        queries_QHW: Sequence[np.ndarray],
        classes: int,
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """The chances [Q, classes] of each class, and each attention block's weights [Q, S + 1]."""
        self._check_reach(len(labels_S))
        pixels = torch.from_numpy(np.stack([*examples_SHW, *queries_QHW]))[None].to(self.device)
        known = torch.tensor([list(labels_S)], device=self.device)
        named = self.network(pixels, known, need_weights=True)
        chances_QN = named.logits_EQN[0, :, :classes].softmax(-1).cpu().numpy()
        return chances_QN, [block[0].cpu().numpy() for block in named.weights]

    def examples(self, support: Any) -> list[Example]:
        """The support set as examples."""
        if isinstance(support, str | Path):
            support = _folder(Path(support))
        if isinstance(support, Mapping):
            support = [(label, picture) for label, pictures in support.items() for picture in _pictures(pictures)]
        return [self._example(one) for one in _listed(support)]

    def read(self, picture: Picture) -> tuple[np.ndarray, str]:
        """Pixels and name of a picture."""
        side = self.config.data.side
        if isinstance(picture, np.ndarray):
            if picture.shape != (side, side) or picture.dtype != np.uint8:
                raise InputError(f"An array must be uint8 [{side}, {side}], not {picture.dtype} {[*picture.shape]}.")
            return as_ink(picture), "array"
        if not isinstance(picture, str | Path | bytes):
            raise InputError(f"A picture is a file name, its bytes or an array, not {shown(picture)}.")
        return read_ink(picture, side), "picture" if isinstance(picture, bytes) else Path(picture).name

    def _check_reach(self, examples: int) -> None:
        """Refuses examples that no block can look back at: they would change nothing."""
        reach = self.network.blocks.reach
        if reach is not None and examples >= reach:
            raise InputError(
                f"The support set has {examples} examples, and {self.folder} looks only {reach - 1} back; leave some "
                "out, or train with more data.shots."
            )

    def _example(self, given: tuple[str, Picture]) -> Example:
        pixels, name = self.read(given[1])
        return Example(given[0], name, pixels)

    def _labels(self, examples: Sequence[Example]) -> list[str]:
        labels = list(dict.fromkeys(example.label for example in examples))
        ways = self.network.ways
        if not examples:
            raise InputError("There are no labelled examples; give at least one of each class.")
        if len(labels) > ways:
            raise InputError(
                f"The support set has {len(labels)} classes, and {self.folder} was trained for {ways}; leave some out, "
                f"or train with data.ways={len(labels)}."
            )
        if len(examples) > MOST_EXAMPLES:
            raise InputError(f"The support set has {len(examples):,} examples; at most {MOST_EXAMPLES:,} are read.")
        return labels


def _folder(path: Path) -> dict[str, tuple[Path, ...]]:
    """The classes of a folder; one without pictures would be missing from the answer without a word."""
    found = class_folders(path)
    if empty := empty_folders(path):
        raise InputError(f"{empty[0]} holds no pictures ({', '.join(SUFFIXES)}); add some or remove the folder.")
    return found


def _listed(support: Any) -> list[tuple[str, Picture]]:
    if not isinstance(support, Iterable):
        raise InputError("A support set is a folder, a mapping of labels to pictures, or a list of (label, picture).")
    found: list[tuple[str, Picture]] = []
    for number, one in enumerate(cast("Iterable[Any]", support), start=1):
        if not isinstance(one, tuple | list) or len(cast("Sequence[Any]", one)) != 2:
            raise InputError(f"example {number} must be (label, picture), not {shown(one)}.")
        label, picture = cast("tuple[Any, Any]", one)
        # A number is a label too: classes of arrays are often counted.
        check_text(f"the label of example {number}", str(label) if isinstance(label, Integral) else label)
        found.append((str(label), picture))
    return found


def _pictures(given: Any) -> list[Any]:
    """One picture or several as a list."""
    if isinstance(given, str | Path | bytes | np.ndarray):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise InputError(f"a picture or a list of pictures is needed, such as 'photo.png', not {shown(given)}.")
    return list(cast("Iterable[Any]", given))


def _answer(
    labels: Sequence[str], chances_N: np.ndarray, examples: tuple[Example, ...], weights: tuple[np.ndarray, ...]
) -> Answer:
    order = [int(place) for place in np.argsort(-chances_N, kind="stable")]
    chances = {labels[place]: float(chances_N[place]) for place in order}
    return Answer(labels[order[0]], chances, examples, weights)


def load(path: str | Path, device: str = "cpu", *, weights: Path | None = None) -> FewShotModel:
    """The classifier of a run folder; `weights` takes those of a snapshot or checkpoint instead of the best ones."""
    return steady(lambda: FewShotModel(Path(path), _config(Path(path)), usable_device(device), weights))


def _config(folder: Path) -> FewShotConfig:
    config = read_config(folder)
    if not isinstance(config, FewShotConfig):
        raise wrong_task(folder, config, "classify")
    return config
