"""A trained run without its model: what reading and writing text with it takes. Nothing here needs torch."""

from dataclasses import dataclass
from pathlib import Path

from jumok.config import SequenceConfig
from jumok.decoding.alignment_choice import AlignmentChoice
from jumok.models.reach import Reach
from jumok.text.tokenizer import Tokenizer


@dataclass(frozen=True, kw_only=True)
class OpenedRun:
    """Config, tokenizers and limits of a run folder. Each engine adds the weights in the form it computes with."""

    path: Path
    config: SequenceConfig
    source_tokenizer: Tokenizer
    target_tokenizer: Tokenizer
    choice: AlignmentChoice
    """Which attention is read as the word alignment."""
    reach: Reach
    """How long sentences the model can take."""
    sha256: str
    """Of weights and config together."""

    @property
    def hash(self) -> str:
        """The short form that names the model in exports and reports."""
        return self.sha256[:12]

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.resolve().name

    @property
    def longest_input(self) -> int:
        """How many tokens (without EOS) a line to translate may have: what the model was trained for."""
        return min(self.config.data.max_length, self.reach.source_tokens)
