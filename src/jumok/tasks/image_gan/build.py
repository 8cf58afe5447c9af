"""From a config to the two networks."""

from torch import nn

from jumok.config import ImageGanConfig
from jumok.errors import ConfigError
from jumok.models.dcgan import PlainDiscriminator, PlainGenerator
from jumok.models.sagan import Discriminator, Generator

AnyGenerator = Generator | PlainGenerator
AnyDiscriminator = Discriminator | PlainDiscriminator


def build_players(config: ImageGanConfig, classes: int) -> tuple[AnyGenerator, AnyDiscriminator]:
    """Generator and discriminator; weights follow torch's seed. `classes` 0: they know of none."""
    data, model = config.data, config.model
    channels = 3 if data.colour else 1
    if model.kind == "plain":
        if model.attention.at:
            raise ConfigError("model.kind=plain (DCGAN) has no attention; set model.attention.at=[].")
        return (
            PlainGenerator(data.side, channels, model.width, model.noise, classes),
            PlainDiscriminator(data.side, channels, model.width, classes),
        )
    at, mechanism = model.attention.at, model.attention.mechanism
    return (
        Generator(data.side, channels, model.width, model.noise, classes, at, mechanism),
        Discriminator(data.side, channels, model.width, classes, at, mechanism),
    )


def parameters_of(network: nn.Module) -> int:
    """How many numbers a network learns."""
    return sum(parameter.numel() for parameter in network.parameters())
