"""Episodes in the studio: which examples a few-shot classifier looked at, and what changes when they do."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from jumok.data.glyphbook import draw, name_of
from jumok.data.images import fit, png_bytes
from jumok.data.images import open_store as open_pictures
from jumok.run.names import STORED
from jumok.studio.payload import Matrix
from jumok.studio.payload_episodes import MAX_SHOWN, EpisodeAnswer, EpisodeEdit, EpisodeRequest, Named, ShownExample
from jumok.studio.pictures import Picture
from jumok.studio.problems import invalid
from jumok.studio.sessions import OpenedModel
from jumok.tasks.few_shot.model import FewShotModel
from jumok.tasks.few_shot.pictures import FIRST_DEV_CLASS, as_ink
from jumok.text.seeds import stable_seed

DIGITS = 5
GLYPH_SEED = 20_265
MANY = 100_000


@dataclass(frozen=True)
class Example:
    """A picture with the class it is said to be of."""

    pixels_HW: np.ndarray
    label: int
    truth: int
    place: int


@dataclass(frozen=True)
class Episode:
    """Examples in the order in which they are read, and a query of each class."""

    classes: tuple[str, ...]
    examples: tuple[Example, ...]
    queries: tuple[np.ndarray, ...]


def episode(opened: OpenedModel[FewShotModel], request: EpisodeRequest, picture: Picture | None) -> EpisodeAnswer:
    """The episode of a number, named with and without the edits."""
    model = opened.model
    drawn = drawn_episode(model, request.number, request.shots or model.config.data.shots)
    if request.query >= len(drawn.classes):
        raise invalid(f"The episode has {len(drawn.classes)} classes; there is no class {request.query}.")
    truth = None if picture is not None else request.query
    query_HW = drawn.queries[request.query] if picture is None else _as_query(picture, model.config.data.side)
    edited = apply(drawn, request.edits)
    return EpisodeAnswer(
        run=opened.ref,
        classes=list(drawn.classes),
        episode=_shown(drawn.examples),
        query_png=_png(query_HW),
        query_label=truth,
        before=_named(model, drawn, drawn.examples, query_HW, truth),
        examples=_shown(edited),
        after=_named(model, drawn, edited, query_HW, truth),
    )


def drawn_episode(model: FewShotModel, number: int, shots: int) -> Episode:
    """The episode of a number: of the run's own held-out classes where they are kept, else of the glyphbook."""
    random = np.random.Generator(np.random.PCG64(stable_seed(GLYPH_SEED, "episode", number)))
    ways = model.network.ways
    if ways * shots > MAX_SHOWN:
        raise invalid(f"{ways} classes of {shots} examples are more than the {MAX_SHOWN} that are shown; take fewer.")
    names, pictures = _stored(model, random, shots) or _glyphs(model, random, shots)
    order = random.permutation(ways * shots)
    examples = [(pictures[c][1 + k], c) for c in range(ways) for k in range(shots)]
    read = tuple(_example(*examples[int(one)], place) for place, one in enumerate(order))
    return Episode(tuple(names), read, tuple(own[0] for own in pictures))


def _example(pixels_HW: np.ndarray, truth: int, place: int) -> Example:
    return Example(pixels_HW, truth, truth, place)


def _glyphs(model: FewShotModel, random: np.random.Generator, shots: int) -> tuple[list[str], list[list[np.ndarray]]]:
    """Glyphs of alphabets that no run learns from: for each class a query and its examples."""
    chosen = FIRST_DEV_CLASS + random.choice(MANY, model.network.ways, replace=False)
    side = model.config.data.side
    pictures = [[draw(GLYPH_SEED, int(one), drawing, side) for drawing in range(1 + shots)] for one in chosen]
    return [name_of(GLYPH_SEED, int(one)) for one in chosen], pictures


def _stored(
    model: FewShotModel, random: np.random.Generator, shots: int
) -> tuple[list[str], list[list[np.ndarray]]] | None:
    """Pictures of the run's validation classes; None where they are not kept with it, or too few."""
    store = open_pictures(model.folder / STORED / "dev", "dev")
    if store is None or model.config.data.train is None:
        return None
    names, counts = store.notes["names"], store.notes["counts"]
    enough = [c for c, count in enumerate(counts) if count > shots]
    if len(enough) < model.network.ways:
        return None
    chosen = random.choice(enough, model.network.ways, replace=False)
    first = np.concatenate([[0], np.cumsum(counts)])
    rows = [first[c] + random.choice(counts[c], 1 + shots, replace=False) for c in chosen]
    return [str(names[c]) for c in chosen], [list(store.batch(own)) for own in rows]


def apply(drawn: Episode, edits: Sequence[EpisodeEdit]) -> tuple[Example, ...]:
    """The support set with the edits, one after the other; places count the examples as the episode has them."""
    order = list(range(len(drawn.examples)))
    labels = [example.label for example in drawn.examples]
    dropped: set[int] = set()
    for edit in edits:
        most = len(drawn.classes) if edit.kind == "label" else len(order)
        if edit.at >= len(order) or edit.other >= most:
            raise invalid(f"The episode has no example or class for the edit '{edit.kind}' of {edit.at}.")
        if edit.kind == "drop":
            dropped.add(edit.at)
        elif edit.kind == "label":
            labels[edit.at] = edit.other
        else:
            one, other = order.index(edit.at), order.index(edit.other)
            order[one], order[other] = order[other], order[one]
    kept = [replace(drawn.examples[place], label=labels[place]) for place in order if place not in dropped]
    if not kept:
        raise invalid("Every example was left out; keep at least one.")
    return tuple(kept)


def _named(
    model: FewShotModel, drawn: Episode, examples: Sequence[Example], query_HW: np.ndarray, truth: int | None
) -> Named:
    pixels, labels = [one.pixels_HW for one in examples], [one.label for one in examples]
    chances_QN, looks = model.look(pixels, labels, [query_HW], len(drawn.classes))
    weights = [block_QS[0] for block_QS in looks]
    rows: list[float | None] = [round(float(weight), DIGITS) for block in weights for weight in block]
    right = [] if truth is None else [_share(block, [one.truth for one in examples], truth) for block in weights]
    chances = [round(float(chance), DIGITS) for chance in chances_QN[0]]
    return Named(chances=chances, weights=Matrix(shape=[len(weights), len(examples) + 1], data=rows), right=right)


def _share(weights_S: np.ndarray, truths: Sequence[int], truth: int) -> float:
    """The share of the weight on examples that lies on those of a class."""
    on = weights_S[:-1]
    mine = on[np.array(truths) == truth].sum()
    return round(float(mine / max(float(on.sum()), 1e-9)), DIGITS)


def _shown(examples: Sequence[Example]) -> list[ShownExample]:
    return [ShownExample(png=_png(e.pixels_HW), label=e.label, truth=e.truth, place=e.place) for e in examples]


def _png(pixels_HW: np.ndarray) -> str:
    """Dark ink on white, as people write."""
    return base64.b64encode(png_bytes(255 - pixels_HW)).decode()


def _as_query(picture: Picture, side: int) -> np.ndarray:
    return as_ink(fit(picture.pixels_HW3, side, side, "pad", grey=True)[..., 0])
