"""The JSON of the APIs that clients already speak, for the OpenAPI document."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class LibreRequest(BaseModel):
    """LibreTranslate's `/translate`."""

    q: str | list[str]
    source: str = Field(description="a language code, or auto")
    target: str
    format: Literal["text", "html", ""] | None = "text"
    alternatives: int = Field(default=0, ge=0)
    api_key: str | None = None


class LibreText(BaseModel):
    """LibreTranslate's `/detect`."""

    q: str | list[str]
    api_key: str | None = None


class Detected(BaseModel):
    """A language, and how sure that is in percent."""

    confidence: float
    language: str


class LibreAnswer(BaseModel):
    """A translation; lists where `q` was one."""

    translatedText: str | list[str]
    alternatives: list[str] | list[list[str]] | None = None
    detectedLanguage: Detected | list[Detected] | None = None


class LibreLanguage(BaseModel):
    """A source language with what it can become."""

    code: str
    name: str
    targets: list[str]


class LibreError(BaseModel):
    """What is wrong."""

    error: str


class OpenNMTRequest(BaseModel):
    """A text for the model of a number."""

    src: str
    id: int = Field(default=0, ge=0)


class OpenNMTAnswer(BaseModel):
    """A translation."""

    src: str
    tgt: str
    n_best: int
    id: int
    pred_score: float


class OpenNMTModel(BaseModel):
    """A run and its number."""

    model_id: int
    status: str
    model: str
    version: str
    src: str
    tgt: str


class OpenNMTError(BaseModel):
    """What is wrong."""

    error: str
    status: Literal["error"]


class DeepLRequest(BaseModel):
    """DeepL's `/v2/translate`; what it does not name is ignored."""

    text: str | list[str]
    target_lang: str
    source_lang: str | None = None
    tag_handling: Literal["html", "xml"] | None = None


class DeepLText(BaseModel):
    """A translation."""

    detected_source_language: str
    text: str


class DeepLAnswer(BaseModel):
    """All translations."""

    translations: list[DeepLText]


class DeepLError(BaseModel):
    """What is wrong."""

    message: str


def body_of(kind: type[BaseModel], *, many: bool = False, form: bool = True) -> dict[str, Any]:
    """The OpenAPI of a body, as JSON and, where it is one object and not said otherwise, as a form."""
    tree = kind.model_json_schema()
    schema = {"type": "array", "items": tree} if many else tree
    kinds = ("application/json", *(["application/x-www-form-urlencoded"] if form and not many else []))
    return {"requestBody": {"required": True, "content": {one: {"schema": schema} for one in kinds}}}
