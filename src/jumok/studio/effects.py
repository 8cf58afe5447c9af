"""The measured effect of each source word: attention is not always explanation, taking the word away is."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from jumok.data.sources import Tokens
from jumok.shapes import BOS, EOS, PAD
from jumok.studio.cancelling import check_wanted
from jumok.studio.edits import Plan
from jumok.studio.payload_steps import EffectsAnswer, EffectsRequest
from jumok.studio.reading import Array, as_array, matrix, read, replay, search
from jumok.studio.sessions import Session
from jumok.studio.sources import Source, read_source
from jumok.studio.targets import Target, given_target

_LOGITS_AT_ONCE = 4_000_000


def effects(session: Session, request: EffectsRequest) -> EffectsAnswer:
    """log p(y_t | all words) − log p(y_t | without word i), for every target token and source word."""
    source = read_source(session, request.text)
    given = given_target(session, request.target, request.target_ids)
    target = given or Target(search(session, Plan(source), request.beam).best[0].ids)
    without = [source.without(word, request.how) for word in range(len(source.words))]
    log_prob_NT = forced_log_probs(session, [source, *without], target.ids)
    effect_TN = (log_prob_NT[:1] - log_prob_NT[1:]).T
    reading = read(session, replay(session, Plan(source), target.ids), about=target.notes)
    word_of_token = np.array([token.word for token in reading.target.tokens])
    by_word = [effect_TN[word_of_token == word].sum(0) for word in range(len(reading.target.words))]
    words = np.stack(by_word) if by_word else np.zeros((0, len(source.words)))
    return EffectsAnswer(
        run=session.ref,
        source=reading.source,
        target=reading.target,
        effects=matrix(effect_TN),
        words=matrix(words),
        log_probs=[round(value, 6) for value in log_prob_NT[0].tolist()],
        totals=[round(total, 5) for total in effect_TN.sum(0).tolist()],
        notes=reading.notes,
    )


def forced_log_probs(session: Session, sources: Sequence[Source], ids: Sequence[int]) -> Array:
    """log p(y_t | source) of one target (EOS last) after each of the sources, [N, T]; many of them at once."""
    rows = max(1, _LOGITS_AT_ONCE // ((len(ids) + 1) * session.run.model.target_size))
    parts: list[Array] = []
    for first in range(0, len(sources), rows):
        check_wanted()
        parts.append(_batch_log_probs(session, sources[first : first + rows], ids))
    return np.concatenate(parts)


@torch.inference_mode()
def _batch_log_probs(session: Session, sources: Sequence[Source], ids: Sequence[int]) -> Array:
    """The same for sources that are computed in one batch."""
    model, device = session.run.model, session.device
    longest = max(len(source.ids) for source in sources)
    source_BS = torch.tensor([[*s.ids, *[PAD] * (longest - len(s.ids))] for s in sources], device=device)
    mask_BS = torch.tensor([[n < len(s.ids) for n in range(longest)] for s in sources], device=device)
    memory = model.encode(Tokens(source_BS, mask_BS))
    if any(source.hidden for source in sources):
        hidden = [[column in s.hidden for column in s.columns] + [False] * (longest - len(s.ids)) for s in sources]
        memory = model.prepare(replace(memory, mask_BS=mask_BS & ~torch.tensor(hidden, device=device)))
    target_in_BT = torch.tensor([[BOS, *ids]], device=device).expand(len(sources), -1)
    target_T = torch.tensor([*ids, EOS], device=device)
    decoded = model.decode(memory, target_in_BT)
    return as_array(model.head.log_probs(decoded, memory, target_T.expand(len(sources), -1)))
