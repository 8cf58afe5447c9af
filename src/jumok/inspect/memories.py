"""What an encoder read of the sentences that were asked for last: a sentence is encoded once, however much is asked."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

import torch

from jumok.data.sources import Tokens
from jumok.decoding.batches import pad_sources
from jumok.inspect.sentence import Sentence
from jumok.models.contract import Memory
from jumok.models.seq2seq import Seq2Seq

KEPT = 16


class Memories:
    """The memory of each sentence under one model's weights."""

    def __init__(self, model: Seq2Seq) -> None:
        self.model = model
        self._kept: OrderedDict[tuple[int, ...], Memory] = OrderedDict()
        self._lock = threading.Lock()

    @torch.inference_mode()
    def of(self, sentence: Sentence) -> Memory:
        """What the encoder read, with its own attention; columns that are hidden may not be attended."""
        written = sentence.layout
        pieces = [written.pieces[column] for column in sentence.columns]
        word_of_piece = [written.word_of_piece[column] for column in sentence.columns]
        memory = self._encoded(sentence.ids)
        memory = replace(memory, layout=memory.layout.named(pieces, written.words, word_of_piece))
        return self._hidden(memory, [sentence])

    @torch.inference_mode()
    def together(self, sentences: Sequence[Sentence]) -> Memory:
        """A batch of several sentences; those that differ only in what is hidden are encoded once."""
        first = sentences[0]
        if all(one.ids == first.ids for one in sentences):
            rows = torch.zeros(len(sentences), dtype=torch.long, device=self.model.device)
            memory = replace(self._encoded(first.ids), attention=[]).select(rows)
        else:
            ids_BS, mask_BS = pad_sources([one.ids[:-1] for one in sentences], self.model.device)
            memory = self.model.encode(Tokens(ids_BS, mask_BS))
        return self._hidden(memory, sentences)

    def _encoded(self, ids: tuple[int, ...]) -> Memory:
        with self._lock:
            if ids in self._kept:
                self._kept.move_to_end(ids)
                return self._kept[ids]
        source_BS = torch.tensor([ids], device=self.model.device)
        memory = self.model.encode(Tokens(source_BS, torch.ones_like(source_BS, dtype=torch.bool)), need_weights=True)
        with self._lock:
            self._kept[ids] = memory
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return memory

    def _hidden(self, memory: Memory, sentences: Sequence[Sentence]) -> Memory:
        """The memory in which attention does not see what the sentences hide."""
        if not any(one.hidden for one in sentences):
            return memory
        width = memory.mask_BS.shape[1]
        open_BS = [
            [column not in one.hidden for column in one.columns] + [False] * (width - len(one.columns))
            for one in sentences
        ]
        return self.model.prepare(replace(memory, mask_BS=torch.tensor(open_BS, device=self.model.device)))
