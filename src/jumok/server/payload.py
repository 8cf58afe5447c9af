"""The JSON of our own API, `/v1/…`."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=1_000_000)]


class TranslateRequest(BaseModel):
    """What to translate, and how."""

    model_config = ConfigDict(extra="forbid")
    text: Text | list[Text] = Field(description="a text, or several")
    run: Annotated[str, Field(max_length=200)] | None = Field(default=None, description="name of a run")
    source: Annotated[str, Field(max_length=20)] | None = Field(default=None, description="language of the text")
    target: Annotated[str, Field(max_length=20)] | None = Field(default=None, description="language to write")
    format: Literal["text", "html"] = "text"
    beam: int = Field(default=5, ge=1, le=1000)
    alternatives: int = Field(default=0, ge=0, le=1000, description="further hypotheses")
    sentences: bool = Field(default=False, description="return each sentence with its confidence")
    alignment: bool = Field(default=False, description="return word links; implies sentences")
    attention: bool = Field(default=False, description="return the attention of every head; implies sentences")
    glossary: dict[
        Annotated[str, Field(min_length=1, max_length=200)], Annotated[str, Field(min_length=1, max_length=200)]
    ] = {}
    keep: list[Annotated[str, Field(min_length=1, max_length=500)]] = Field(default=[], max_length=200)
    api_key: str | None = None

    @property
    def texts(self) -> list[str]:
        """All texts."""
        return [self.text] if isinstance(self.text, str) else self.text


class SentenceAnswer(BaseModel):
    """One sentence."""

    source: str
    text: str
    confidence: float = Field(description="how much of the sentence is right if `calibrated`, else the model's belief")
    calibrated: bool = Field(description="whether `jumok run calibrate` has fitted the confidences of the run")
    word_confidence: list[float] | None = Field(default=None, description="of each of `target_words`, where known")
    log_prob: float
    token_confidence: list[float] | None = Field(default=None, description="probability of each token, where known")
    tokens: list[str]
    source_words: list[str]
    target_words: list[str]
    alternatives: list[str]
    alignment: list[tuple[int, int]] | None = None
    attention: dict[str, list[object]] | None = None
    source_cut: int = Field(description="tokens left out because the sentence is longer than the model takes")


class TextAnswer(BaseModel):
    """One text."""

    text: str
    alternatives: list[str] = []
    sentences: list[SentenceAnswer] | None = None


class TranslateAnswer(BaseModel):
    """All texts, in their order."""

    run: str
    version: str
    source: str
    target: str
    translations: list[TextAnswer]


class RunAnswer(BaseModel):
    """A run that is served."""

    name: str
    source: str
    target: str
    version: str
    engine: str


class RunsAnswer(BaseModel):
    """All runs."""

    jumok: str
    runs: list[RunAnswer]


class Problem(BaseModel):
    """What is wrong."""

    code: str
    message: str


class ErrorAnswer(BaseModel):
    """Every error of our own API."""

    error: Problem
