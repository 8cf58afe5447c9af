"""Looking at a model on text it does not learn from: the loss of a token, and where it looks."""

from collections.abc import Callable, Iterable, Sequence

import torch

from jumok.alignment.alignment import merge_to_words
from jumok.data.batch import Batch
from jumok.models.seq2seq import Seq2Seq
from jumok.training.events import WordAlignment
from jumok.training.learner import PRECISIONS
from jumok.training.sequence_objective import SequenceBatch

WordOfToken = Callable[[Sequence[int]], list[int]]


@torch.no_grad()
def token_loss(model: Seq2Seq, batches: Iterable[SequenceBatch], device: torch.device, precision: str) -> float:
    """Mean −log p of a target token, teacher-forced and without smoothing."""
    low = PRECISIONS[precision]
    total, tokens = 0.0, 0
    for batch in batches:
        batch = batch.to(device)
        with torch.autocast(device.type, dtype=low, enabled=low != torch.float32):
            memory = model.encode(batch.source)
            decoded = model.decode(memory, batch.target_in_BT)
            loss = model.head.loss(decoded, memory, batch.target_out_BT, 0.0)
        total += float(loss.total)
        tokens += batch.size
    return total / max(1, tokens)


@torch.no_grad()
def word_alignments(
    model: Seq2Seq,
    batch: Batch,
    texts: Sequence[tuple[str, str, list[tuple[int, int]] | None]],
    source_words: WordOfToken,
    target_words: WordOfToken,
    layer: int = -1,
) -> list[WordAlignment]:
    """Where the model looks for each word of the reference: cross attention of a layer, mean over its heads.

    `texts` are the batch's sentences (source, target, gold links) in the batch's order.
    """
    memory = model.encode(batch.source, need_weights=True)
    cross = model.decode(memory, batch.target_in_BT, need_weights=True).attention.cross
    if not cross:
        return []
    mean_BTS = cross[layer if -len(cross) <= layer < len(cross) else -1].float().mean(1).cpu().numpy()
    found: list[WordAlignment] = []
    for row, (source, target, gold) in enumerate(texts):
        # The last token of each side is EOS, which belongs to no word.
        source_ids = batch.source_BS[row][batch.source_mask_BS[row]].tolist()
        target_ids = batch.target_out_BT[row][batch.target_mask_BT[row]].tolist()
        source_list, target_list = source.split(), target.split()
        weights = merge_to_words(
            mean_BTS[row, : len(target_ids), : len(source_ids)],
            source_words(source_ids),
            target_words(target_ids),
            source_count=len(source_list),
            target_count=len(target_list),
        )
        found.append(WordAlignment(source_list, target_list, weights, gold))
    return found
