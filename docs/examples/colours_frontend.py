"""A frontend of one's own, which reads pictures: each region is its mean colour, through one matrix."""

from torch import Tensor, nn
from torch.nn.functional import avg_pool2d

from jumok.config import Field, ImageFrontendConfig, ModelConfig
from jumok.models import Grid, PixelFrontend, TokenEmbedding, add_frontend


class ColoursConfig(ImageFrontendConfig):
    """Keys of `model.frontend` where its kind is colours; side and positions it has already."""

    kind: str = Field(default="colours", description="colours: the mean colour of each region")
    size: int = Field(default=32, ge=1, description="size of a region's vector")
    cell: int = Field(default=8, ge=1, description="pixels of a region's side")


class ColoursFrontend(PixelFrontend):
    """x_i = W (mean colour of region i)."""

    def __init__(self, section: ColoursConfig, dropout: float) -> None:
        cells = section.side // section.cell
        super().__init__(section.side, Grid(cells, cells), section.size, positions=section.positions, dropout=dropout)
        self.cell = section.cell
        self.W = nn.Conv2d(3, section.size, kernel_size=1)

    def regions(self, pixels_BCHW: Tensor) -> Tensor:
        return self.W(avg_pool2d(pixels_BCHW, self.cell))


def build(config: ModelConfig, source_size: int, target: TokenEmbedding) -> ColoursFrontend:
    """The frontend of a config; the last two are for frontends that read words."""
    section = config.frontend
    assert isinstance(section, ColoursConfig)
    return ColoursFrontend(section, config.dropout)


add_frontend(ColoursConfig, build)
