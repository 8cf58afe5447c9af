"""A trained model under inspection: one place that runs it on a sentence and shows everything it did.

    inspector = Inspector(load_run("runs/demo"))
    plan = Plan(inspector.read("The teacher reads a book."))
    ids = inspector.search(plan, beam=5).best[0].ids
    inspector.replay(plan, ids).cross            attention of every layer and head
    inspector.step(plan, ids[:2]).look(-1)       the arithmetic of the third word, by named terms
    inspector.effects(inspector.replay(plan, ids))     what each word loses without each source word

Terminal, notebook and studio ask here; edits are made in `what_if.py`. A sentence is encoded once, however much is
asked of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from jumok.arguments import check_text, check_whole, shown
from jumok.attention import Attention, MultiHead
from jumok.decoding.beam_search import beam_search
from jumok.decoding.options import Options
from jumok.decoding.rule_maker import RuleMaker
from jumok.decoding.run import Run
from jumok.errors import InputError
from jumok.inspect.memories import Memories
from jumok.inspect.model_step import ModelStep
from jumok.inspect.numbers import Array
from jumok.inspect.record import as_array
from jumok.inspect.replay import Found, Mixture, Replay, mixture_of
from jumok.inspect.sentence import How, Sentence, Subject
from jumok.inspect.sight import Given, Sight, sight_of
from jumok.inspect.what_if import EditedModel, Plan
from jumok.models.contract import AttentionMaps, Memory
from jumok.shapes import BOS, EOS, PAD, UNK
from jumok.text.normal import words_of

_LOGITS_AT_ONCE = 4_000_000


Written = tuple[Tensor, AttentionMaps, Mixture | None]


class Inspector:
    """A run's model and what can be asked of it. `between` is called between any two steps of the work."""

    def __init__(self, run: Run, between: Callable[[], None] = lambda: None) -> None:
        self.run, self.model, self.between = run, run.model, between
        self.memories = Memories(run.model)

    @cached_property
    def looks(self) -> list[Attention | MultiHead]:
        """The mechanism of each layer that looks at the source; none for a model without attention."""
        return self.model.decoder.cross_attentions()

    @cached_property
    def maker(self) -> RuleMaker:
        """Rules for searching with this model."""
        run = self.run
        return RuleMaker(run.config, run.source_tokenizer, run.target_tokenizer, run.reach, self.model.device)

    @property
    def longest_source(self) -> int:
        """How many source tokens the model was trained for."""
        return self.run.longest_input

    def layer(self, number: int) -> int:
        """A layer number from 0, of one that may count from the top."""
        if not self.looks:
            raise InputError(f"The run '{self.run.name}' has no attention between the two sides.")
        if not -len(self.looks) <= number < len(self.looks):
            raise InputError(f"There is no layer {number}; the decoder has {len(self.looks)}, from 0.")
        return number % len(self.looks)

    def heads(self, layer: int) -> int:
        """How many heads a layer has."""
        look = self.looks[layer]
        return look.heads if isinstance(look, MultiHead) else 1

    # ------------------------------------------------------------ sentences and targets

    def read(self, text: str) -> Sentence:
        """The sentence of a text, cut to what the model takes."""
        check_text("the text", text)
        if not words_of(text):
            raise InputError("There is no word in the text; type a sentence.")
        return Sentence.of_text(text, self.run.source_tokenizer, self.longest_source)

    def look_at(self, picture: Given) -> Sight:
        """The picture as the model reads it: a file, the content of one, or uint8 pixels [H, W, 3]."""
        return sight_of(self.run, picture)

    def check_target(self, ids: Sequence[int]) -> None:
        """Raises unless these are tokens of the target vocabulary, and not more than the model can take."""
        if isinstance(ids, str | bytes):
            raise InputError(f"the target must be a list of token numbers, not {shown(ids)}.")
        for token in ids:
            check_whole("a target token", token, 0, self.run.target_tokenizer.size - 1)
        most = self.run.reach.target_tokens
        if len(ids) > most:
            raise InputError(f"the target has {len(ids)} tokens, more than the {most} that the model can take.")

    def check_tokens(self, ids: Sequence[int]) -> None:
        """Raises for tokens that an output cannot hold."""
        self.check_target(ids)
        never = {PAD, BOS, EOS} if self.maker.knows_unknown else {PAD, BOS, EOS, UNK}
        for token in ids:
            if token in never:
                name = self.run.target_tokenizer.token(token)
                raise InputError(f"The token {token} ({name}) cannot be written; choose another.")

    # ------------------------------------------------------------ writing and reading

    @torch.inference_mode()
    def search(self, plan: Plan, beam: int, most: int | None = None) -> Found:
        """The best hypotheses of a beam search (beam 1: greedy) under the plan; `most` limits their tokens."""
        sentence = plan.sentence
        job = sentence.job(plan.prefix)
        longest = self.maker.longest(job, Options())
        longest = max(longest if most is None else min(longest, most), len(plan.prefix), 1)
        rules = self.maker.rules([job], Options(beam=beam, nbest=beam, max_length=longest))
        # The encoder's own attention is not carried along in every row.
        memory = replace(self.memories.of(sentence), attention=[])
        mask_BS = torch.ones_like(memory.mask_BS)
        found = beam_search(self._edited(plan), memory, mask_BS, rules, beam=beam, nbest=beam, tree=True)
        assert found.trees is not None
        return Found(found.best[0], found.trees[0])

    @torch.inference_mode()
    def replay(self, plan: Plan, target: Sequence[int]) -> Replay:
        """Each step of writing the target (EOS added), with the plan's edits of source and weights."""
        self.check_target(target)
        self.between()
        sentence, memory = plan.sentence, self.memories.of(plan.sentence)
        # Where no weights are imposed the whole target is decoded at once, which is the same and much quicker.
        logits_TV, maps, mixture = (self._in_steps if plan.rows else self._at_once)(plan, memory, [BOS, *target])
        return Replay(
            sentence=sentence,
            ids=tuple(target),
            log_prob_TV=logits_TV.double().log_softmax(-1),
            encoder=[over_both(as_array(layer[0]), sentence) for layer in memory.attention],
            decoder=[as_array(layer[0]) for layer in maps.decoder],
            cross=[over_columns(as_array(layer[0]), sentence, 0.0) for layer in maps.cross],
            mixture=mixture,
        )

    def _edited(self, plan: Plan) -> EditedModel:
        return EditedModel(self.model, plan, self.between)

    def _at_once(self, plan: Plan, memory: Memory, inputs: Sequence[int]) -> Written:
        """Logits [T, V], attention and mixture of a whole target."""
        decoded = self.model.decode(memory, torch.tensor([inputs], device=self.model.device), need_weights=True)
        terms = self.model.head.terms(decoded.outputs_BTD, memory, decoded.attention.cross)
        return self.model.logits(decoded, memory)[0], decoded.attention, mixture_of(terms, memory, [*inputs[1:], EOS])

    def _in_steps(self, plan: Plan, memory: Memory, inputs: Sequence[int]) -> Written:
        """The same word by word, with weights imposed."""
        model = self._edited(plan)
        state = model.init_state(memory)
        logits: list[Tensor] = []
        seen: list[AttentionMaps] = []
        for previous in inputs:
            output, state = model.step(torch.tensor([previous], device=self.model.device), state, need_weights=True)
            logits.append(output.logits_BV[0])
            seen.append(output.attention)
        cross = [torch.cat(layers, dim=2) for layers in zip(*(maps.cross for maps in seen), strict=True)]
        # A decoder's own row t has t + 1 columns: later words are not there yet.
        grown = [[F.pad(row, (0, len(inputs) - row.shape[-1])) for row in maps.decoder] for maps in seen]
        decoder = [torch.cat(layers, dim=2) for layers in zip(*grown, strict=True)]
        return torch.stack(logits), AttentionMaps(decoder=decoder, cross=cross), None

    @torch.inference_mode()
    def step(self, plan: Plan, prefix: Sequence[int]) -> ModelStep:
        """The step that comes after the prefix, with everything it computed."""
        memory, model = self.memories.of(plan.sentence), self._edited(plan)
        state = model.init_state(memory)
        inputs = [torch.tensor([token], device=self.model.device) for token in (BOS, *prefix)]
        for previous in inputs[:-1]:
            _, state = model.step(previous, state)
        output, _ = model.step(inputs[-1], state, need_weights=True, need_terms=True)
        mechanism = self.run.config.model.decoder.attention
        return ModelStep(mechanism, self.looks, plan.sentence, memory, output, len(prefix))

    @torch.inference_mode()
    def steps(self, plan: Plan, target: Sequence[int]) -> list[ModelStep]:
        """Every step of writing the target and its end, with everything they computed."""
        self.check_target(target)
        memory, model, found = self.memories.of(plan.sentence), self._edited(plan), list[ModelStep]()
        state, mechanism = model.init_state(memory), self.run.config.model.decoder.attention
        for position, token in enumerate((BOS, *target)):
            previous_B = torch.tensor([token], device=self.model.device)
            output, state = model.step(previous_B, state, need_weights=True, need_terms=True)
            found.append(ModelStep(mechanism, self.looks, plan.sentence, memory, output, position))
        return found

    # ------------------------------------------------------------ effects

    def effects(self, read: Replay, how: How = "remove") -> Array:
        """How much each token (and EOS) of a replayed target loses without each source word: [T + 1, source words].

        effect_{t,i} = log p(y_t | y_<t, x) − log p(y_t | y_<t, x without word i)

        This is measured, not looked at: attention need not agree with it.
        """
        sentence, target = read.sentence, read.ids
        without = [sentence.without(word, how) for word in range(sentence.units)]
        rows = max(1, _LOGITS_AT_ONCE // ((len(target) + 1) * self.model.target_size))
        parts = [np.zeros((0, len(target) + 1))]
        for first in range(0, len(without), rows):
            self.between()
            parts.append(self._forced(without[first : first + rows], target))
        return (np.array(read.log_probs)[None] - np.concatenate(parts)).T

    @torch.inference_mode()
    def _forced(self, sentences: Sequence[Subject], target: Sequence[int]) -> Array:
        """log p(y_t | sentence) of one target (EOS last) after each of the sentences, [N, T]."""
        memory = self.memories.together(sentences)
        given, device = len(sentences), self.model.device
        decoded = self.model.decode(memory, torch.tensor([[BOS, *target]], device=device).expand(given, -1))
        return as_array(
            self.model.head.log_probs(decoded, memory, torch.tensor([[*target, EOS]], device=device).expand(given, -1))
        )


# ---------------------------------------------------------------- columns of the sentence as it was written


def over_columns(values: Array, sentence: Subject, missing: float) -> Array:
    """Numbers of what was read, last dimension, put at the columns of what was written."""
    if len(sentence.columns) == sentence.width:
        return values
    wide = np.full((*values.shape[:-1], sentence.width), missing)
    wide[..., list(sentence.columns)] = values
    return wide


def over_both(weights_HSS: Array, sentence: Subject) -> Array:
    """The same for both sides of the encoder's own attention."""
    wide = over_columns(weights_HSS, sentence, 0.0)
    return over_columns(wide.swapaxes(-1, -2), sentence, 0.0).swapaxes(-1, -2)
