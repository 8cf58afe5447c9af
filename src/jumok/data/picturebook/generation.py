"""The scenes of a split, drawn from a seed, and the caption of a scene."""

from collections.abc import Iterator
from random import Random

from jumok.data.phrasebook.generation import split_of
from jumok.data.picturebook import say_english, say_french, say_korean
from jumok.data.picturebook.sampler import Sampler
from jumok.data.picturebook.scene import Scene
from jumok.data.picturebook.telling import LANGUAGES, Caption, tell
from jumok.errors import DataError, did_you_mean

SPLITS = ("train", "dev", "test", "compose")
DEFAULT_SEED = 1
MOST_SCENES = 5_000_000
_SAY = {"en": say_english.say, "ko": say_korean.say, "fr": say_french.say}


def generate(split: str = "train", size: int = 20_000, seed: int = DEFAULT_SEED) -> Iterator[Scene]:
    """`size` scenes of a split; the same arguments give the same scenes, and fewer are the first of more.

    A scene's home is a hash of its English caption, so no caption of `train` is one of `dev` or `test`, whatever the
    sizes and seeds. Within a split a caption may occur again, with another picture.
    """
    if split not in SPLITS:
        raise DataError(
            f"the picturebook has no split '{split}'{did_you_mean(split, SPLITS)}; it has {', '.join(SPLITS)}"
        )
    if not 0 <= size <= MOST_SCENES:
        raise DataError(f"a split of the picturebook has 0 to {MOST_SCENES:,} scenes; {size} were asked for")
    return _generate(split, size, seed)


def _generate(split: str, size: int, seed: int) -> Iterator[Scene]:
    sampler = Sampler(Random(f"picturebook {split} {seed}"), compose=split == "compose")
    found = 0
    while found < size:
        scene = sampler.scene()
        if split == "compose" or split_of(caption_of(scene, "en").text)[0] == split:
            found += 1
            yield scene


def caption_of(scene: Scene, language: str) -> Caption:
    """The one caption of a scene in a language, with what each word speaks of."""
    if language not in _SAY:
        near = did_you_mean(language, LANGUAGES)
        raise DataError(f"the picturebook has no captions in '{language}'{near}; it has {', '.join(LANGUAGES)}")
    words, things, classes = zip(*_SAY[language](tell(scene)), strict=True)
    first = words[0][0].upper() + words[0][1:]
    whole = [first, *words[1:]]
    whole[-1] += "."
    return Caption(tuple(whole), things, classes)
