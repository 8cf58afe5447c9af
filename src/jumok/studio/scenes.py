"""Drawn scenes of the picturebook: to look at, and to know what a caption should say and where it should look."""

from itertools import islice

import numpy as np

from jumok.config import CaptioningConfig
from jumok.data.picturebook import SPLITS, Scene, caption_of, draw, generate, outlines
from jumok.data.picturebook.telling import LANGUAGES
from jumok.evaluation.regions import RegionTally
from jumok.inspect.inspector import Replay
from jumok.models.layout import Words
from jumok.studio import payload
from jumok.studio.payload_pictures import ScenesAnswer, SceneShown
from jumok.studio.pictures import Picture, scene_id, scene_named
from jumok.studio.problems import invalid
from jumok.studio.sessions import Session
from jumok.studio.sources import Source
from jumok.studio.targets import read_target


def scenes(split: str, n: int, seed: int) -> ScenesAnswer:
    """Scenes of the picturebook to try, with their captions."""
    if split not in SPLITS:
        raise invalid(f"The picturebook has no split '{split}'; it has {', '.join(SPLITS)}.")
    found = list(islice(generate(split, n, seed), n))
    shown = [Picture.of(pixels, name=scene_id(split, seed, at)).shown() for at, pixels in enumerate(draw(found))]
    told = [{language: caption_of(scene, language).text for language in LANGUAGES} for scene in found]
    return ScenesAnswer(
        scenes=[SceneShown(picture=picture, captions=texts) for picture, texts in zip(shown, told, strict=True)]
    )


def language_of(session: Session) -> str | None:
    """The language in which a run describes the picturebook; None for other runs."""
    config = session.run.config
    if not isinstance(config, CaptioningConfig) or not config.data.is_picturebook:
        return None
    return config.data.picturebook


def reference_of(session: Session, picture: str | None) -> str | None:
    """The one caption of a scene in the run's language; None for pictures that were given."""
    scene, language = scene_named(picture or ""), language_of(session)
    return None if scene is None or language is None else caption_of(scene, language).text


def scene_of(session: Session, source: Source, shown: Replay) -> payload.SceneGold | None:
    """What is known of a drawn scene, and where the model looks when it writes the reference."""
    scene, language = scene_named(source.text), language_of(session)
    if scene is None or language is None:
        return None
    reference = caption_of(scene, language).text
    ids = read_target(session, reference, source.sentence).ids
    applies = shown.ids == ids
    found = looks_at(session, scene, language, shown if applies else session.inspector.replay(source.plan, ids))
    return payload.SceneGold(
        reference=reference,
        applies=applies,
        pointing=None if found is None else round(found["pointing"], 6),
        energy=None if found is None else round(found["energy"], 6),
    )


def looks_at(session: Session, scene: Scene, language: str, done: Replay) -> dict[str, float] | None:
    """`pointing` and `energy` of the words about things; None without attention or where words are cut."""
    caption = caption_of(scene, language)
    layout = Words.of(session.run.target_tokenizer, done.ids, caption.words)
    if not done.cross or set(layout.unit_of_position) != set(range(len(caption.words))):
        return None
    grid = done.sentence.layout
    weights_WS: np.ndarray = session.run.choice.words(done.cross[session.run.choice.layer].mean(0), grid, layout)
    tally = RegionTally()
    tally.add(weights_WS.reshape(-1, *grid.shape), caption.things, caption.classes, outlines(scene))
    return tally.result().get("all")
