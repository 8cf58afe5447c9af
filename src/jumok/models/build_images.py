"""From a config to a frontend of pictures."""

from jumok.config import CNNFrontendConfig, ModelConfig, PatchesFrontendConfig, PretrainedFrontendConfig
from jumok.models.backbones import build_backbone
from jumok.models.embedding import TokenEmbedding
from jumok.models.image_frontends import CNNFrontend, PatchesFrontend
from jumok.models.pretrained import PretrainedFrontend


def build_cnn(config: ModelConfig, _: int, __: TokenEmbedding) -> CNNFrontend:
    """Convolutions from scratch."""
    own = config.frontend
    assert isinstance(own, CNNFrontendConfig)
    return CNNFrontend(own.side, own.channels, own.cell, positions=own.positions, dropout=config.dropout)


def build_patches(config: ModelConfig, _: int, __: TokenEmbedding) -> PatchesFrontend:
    """Patches."""
    own = config.frontend
    assert isinstance(own, PatchesFrontendConfig)
    return PatchesFrontend(
        own.side, own.size, own.patch, stem=own.stem, positions=own.positions, dropout=config.dropout
    )


def build_pretrained(config: ModelConfig, _: int, __: TokenEmbedding) -> PretrainedFrontend:
    """A backbone without its weights: a new run takes them from a file (`load_backbone`), an old one from its own."""
    own = config.frontend
    assert isinstance(own, PretrainedFrontendConfig)
    return PretrainedFrontend(
        own.side,
        build_backbone(own.backbone, own.layer),
        own.size,
        fine_tune=own.fine_tune,
        positions=own.positions,
        dropout=config.dropout,
    )


IMAGE_BUILDERS = {"cnn": build_cnn, "patches": build_patches, "pretrained": build_pretrained}
