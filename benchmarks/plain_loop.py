"""The training loop that a person writes by hand with torch's own layers: the yardstick beside the toolkits.

It is what tutorials do: `nn.GRU` and a loop over `nn.GRUCell` with additive attention and input feeding, or
`nn.Transformer`; logits for the whole batch, `cross_entropy` with label smoothing, Adam.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from jumok.shapes import PAD


class PlainRNN(nn.Module):
    """Bidirectional GRU, additive attention after the step, input feeding, shared embeddings."""

    def __init__(self, words: int, size: int = 256) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size, padding_idx=PAD)
        self.encoder = nn.GRU(size, size // 2, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(size, size)
        self.cell = nn.GRUCell(2 * size, size)
        self.W_q, self.W_k = nn.Linear(size, size, bias=False), nn.Linear(size, size, bias=False)
        self.v = nn.Linear(size, 1, bias=False)
        self.join = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, words)
        self.output.weight = self.embedding.weight
        self.dropout = nn.Dropout(0.1)

    def forward(self, source_BS: Tensor, mask_BS: Tensor, target_BT: Tensor) -> Tensor:
        memory, last = self.encoder(self.dropout(self.embedding(source_BS)))
        keys = self.W_k(memory)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], -1)))
        fed = torch.zeros_like(state)
        words = self.dropout(self.embedding(target_BT))
        outputs = []
        for t in range(target_BT.shape[1]):
            state = self.cell(torch.cat([words[:, t], fed], -1), state)
            scores = self.v(torch.tanh(self.W_q(state)[:, None] + keys))[..., 0].masked_fill(~mask_BS, -math.inf)
            context = (scores.softmax(-1)[:, None] @ memory)[:, 0]
            fed = torch.tanh(self.join(torch.cat([context, state], -1)))
            outputs.append(fed)
        return self.output(self.dropout(torch.stack(outputs, 1)))


class PlainTransformer(nn.Module):
    """`nn.Transformer` with sinusoidal positions and shared embeddings."""

    def __init__(self, words: int, size: int = 128) -> None:
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(words, size, padding_idx=PAD)
        self.transformer = nn.Transformer(size, 4, 4, 4, 256, 0.1, batch_first=True, norm_first=True)
        self.drop_as_ours()
        self.output = nn.Linear(size, words)
        self.output.weight = self.embedding.weight
        self.dropout = nn.Dropout(0.1)

    def drop_as_ours(self) -> None:
        """Dropout where ours has it, on words and around each part, and not on weights or inside the feed-forward."""
        for part in self.transformer.modules():
            if isinstance(part, nn.MultiheadAttention):
                part.dropout = 0.0
            elif isinstance(part, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                part.dropout = nn.Identity()

    def forward(self, source_BS: Tensor, mask_BS: Tensor, target_BT: Tensor) -> Tensor:
        causal = nn.Transformer.generate_square_subsequent_mask(target_BT.shape[1])
        states = self.transformer(
            self.embed(source_BS), self.embed(target_BT), tgt_mask=causal, tgt_is_causal=True,
            src_key_padding_mask=~mask_BS, memory_key_padding_mask=~mask_BS,
        )  # fmt: skip
        return self.output(states)

    def embed(self, ids_BT: Tensor) -> Tensor:
        """Words with their positions."""
        position = torch.arange(ids_BT.shape[1])[:, None]
        angles = position * torch.exp(torch.arange(0, self.size, 2) * (-math.log(10_000.0) / self.size))
        waves = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        return self.dropout(self.embedding(ids_BT) * math.sqrt(self.size) + waves)


MODELS = {"rnn": PlainRNN, "transformer": PlainTransformer}


def plain_step(model: nn.Module, optimizer: torch.optim.Optimizer, batch) -> None:
    """One step of learning."""
    logits = model(batch.source_BS, batch.source_mask_BS, batch.target_in_BT)
    target = batch.target_out_BT
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
