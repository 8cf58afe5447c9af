"""No encoder: the decoder looks at the vectors of the frontend, as over the regions of a picture (Xu et al. 2015)."""

from torch import Tensor

from jumok.models.contract import Encoder, Memory
from jumok.models.recurrent import xavier_linear


class PlainEncoder(Encoder):
    """The vectors as they are, through a matrix where another size is wanted; their mean is the summary."""

    def __init__(self, input_size: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.W = None if input_size == size else xavier_linear(input_size, size)

    def forward(self, words_BSE: Tensor, mask_BS: Tensor, need_weights: bool = False) -> Memory:
        states_BSD = words_BSE if self.W is None else self.W(words_BSE)
        share_BS1 = (mask_BS / mask_BS.sum(1, keepdim=True).clamp_min(1)).unsqueeze(-1).to(states_BSD.dtype)
        return Memory(states_BSD, mask_BS, (states_BSD * share_BS1).sum(1))
