"""What the model card of a run that summarises says; apart from training, so that a server need not import torch."""

from jumok.tasks.task import CardWords

CARD = CardWords(
    tag="summarization",
    does="Summarises texts (language: {source})",
    verb="summarise",
    options=" --json",
    printed="found.text",
    languages=lambda data: (data.newsbook, data.newsbook),
    text=lambda data: f"the embedded newsbook `{data.newsbook}` ({data.newsbook_size:,} reports)",
)
