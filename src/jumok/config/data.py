"""`data` and `text`: where sentences come from, and how lines become tokens."""

from typing import Literal

from pydantic import Field

from jumok.config.section import Section


class CorpusConfig(Section):
    """One corpus among several."""

    source: str = Field(description="file with the source side (plain, .gz), or one file of pairs (.tsv, .jsonl, .tmx)")
    target: str | None = Field(default=None, description="file with the target side; none for a file of pairs")
    alignment: str | None = Field(default=None, description="Pharaoh file with word links, for guided alignment")
    weight: float = Field(default=1.0, gt=0, description="sampling weight of this corpus")


class DataConfig(Section):
    """Where sentences come from."""

    source: str | None = Field(default=None, description="training text, source side")
    target: str | None = Field(default=None, description="training text, target side")
    alignment: str | None = Field(default=None, description="Pharaoh file with word links of the training text")
    corpora: list[CorpusConfig] = Field(default=[], description="several weighted corpora instead of one")
    folder: str | None = Field(default=None, description="folder that relative file names are looked up in")
    dev_source: str | None = Field(
        default=None, description="validation text; a held-out part of the training text if not given"
    )
    dev_target: str | None = Field(default=None, description="validation text, target side")
    dev_alignment: str | None = Field(default=None, description="Pharaoh file of the validation text")
    held_out: int = Field(
        default=1000, ge=1, description="largest number of pairs held out when no validation text is given"
    )
    test_source: str | None = Field(
        default=None, description="test text: only checked for overlap with the training text"
    )
    test_target: str | None = Field(default=None, description="test text, target side")
    source_language: str | None = Field(default=None, description="language code, for TMX and the model card")
    target_language: str | None = Field(default=None, description="language code, for TMX and the model card")
    phrasebook: str = Field(default="en-ko", description="pair of the embedded corpus, used when no files are given")
    phrasebook_size: int = Field(
        default=30_000, ge=100, description="training sentences taken from the embedded corpus"
    )
    max_length: int = Field(default=120, ge=2, description="longer sentences (in tokens, on either side) are dropped")
    cut_source: bool = Field(
        default=False, description="longer sources are cut to max_length tokens instead, however long they are"
    )
    max_ratio: float = Field(default=9.0, gt=1, description="pairs with a more extreme length ratio are dropped")
    drop_duplicates: bool = Field(default=True, description="drop duplicate pairs of the training text")
    drop_overlap: bool = Field(default=True, description="drop training pairs whose source occurs in the test text")
    cache: str | None = Field(
        default=None, description="folder for memory-mapped ids; inside the run folder if not given"
    )

    @property
    def is_phrasebook(self) -> bool:
        """Whether no files are named."""
        return self.source is None and self.target is None and not self.corpora


class VocabularyConfig(Section):
    """How the lines that a model writes become tokens."""

    kind: Literal["auto", "bpe", "unigram", "words", "characters", "pieces"] = Field(
        default="auto",
        description="tokenizer; auto: words for the embedded corpus, unigram otherwise; pieces: an imported model's",
    )
    size: int | None = Field(default=None, ge=8, description="vocabulary size; chosen from the data if not given")
    byte_fallback: bool | None = Field(
        default=None, description="write unknown characters as bytes; default: yes, except for words"
    )
    lowercase: bool = Field(default=False, description="lower-case both sides")
    min_count: int = Field(default=1, ge=1, description="words seen less often are unknown (words only)")


class TextConfig(VocabularyConfig):
    """How the lines of both sides become tokens."""

    joint: bool = Field(default=False, description="one vocabulary for both sides")
    sampling: float = Field(
        default=0.0, ge=0, le=5, description="subword regularisation: unigram's alpha, BPE-dropout's rate; 0 is off"
    )
    slots: int = Field(
        default=0, ge=0, le=1000, description="ids for unknown words of a source, which a pointer copies (words only)"
    )
    of_run: str | None = Field(
        default=None, description="take the vocabularies of this run; to train its weights further on other text"
    )


class SummaryDataConfig(DataConfig):
    """Where texts and their summaries come from."""

    cut_source: bool = Field(default=True, description="longer texts are cut to max_length tokens, not dropped")
    newsbook: str = Field(default="en", description="language of the embedded reports, used when no files are given")
    newsbook_size: int = Field(default=20_000, ge=100, description="training reports taken from the embedded corpus")
