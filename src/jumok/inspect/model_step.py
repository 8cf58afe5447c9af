"""One step of a trained model: everything it computed, by name, and the same put into the steps of the arithmetic."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from jumok.attention import Attention, MultiHead
from jumok.attention.terms import Terms
from jumok.inspect.procedure import Working, steps_of
from jumok.inspect.record import Record, as_array, look_of, record_of
from jumok.inspect.sentence import Subject
from jumok.inspect.steps import Look, Step
from jumok.inspect.texts import Texts
from jumok.models.contract import Memory, StepOutput, StepTerms


@dataclass(frozen=True)
class ModelStep:
    """What a model computed to write one word."""

    mechanism: str
    """The catalogue's name of the attention between target and source."""
    looks: Sequence[Attention | MultiHead]
    """The module of each layer that looks at the source."""
    sentence: Subject
    memory: Memory
    output: StepOutput
    position: int
    """How many words were written before."""

    @property
    def log_prob_V(self) -> Tensor:
        """log p of every word."""
        return self.output.logits_BV[0].double().log_softmax(-1)

    @property
    def terms(self) -> StepTerms:
        """Everything that was computed, by name."""
        assert self.output.terms is not None, "a step that is inspected is taken with its terms"
        return self.output.terms

    @property
    def decoder(self) -> Record:
        """The new state and the output, and the context that they were made with, where there is one."""
        context: Terms = {"context": self.terms.layers[-1]["context"]} if self.terms.layers else {}
        return record_of(context | self.terms.decoder)

    @property
    def head(self) -> Record:
        """What the head computed beyond the scores of words: a mixture, where words are also copied."""
        return record_of(self.terms.head)

    def look(self, layer: int) -> Look:
        """How one layer looked at the source."""
        states_SD = as_array(self.memory.states_BSD[0])
        return look_of(self.terms.layers[layer], states_SD, states_SD, self.position)

    def steps(self, layer: int, look: Look, lang: str) -> tuple[Step, ...]:
        """The arithmetic of one layer's look, from the scores to the context."""
        working = Working(self.looks[layer], look, look.terms["keys"].value, self.mechanism)
        return tuple(step for step in steps_of(working, Texts(lang)) if step.name != "decoder")
