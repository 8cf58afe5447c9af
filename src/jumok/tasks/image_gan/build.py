"""From a config to the two networks."""

from collections.abc import Callable

from torch import nn

from jumok.config import ImageGanConfig
from jumok.errors import ConfigError
from jumok.models.dcgan import PlainDiscriminator, PlainGenerator
from jumok.models.sagan import Discriminator, Generator

AnyGenerator = Generator | PlainGenerator
AnyDiscriminator = Discriminator | PlainDiscriminator


Players = tuple[AnyGenerator, AnyDiscriminator]


def build_players(config: ImageGanConfig, classes: int) -> Players:
    """Generator and discriminator; weights follow torch's seed. `classes` 0: they know of none."""
    return PLAYERS[config.model.kind](config, classes)


def _plain(config: ImageGanConfig, classes: int) -> Players:
    data, model = config.data, config.model
    if model.attention.at:
        raise ConfigError("model.kind=plain (DCGAN) has no attention; set model.attention.at=[].")
    return (
        PlainGenerator(data.side, _channels(config), model.width, model.noise, classes),
        PlainDiscriminator(data.side, _channels(config), model.width, classes),
    )


def _residual(config: ImageGanConfig, classes: int) -> Players:
    data, model = config.data, config.model
    at, mechanism = model.attention.at, model.attention.mechanism
    return (
        Generator(data.side, _channels(config), model.width, model.noise, classes, at, mechanism),
        Discriminator(data.side, _channels(config), model.width, classes, at, mechanism),
    )


PLAYERS: dict[str, Callable[[ImageGanConfig, int], Players]] = {"residual": _residual, "plain": _plain}


def _channels(config: ImageGanConfig) -> int:
    return 3 if config.data.colour else 1


def parameters_of(network: nn.Module) -> int:
    """How many numbers a network learns."""
    return sum(parameter.numel() for parameter in network.parameters())
