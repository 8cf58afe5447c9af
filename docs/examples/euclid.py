"""A score of one's own: minus the distance between query and key, with a learned sharpness."""

import torch
from torch import Tensor, nn

from jumok.attention import Score, Term, register


@register(paper="this file", good_for="states whose distances mean something")
class Euclid(Score):
    """e(q, k_i) = −β ‖q − k_i‖, β > 0."""

    name = "euclid"
    formula = "−β ‖q − k_i‖"

    def __init__(self, query_dim: int, key_dim: int, beta: float = 1.0) -> None:
        super().__init__(query_dim, key_dim)
        self.need_equal_sizes()
        self.log_beta = nn.Parameter(torch.tensor(beta).log())

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return -self.log_beta.exp() * torch.cdist(query, keys)

    def terms(self, query: Tensor, keys: Tensor) -> dict[str, Term]:
        """What `jumok explain` and the studio show beside the scores (optional)."""
        distance = Term(torch.cdist(query, keys), ("target", "source"))
        return {"‖q − k_i‖": distance, "β": Term(self.log_beta.exp(), constant=True)}
