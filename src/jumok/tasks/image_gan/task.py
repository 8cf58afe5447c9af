"""Image generation as a task: pictures in, a generator that draws such pictures out. Two players."""

from dataclasses import dataclass
from pathlib import Path

from jumok.attention import load_plugins
from jumok.config import ImageGanConfig
from jumok.errors import ConfigError
from jumok.tasks.image_gan.build import AnyDiscriminator, AnyGenerator, build_players
from jumok.tasks.image_gan.losses import DiscriminatorLoss, GeneratorLoss
from jumok.tasks.image_gan.metrics import DISTANCE, METRICS
from jumok.tasks.image_gan.pictures import Stored, store_pictures, stored_pictures
from jumok.tasks.image_gan.sheets import Sheets
from jumok.tasks.image_gan.stream import Stream
from jumok.tasks.image_gan.validation import Validator
from jumok.tasks.task import Opened, Place, Say, Task, refuse_text_keys, require_validation
from jumok.training.learner import Learner
from jumok.training.loop import Setup
from jumok.training.player import Player
from jumok.training.random_state import seed_everything
from jumok.training.report import Listener


@dataclass(frozen=True)
class WithPictures(Opened[ImageGanConfig]):
    """A run folder with its pictures."""

    train: Stored
    dev: Stored


class ImageGan(Task[ImageGanConfig]):
    """From pictures to a generator."""

    name = "image-gan"

    def title(self, config: ImageGanConfig) -> str:
        data = config.data
        return f"{Path(data.train).name.partition('.')[0] if data.train else data.book}-{config.model.preset}"

    def check_recipe(self, config: ImageGanConfig) -> tuple[AnyGenerator, AnyDiscriminator]:
        load_plugins(config.plugins)
        refuse_text_keys(config)
        require_validation(config)
        if config.train.init_from:
            raise ConfigError(
                "train.init_from starts one network, and a GAN has two; leave it out with task=image-gan."
            )
        return build_players(config, config.data.classes)

    def store(self, config: ImageGanConfig, folder: Path) -> None:
        store_pictures(config, folder)

    def open(self, folder: Path, config: ImageGanConfig) -> WithPictures:
        return WithPictures(folder, config, stored_pictures(folder, "train"), stored_pictures(folder, "dev"))

    def setup(self, opened: WithPictures, place: Place, say: Say | None) -> Setup:
        config = opened.config
        seed_everything(config.seed)
        generator, discriminator = (part.to(place.device) for part in build_players(config, opened.train.classes))
        seed_everything(config.seed, place.processes.rank)
        settings, game = config.train, config.players
        faster = settings.model_copy(
            update={"learning_rate": game.discriminator_rate * settings.learning_rate, "ema": 0.0}
        )
        players = [
            Player.of("generator", generator, GeneratorLoss(game.loss), settings),
            Player.of("discriminator", discriminator, DiscriminatorLoss(game.loss), faster),
        ]
        turns = ("discriminator",) * game.discriminator_steps + ("generator",)
        learner = Learner(
            players, settings, place.device, config.runtime.precision, place.processes, config.seed, turns
        )
        validate = Validator(opened.dev, config.model.noise, settings.validate_size, place.device)
        batches = Stream(opened.train, config.data.batch, config.seed, place)
        return Setup(learner, batches, validate, opened.folder, place.interrupts, place.environment, METRICS, DISTANCE)

    def listeners(self, opened: WithPictures) -> list[Listener]:
        return [Sheets(opened.folder)]
