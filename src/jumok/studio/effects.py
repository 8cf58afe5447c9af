"""The measured effect of each source word: attention is not always explanation, taking the word away is."""

import numpy as np

from jumok.studio.payload_steps import EffectsAnswer, EffectsRequest
from jumok.studio.reading import matrix, read
from jumok.studio.sessions import Session
from jumok.studio.sources import read_source
from jumok.studio.targets import Target, given_target


def effects(session: Session, request: EffectsRequest) -> EffectsAnswer:
    """log p(y_t | all words) − log p(y_t | without word i), for every target token and source word."""
    source = read_source(session, request.text, request.picture)
    given = given_target(session, request.target, request.target_ids, source.sentence)
    target = given or Target(session.search(source.plan, request.beam).best[0].ids)
    done = session.inspector.replay(source.plan, target.ids)
    effect_TN = session.inspector.effects(done, request.how)
    reading = read(session, done, notes=(*source.notes, *target.notes))
    word_of_token = np.array([token.word for token in reading.target.tokens])
    by_word = [effect_TN[word_of_token == word].sum(0) for word in range(len(reading.target.words))]
    words = np.stack(by_word) if by_word else np.zeros((0, effect_TN.shape[1]))
    return EffectsAnswer(
        run=session.ref,
        source=reading.source,
        target=reading.target,
        effects=matrix(effect_TN),
        words=matrix(words),
        log_probs=[round(value, 6) for value in done.log_probs],
        totals=[round(total, 5) for total in effect_TN.sum(0).tolist()],
        notes=reading.notes,
    )
