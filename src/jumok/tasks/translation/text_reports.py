"""What training would drop from the texts that a config names, and why."""

from jumok.config import Config, TranslationConfig
from jumok.data.checks import CorpusReport
from jumok.data.prepare import check
from jumok.errors import ConfigError
from jumok.tasks import find_task
from jumok.tasks.translation.prepare import open_corpora, rules_of
from jumok.tasks.translation.task import TranslationTask


def check_text(config: Config) -> list[CorpusReport]:
    """A report on each corpus, or a refusal as training would refuse it; nothing is written.

    config   as `jumok.config.resolve` gives it; its keys under `data` name the texts and the rules
    """
    if not isinstance(config, TranslationConfig):
        raise ConfigError(f"`jumok data check` reads pairs of texts, which task={config.task} does not have.")
    settings, task = config.data, find_task(config.task)
    corpora = open_corpora(settings, task.embedded if isinstance(task, TranslationTask) else None)
    return check(
        corpora.train, dev=corpora.dev, test=corpora.test, rules=rules_of(settings), held_out=settings.held_out
    )
