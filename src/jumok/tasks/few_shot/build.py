"""From a config to the classifier."""

from jumok.config import FewShotConfig
from jumok.errors import ConfigError
from jumok.models.few_shot import FewShotClassifier, ImageEmbedding, snail_blocks


def build_classifier(config: FewShotConfig) -> FewShotClassifier:
    """The network that the config describes; weights follow torch's seed."""
    data, model = config.data, config.model
    embedding = ImageEmbedding(data.side, model.image_filters, model.embedding)
    parts = ("attend", "convolve") if model.parts == "both" else (model.parts,)
    if parts == ("convolve",) and len(model.keys) < 2:
        raise ConfigError("model.parts=convolve has no block with one entry of model.keys; give it two or more.")
    length = data.ways * data.shots + 1
    if parts != ("convolve",) and not any(model.keys):
        raise ConfigError("model.keys has no attention block; give one that is not 0, or set model.parts=convolve.")
    blocks = snail_blocks(model.embedding + data.ways, length, model.filters, model.keys, model.attention, parts)
    return FewShotClassifier(embedding, blocks, data.ways)
