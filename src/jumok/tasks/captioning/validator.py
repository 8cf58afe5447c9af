"""Validation during training: loss, exact captions and BLEU of greedy decoding, and for drawn scenes pointing."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
import torch

from jumok.data.picturebook import Scene, caption_of, generate, outlines
from jumok.decoding.constraints import Rules
from jumok.decoding.greedy import greedy
from jumok.decoding.hypothesis import Keep
from jumok.decoding.outcome import Hypothesis
from jumok.evaluation.captions import score_captions
from jumok.evaluation.regions import RegionTally
from jumok.models.layout import Grid, Words
from jumok.models.seq2seq import Seq2Seq
from jumok.tasks.captioning.prepare import WithCaptions
from jumok.tasks.captioning.shown import Shown
from jumok.tasks.captioning.stream import chunks, dev_batches
from jumok.text.tokenizer import Tokenizer
from jumok.training.events import Validation
from jumok.training.validation import token_loss

TOGETHER = 100


class Validator:
    """Scores a model on the validation pictures."""

    def __init__(self, opened: WithCaptions, device: torch.device) -> None:
        config = opened.config
        self.opened, self.device = opened, device
        self.count = min(config.train.validate_size, len(opened.shown["dev"]))
        self.scenes: Sequence[Scene] = ()
        if config.data.is_picturebook:
            self.scenes = list(islice(generate("dev", len(opened.shown["dev"])), self.count))

    def __call__(self, model: Seq2Seq) -> Validation:
        opened, config = self.opened, self.opened.config
        batches = dev_batches(opened, config.train.batch_tokens)
        metrics = {"loss": token_loss(model, batches, self.device, config.runtime.precision)}
        if not self.count:
            return Validation(metrics)
        found = caption_greedily(model, opened.shown["dev"], self.count, config.data.max_length, self.device)
        texts = [opened.tokenizer.decode(one.ids) for one in found]
        references = [list(known) for known in opened.dev_texts[: self.count]]
        if config.text.lowercase:
            references = [[text.lower() for text in known] for known in references]
        scores = score_captions(texts, references)
        metrics |= {"exact": scores.exact, "bleu": scores.bleu[-1]}
        if self.scenes:
            metrics |= pointing(found, texts, self.scenes, config.data.picturebook, opened.tokenizer, grid_of(model))
        return Validation(metrics)


def grid_of(model: Seq2Seq) -> Grid:
    """How the regions lie."""
    grid = getattr(model.frontend, "grid", None)
    assert isinstance(grid, Grid)
    return grid


@torch.no_grad()
def caption_greedily(model: Seq2Seq, shown: Shown, count: int, longest: int, device: torch.device) -> list[Hypothesis]:
    """The greedy caption of each of the first pictures, with its attention."""
    found: list[Hypothesis] = []
    for numbers in chunks(count, TOGETHER):
        memory = model.encode(shown.source(numbers).to(device))
        most_B = torch.full((len(numbers),), longest, device=device)
        rules = Rules(max_length_B=most_B, min_length_B=torch.zeros_like(most_B))
        found += greedy(model, memory, memory.mask_BS, rules, keep=Keep(-1, None, False))
    return found


def pointing(
    found: Sequence[Hypothesis],
    texts: Sequence[str],
    scenes: Sequence[Scene],
    language: str,
    tokenizer: Tokenizer,
    grid: Grid,
) -> dict[str, float]:
    """How often the words of captions that are right look at their things; nothing without attention."""
    tally = RegionTally()
    for one, text, scene in zip(found, texts, scenes, strict=True):
        caption = caption_of(scene, language)
        if one.cross_TS is None or text != caption.text:
            continue
        weights_WRC = word_maps(one, tokenizer, caption.words, grid)
        tally.add(weights_WRC, caption.things, caption.classes, outlines(scene))
    result = tally.result()
    return {"pointing": result["all"]["pointing"]} if result else {}


def word_maps(one: Hypothesis, tokenizer: Tokenizer, words: Sequence[str], grid: Grid) -> np.ndarray:
    """The weights [words, rows, columns] of a caption: of a word of several tokens their mean."""
    from jumok.decoding.alignment_choice import AlignmentChoice

    assert one.cross_TS is not None
    weights = AlignmentChoice().words(one.cross_TS, grid, Words.of(tokenizer, one.ids, words))
    return weights.reshape(-1, grid.rows, grid.columns)
