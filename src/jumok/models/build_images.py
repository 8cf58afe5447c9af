"""From a config to a frontend of pictures."""

from jumok.config import CNNFrontendConfig, ModelConfig, PatchesFrontendConfig, PretrainedFrontendConfig
from jumok.models.backbones import build_backbone
from jumok.models.contract import Frontend
from jumok.models.embedding import TokenEmbedding
from jumok.models.image_frontends import CNNFrontend, PatchesFrontend
from jumok.models.pretrained import PretrainedFrontend, check_weights, load_backbone


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


def check_backbone(config: ModelConfig, frontend: Frontend) -> None:
    """Refuses weights that a new run could not start from; a frontend without a backbone needs none."""
    if own := _with_backbone(config, frontend):
        check_weights(own[1].backbone, own[0].backbone, own[0].weights)


def take_backbone(config: ModelConfig, frontend: Frontend) -> None:
    """Gives a pretrained frontend the weights that a new run starts from."""
    if own := _with_backbone(config, frontend):
        load_backbone(own[1].backbone, own[0].backbone, own[0].weights)


def _with_backbone(
    config: ModelConfig, frontend: Frontend
) -> tuple[PretrainedFrontendConfig, PretrainedFrontend] | None:
    section = config.frontend
    if isinstance(section, PretrainedFrontendConfig) and isinstance(frontend, PretrainedFrontend):
        return section, frontend
    return None


IMAGE_BUILDERS = {"cnn": build_cnn, "patches": build_patches, "pretrained": build_pretrained}
