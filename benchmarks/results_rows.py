"""The rows of benchmarks/results.py: recipes, and the published or measured scores that they are held against."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
TEST = "test_2016_flickr"
GREEDY, BEAM = "greedy", "beam 5"
ALPHAS = (0.6, 1.0, 1.4, 1.8, 2.4, 3.0)
WITHIN = 0.25  # BLEU: the standard error of such a difference on val is 0.17 to 0.26 (bootstrap)


@dataclass(frozen=True)
class Row:
    """A recipe, and the published or measured score that it is held against."""

    name: str
    title: str
    source: str
    target: str
    mark: float | None
    """None for a model that is held against our own Transformer, see docs/speed.md."""
    whose: str
    metric: str
    """Which of our scores is compared with the mark."""
    search: str
    """How the mark was decoded."""
    most: float
    """Parameters of the mark's model, in millions: ours has no more."""
    goal: float | None = None
    """What we want to reach, above the mark."""
    teachers: tuple[str, ...] = ()
    """The rows whose translations of the training text are learned too, see benchmarks/distil.py."""
    back: tuple[str, ...] = ()
    """The rows of the other direction, whose translations of the references are sources too."""
    begins_with: str = ""
    """The row whose weights and vocabularies it starts from; a student without one starts from nothing."""
    seeds: tuple[int, ...] = ()
    """Trained once with each of these, and then `jumok average`; empty is once, with the recipe's own seed."""

    @property
    def config(self) -> Path:
        """The recipe."""
        return HERE / "configs" / f"multi30k-{self.name}.yaml"


LOWER, CASED, TOKENISED = "lower-cased 13a", "cased 13a", "tokenised, lower-cased"
NOTEBOOKS = "pytorch-seq2seq"
ROWS = [
    Row("de-en-lstm", "LSTM, no attention", "de", "en", 13.8, f"{NOTEBOOKS} 1", LOWER, GREEDY, 13.9),
    Row("de-en-gru", "GRU, no attention", "de", "en", 20.6, f"{NOTEBOOKS} 2", LOWER, GREEDY, 14.2),
    Row("de-en-attention", "bi-GRU, Bahdanau's attention, distilled from the Transformer below", "de", "en", 28.3,
        f"{NOTEBOOKS} 3", LOWER, GREEDY, 20.5, 37.0, teachers=("de-en-transformer",), back=("en-de-transformer-tiny",)),
    Row("de-en-transformer", "Transformer 4+4, d=128", "de", "en", 36.5, f"{NOTEBOOKS} 6", LOWER, GREEDY, 9.0,
        40.0),
    Row("en-de-transformer-tiny", "Transformer-tiny 4+4, d=128", "en", "de", 41.0, "Revisit-MMT (fairseq)",
        TOKENISED, BEAM, 2.6, 41.0),
    Row("en-de-transformer-tiny-diverse", "the same, trained further on translations of the training text", "en", "de",
        41.0, "Revisit-MMT (fairseq)", TOKENISED, BEAM, 2.6, 41.0, teachers=("en-de-transformer-tiny",),
        back=("de-en-transformer",), begins_with="en-de-transformer-tiny"),
    Row("en-de-transformer-tiny-again", "the same again, with the improved models of both directions", "en", "de", 41.0,
        "Revisit-MMT (fairseq)", TOKENISED, BEAM, 2.6, 41.0, teachers=("en-de-transformer-tiny-diverse",),
        back=("de-en-attention",), begins_with="en-de-transformer-tiny-diverse"),
    Row("de-en-quick", "Transformer 4+4, d=128, tuned for short training", "de", "en", 36.5, f"{NOTEBOOKS} 6", LOWER,
        GREEDY, 9.0),
    Row("en-de-transformer-wide", "Transformer 4+4, d=128, feed-forward layers of 512", "en", "de", 41.0,
        "Revisit-MMT (fairseq)", TOKENISED, BEAM, 2.6, 41.0),
    Row("en-de-transformer-wide-diverse", "the same, trained further on translations of the training text", "en", "de",
        41.0, "Revisit-MMT (fairseq)", TOKENISED, BEAM, 2.6, 41.0, teachers=("en-de-transformer-wide",),
        back=("de-en-quick",), begins_with="en-de-transformer-wide"),
    Row("en-de-transformer-wide-again", "the same again, with two teachers per direction, the average of two students",
        "en", "de", 41.0, "Revisit-MMT (fairseq)", TOKENISED, BEAM, 2.6, 41.0,
        teachers=("en-de-transformer-wide", "en-de-transformer-wide-diverse"),
        back=("de-en-quick", "de-en-transformer"), begins_with="en-de-transformer-wide-diverse", seeds=(1, 2)),
    Row("en-de-transformer-tiny-cased", "Transformer-tiny, 8,000 joint BPE", "en", "de", 34.6, "OpenNMT-py 3.5.1",
        CASED, BEAM, 2.6),
    Row("en-de-attention-cased", "bi-GRU, Bahdanau's attention, 8,000 joint BPE", "en", "de", None, "", CASED,
        BEAM, 20.5),
    Row("en-de-attention-distilled", "the same, distilled from the Transformer above", "en", "de", None, "", CASED,
        BEAM, 20.5, teachers=("en-de-transformer-tiny-cased",), begins_with="en-de-attention-cased"),
]  # fmt: skip
