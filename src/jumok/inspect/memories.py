"""What an encoder read of the sources that were asked for last: each is encoded once, however much is asked."""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import replace

import torch

from jumok.inspect.sentence import Subject
from jumok.models.contract import Memory
from jumok.models.seq2seq import Seq2Seq

KEPT = 16


class Memories:
    """The memory of each sentence or picture under one model's weights."""

    def __init__(self, model: Seq2Seq) -> None:
        self.model = model
        self._kept: OrderedDict[Hashable, Memory] = OrderedDict()
        self._lock = threading.Lock()

    @torch.inference_mode()
    def of(self, sentence: Subject) -> Memory:
        """What the encoder read, with its own attention; columns that are hidden may not be attended."""
        memory = self._encoded(sentence)
        memory = replace(memory, layout=sentence.read_layout(memory.layout))
        return self._hidden(memory, [sentence])

    @torch.inference_mode()
    def together(self, sentences: Sequence[Subject]) -> Memory:
        """A batch of several sentences; those that differ only in what is hidden are encoded once."""
        first, *others = sentences
        if all(one.key == first.key for one in others):
            rows = torch.zeros(len(sentences), dtype=torch.long, device=self.model.device)
            memory = replace(self._encoded(first), attention=[]).select(rows)
        else:
            memory = self.model.encode(first.source(others, self.model.device))
        return self._hidden(memory, sentences)

    def _encoded(self, sentence: Subject) -> Memory:
        key = sentence.key
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        memory = self.model.encode(sentence.source([], self.model.device), need_weights=True)
        with self._lock:
            self._kept[key] = memory
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return memory

    def _hidden(self, memory: Memory, sentences: Sequence[Subject]) -> Memory:
        """The memory in which attention does not see what the sentences hide."""
        if not any(one.hidden for one in sentences):
            return memory
        width = memory.mask_BS.shape[1]
        open_BS = [
            [column not in one.hidden for column in one.columns] + [False] * (width - len(one.columns))
            for one in sentences
        ]
        return self.model.prepare(replace(memory, mask_BS=torch.tensor(open_BS, device=self.model.device)))
