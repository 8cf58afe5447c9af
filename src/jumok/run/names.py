"""The names of the files in a run folder.

config.json         the full config, and the format of the folder
model.safetensors   the weights
tokenizer.json, …   the tokenizers
manifest.json       SHA-256 of each file above
data.json, data/    the prepared text: where it is and what was dropped
metrics.jsonl       what was learned, without times
timing.jsonl        how long it took, and how it ended
checkpoints/<step>/ all that is needed to resume, with a manifest of its own
snapshots/<step>/   weights of earlier steps, with a manifest of their own
alignment.json      which heads align best, if that was searched for
shortlist.npz       likely target words of each source word, if they were learned
calibration.json    what makes confidences mean what they say (`jumok run calibrate`); the manifest lists it
evaluation.json     the scores of `jumok evaluate --card`
README.md           the model card
adapted.json        what an adaptation gained and cost, and adaptation/ with the text that it was measured on
imported.json       which model of another toolkit this was
averaged.json       which runs an average was made of
alignments/<step>/  pictures of a few validation sentences
samples/<step>.png  pictures that a generator drew from the same noise at each validation
curves.svg          loss and scores over the steps
pictures/           what `jumok demo` drew
tensorboard/        the same for TensorBoard, if it was asked for
ctranslate2/        what `jumok export` wrote, with a manifest of its own
.lock               held by the process that writes the run
"""

from pathlib import Path

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
MANIFEST = "manifest.json"
DATA = "data.json"
STORED = "data"
METRICS = "metrics.jsonl"
TIMING = "timing.jsonl"
CHECKPOINTS = "checkpoints"
SNAPSHOTS = "snapshots"
MOVING_AVERAGE = "ema.safetensors"
STATE = "state.json"
ENVIRONMENT = "environment.json"
ALIGNMENT = "alignment.json"
SHORTLIST = "shortlist.npz"
CALIBRATION = "calibration.json"
EVALUATION = "evaluation.json"
CARD = "README.md"
AVERAGED = "averaged.json"
IMPORTED = "imported.json"
ADAPTED = "adapted.json"
ADAPTATION = "adaptation"
EXPORTED = "ctranslate2"
LOCK = ".lock"
TENSORBOARD = "tensorboard"
ALIGNMENTS = "alignments"
CURVES = "curves.svg"
SAMPLES = "samples"
PICTURES = "pictures"


def steps_in(folder: Path) -> list[Path]:
    """The folders named after a step (checkpoints or snapshots), oldest first."""
    if not folder.is_dir():
        return []
    named = (path for path in folder.iterdir() if path.name.isascii() and path.name.isdigit())
    return sorted(named, key=lambda path: int(path.name))


def weights_of_step(folder: Path, step: int) -> Path | None:
    """The weights of an earlier step: a snapshot, or a checkpoint (its moving average, if it has one)."""
    snapshot, checkpoint = folder / SNAPSHOTS / str(step), folder / CHECKPOINTS / str(step)
    places = (snapshot / WEIGHTS, checkpoint / MOVING_AVERAGE, checkpoint / WEIGHTS)
    return next((path for path in places if path.is_file()), None)
