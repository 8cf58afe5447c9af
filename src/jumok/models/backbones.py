"""Networks that others trained on ImageNet, without their classifier: pictures in, a grid of vectors out.

Normalisation layers are folded into the convolutions before them, so that nothing is kept from batch to batch:

    γ (W x − μ) / √(v + ε) + β  =  (γ / √(v + ε)) W x + (β − γ μ / √(v + ε))
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.errors import ConfigError, ShapeError, did_you_mean

NORM = ("weight", "bias", "running_mean", "running_var")
"""What a file of weights has of a normalisation layer."""


class Convolved(nn.Module):
    """A convolution with the normalisation after it folded in; `name` and `norm` are its names in a file of weights."""

    def __init__(self, given: int, made: int, width: int, stride: int, groups: int, name: str, norm: str) -> None:
        super().__init__()
        self.width, self.stride, self.groups, self.name, self.norm = width, stride, groups, name, norm
        self.weight = nn.Parameter(torch.zeros(made, given // groups, width, width))
        self.bias = nn.Parameter(torch.zeros(made))

    def forward(self, x: Tensor) -> Tensor:
        return F.conv2d(x, self.weight, self.bias, self.stride, self.width // 2, groups=self.groups)

    def needed(self) -> Iterator[tuple[str, list[int]]]:
        """The name and the shape of each tensor that it takes from a file."""
        yield f"{self.name}.weight", [*self.weight.shape]
        yield from ((f"{self.norm}.{part}", [*self.bias.shape]) for part in NORM)

    def take(self, tensors: Mapping[str, Tensor], epsilon: float) -> None:
        """The weights of a file, folded."""
        weight = tensors[f"{self.name}.weight"].float()
        gain, shift, mean, variance = (tensors[f"{self.norm}.{part}"].float() for part in NORM)
        scale = gain / (variance + epsilon).sqrt()
        with torch.no_grad():
            self.weight.copy_(weight * scale[:, None, None, None])
            self.bias.copy_(shift - scale * mean)


class SameConvolved(Convolved):
    """The same with TensorFlow's padding: the odd pixel of a strided convolution is added below and to the right."""

    def forward(self, x: Tensor) -> Tensor:
        pads = [max(0, (-(-size // self.stride) - 1) * self.stride + self.width - size) for size in x.shape[-2:]]
        if all(pad == 2 * (self.width // 2) for pad in pads):
            return super().forward(x)
        x = F.pad(x, (pads[1] // 2, pads[1] - pads[1] // 2, pads[0] // 2, pads[0] - pads[0] // 2))
        return F.conv2d(x, self.weight, self.bias, self.stride, 0, groups=self.groups)


class Backbone(nn.Module):
    """Pixels from 0 to 255 in, vectors [B, size, rows, columns] out."""

    size: int
    cell: int
    """Pixels of a region's side."""
    epsilon: ClassVar[float]

    @abstractmethod
    def forward(self, pixels_BCHW: Tensor) -> Tensor:
        """The vectors of the regions."""

    def check(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Refuses a file of weights whose names and shapes are not those of this network."""
        for part in self.modules():
            for name, shape in part.needed() if isinstance(part, Convolved) else ():
                if name not in shapes:
                    raise ConfigError(f"The file of weights lacks '{name}'; is it of another backbone?")
                if [*shapes[name]] != shape:
                    raise ConfigError(f"{name} has shape {[*shapes[name]]}, not {shape}.")

    def take(self, tensors: Mapping[str, Tensor]) -> None:
        """The weights of a file, as their authors name them."""
        self.check({name: value.shape for name, value in tensors.items()})
        for part in self.modules():
            if isinstance(part, Convolved):
                part.take(tensors, self.epsilon)


class InvertedResidual(nn.Module):
    """Widened, convolved by channel, narrowed; added to its input where the shapes agree (Sandler et al. 2018)."""

    def __init__(self, given: int, made: int, width: int, stride: int, expand: int, name: str) -> None:
        super().__init__()
        wide = given * expand
        self.widen = SameConvolved(given, wide, 1, 1, 1, f"{name}._expand_conv", f"{name}._bn0") if expand > 1 else None
        self.filter = SameConvolved(wide, wide, width, stride, wide, f"{name}._depthwise_conv", f"{name}._bn1")
        self.narrow = SameConvolved(wide, made, 1, 1, 1, f"{name}._project_conv", f"{name}._bn2")
        self.adds = stride == 1 and given == made

    def forward(self, x: Tensor) -> Tensor:
        inner = x if self.widen is None else F.relu6(self.widen(x))
        inner = self.narrow(F.relu6(self.filter(inner)))
        return x + inner if self.adds else inner


class EfficientNetLite0(Backbone):
    """EfficientNet-Lite0 (Tan and Le 2019; without squeeze-and-excitation, ReLU6): 1,280 numbers for 32 × 32 pixels."""

    epsilon = 1e-3
    # blocks, width of the filter, stride, expansion, channels
    STAGES = (
        (1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112), (4, 5, 2, 6, 192),
        (1, 3, 1, 6, 320),
    )  # fmt: skip

    def __init__(self, layer: str) -> None:
        super().__init__()
        self.stem = SameConvolved(3, 32, 3, 2, 1, "_conv_stem", "_bn0")
        stages = self.STAGES if layer == "last" else self.STAGES[:5]
        blocks: list[InvertedResidual] = []
        given = 32
        for count, width, stride, expand, made in stages:
            for number in range(count):
                name = f"_blocks.{len(blocks)}"
                blocks.append(InvertedResidual(given, made, width, stride if number == 0 else 1, expand, name))
                given = made
        self.blocks = nn.Sequential(*blocks)
        self.head = SameConvolved(given, 1280, 1, 1, 1, "_conv_head", "_bn1") if layer == "last" else None
        self.size, self.cell = (1280, 32) if layer == "last" else (given, 16)

    def forward(self, pixels_BCHW: Tensor) -> Tensor:
        x = self.blocks(F.relu6(self.stem((pixels_BCHW - 127) / 128)))
        return x if self.head is None else F.relu6(self.head(x))


class ResidualBlock(nn.Module):
    """Two 3 × 3 convolutions, or three with a narrow middle, added to the input (He et al. 2016)."""

    def __init__(self, given: int, width: int, stride: int, deep: bool, name: str) -> None:
        super().__init__()
        made = 4 * width if deep else width
        plan = [(given, width, 1, 1), (width, width, 3, stride), (width, made, 1, 1)]
        plan = plan if deep else [(given, width, 3, stride), (width, width, 3, 1)]
        self.steps = nn.ModuleList(
            Convolved(a, b, wide, step, 1, f"{name}.conv{n}", f"{name}.bn{n}")
            for n, (a, b, wide, step) in enumerate(plan, 1)
        )
        same = stride == 1 and given == made
        self.bring = (
            None if same else Convolved(given, made, 1, stride, 1, f"{name}.downsample.0", f"{name}.downsample.1")
        )

    def forward(self, x: Tensor) -> Tensor:
        inner, (*first, last) = x, self.steps
        for step in first:
            inner = F.relu(step(inner))
        return F.relu(last(inner) + (x if self.bring is None else self.bring(x)))


class ResNet(Backbone):
    """ResNet with the names of weights that torchvision gives them."""

    epsilon = 1e-5

    def __init__(self, counts: tuple[int, ...], deep: bool, layer: str) -> None:
        super().__init__()
        self.stem = Convolved(3, 64, 7, 2, 1, "conv1", "bn1")
        stages = 4 if layer == "last" else 3
        blocks: list[ResidualBlock] = []
        given = 64
        for stage, count in enumerate(counts[:stages]):
            for number in range(count):
                stride = 2 if stage and number == 0 else 1
                blocks.append(ResidualBlock(given, 64 << stage, stride, deep, f"layer{stage + 1}.{number}"))
                given = (64 << stage) * (4 if deep else 1)
        self.blocks = nn.Sequential(*blocks)
        self.size, self.cell = given, 32 if layer == "last" else 16

    def forward(self, pixels_BCHW: Tensor) -> Tensor:
        mean = pixels_BCHW.new_tensor([123.675, 116.28, 103.53])[:, None, None]
        spread = pixels_BCHW.new_tensor([58.395, 57.12, 57.375])[:, None, None]
        x = F.max_pool2d(F.relu(self.stem((pixels_BCHW - mean) / spread)), 3, 2, 1)
        return self.blocks(x)


BACKBONES = {
    "efficientnet-lite0": EfficientNetLite0,
    "resnet18": lambda layer: ResNet((2, 2, 2, 2), False, layer),
    "resnet34": lambda layer: ResNet((3, 4, 6, 3), False, layer),
    "resnet50": lambda layer: ResNet((3, 4, 6, 3), True, layer),
}


def build_backbone(name: str, layer: str) -> Backbone:
    """The backbone of that name, its weights zero until a file's are taken."""
    if name not in BACKBONES:
        known = ", ".join(BACKBONES)
        raise ShapeError(f"there is no backbone '{name}'{did_you_mean(name, BACKBONES)}; one of {known}.")
    return BACKBONES[name](layer)
