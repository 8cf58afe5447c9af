/* Everything a search knows while it runs. */

#ifndef JUMOK_STATE_H
#define JUMOK_STATE_H

#include "recurrent.h"

#define WIDEST_BEAM 64

typedef struct {
    double score, sum;
    int32_t step, row, truncated;
} End;

typedef struct {
    double sum;
    int32_t row, token;
} Candidate;

/* Rows as a step of the search leaves them; block t of the history holds the rows that enter step t. */
typedef struct {
    int32_t *parent, *token, *slot;
    double *sum;
} History;

typedef struct {
    Reading reading;
    /* the sources */
    float *keys, *powers, *query_power;
    int tame;
    int32_t *allowed, *allowed_begins; /* shortlists, one after the other */
    int32_t *stamp;
    /* the rows under way; their sentences, and the first row of each sentence, in one of two places by turns */
    int rows, most_rows, step;
    History now, history;
    int32_t *sentence, *first_row, *sentences, *first_rows;
    /* slots: the parents that have children, each once */
    int slots, by_slot; /* attention before the step belongs to the parent */
    int32_t *slot_parent, *slot_sentence, *slot_of_parent;
    /* states [rows, layers * parts * D], readouts, and what is computed on the way */
    Rows old, fresh, old_fed, fed, context, summary;
    float *recurrent, *shared, *upper, *nothing, *query, *slot_readout, *logits, *weights;
    float *room; /* for rows of tables on their way */
    /* candidates and ends */
    Candidate *candidates, *best;
    int32_t *n_candidates, *ended;
    double *worst;
    End *ends;
} Search;

static History history_at(const Search *s, int step) {
    size_t at = (size_t)step * s->most_rows;
    History h = {s->history.parent + at, s->history.token + at, s->history.slot + at, s->history.sum + at};
    return h;
}

/* How many words all shortlists together have at most. */
static size_t room_for_shortlists(const Model *m, const Request *q) {
    const Shortlist *list = q->shortlist;
    size_t room = 0;
    for (int i = 0; i < q->sentences; i++) {
        size_t words = list->n_common;
        for (int p = q->begins[i]; p < q->begins[i + 1]; p++)
            words += list->begins[q->ids[p] + 1] - list->begins[q->ids[p]];
        room += words < (size_t)m->words ? words : (size_t)m->words;
    }
    return room;
}

/* One layer's h within rows of states. */
static Rows layer_of(const Model *m, Rows states, int layer) {
    int offset = layer * parts_of(m->decoder_cell) * m->decoder_size;
    Rows rows = {states.values + offset, states.whole + offset, states.stride};
    return rows;
}

static void lay_out_rows(Workspace *space, const Model *m, const Request *q, Search *s) {
    int n = q->sentences, rows = n * q->beam, D = m->decoder_size, gates = gates_of(m->decoder_cell) * D;
    int state = m->decoder_layers * parts_of(m->decoder_cell) * D;
    size_t steps = q->most_steps;
    s->most_rows = rows;
    s->sentences = TAKE(space, int32_t, 2 * rows);
    s->first_rows = TAKE(space, int32_t, 2 * (n + 1));
    s->slot_parent = TAKE(space, int32_t, rows);
    s->slot_sentence = TAKE(space, int32_t, rows);
    s->slot_of_parent = TAKE(space, int32_t, rows);
    s->old = take_rows(space, rows, state);
    s->fresh = take_rows(space, rows, state);
    s->old_fed = take_rows(space, rows, m->output_size);
    s->fed = take_rows(space, rows, m->output_size);
    s->context = take_rows(space, rows, m->context_size);
    s->summary = take_rows(space, 1, m->directions * m->encoder_size);
    s->recurrent = TAKE(space, float, (size_t)m->decoder_layers * rows * gates);
    s->shared = TAKE(space, float, (size_t)rows * gates);
    s->upper = TAKE(space, float, m->decoder_layers > 1 ? (size_t)rows * gates : 0);
    s->nothing = TAKE(space, float, gates);
    s->query = TAKE(space, float, (size_t)rows * m->key_size);
    s->slot_readout = TAKE(space, float, (size_t)rows * m->output_size);
    s->logits = TAKE(space, float, (size_t)(q->beam > AT_ONCE ? q->beam : AT_ONCE) * (m->words + PAD));
    s->weights = TAKE(space, float, q->keep_weights ? steps * rows * q->most_source : (size_t)q->most_source);
    int wider = m->source.matrix.rows > m->target.matrix.rows ? m->source.matrix.rows : m->target.matrix.rows;
    s->room = TAKE(space, float, (size_t)AT_ONCE * wider);
    s->candidates = TAKE(space, Candidate, (size_t)rows * q->beam);
    s->best = TAKE(space, Candidate, q->beam);
    s->n_candidates = TAKE(space, int32_t, rows);
    s->ended = TAKE(space, int32_t, n);
    s->worst = TAKE(space, double, n);
    s->ends = TAKE(space, End, rows);
    s->history.parent = TAKE(space, int32_t, (steps + 1) * rows);
    s->history.token = TAKE(space, int32_t, (steps + 1) * rows);
    s->history.slot = TAKE(space, int32_t, (steps + 1) * rows);
    s->history.sum = TAKE(space, double, (steps + 1) * rows);
    s->stamp = TAKE(space, int32_t, m->words);
    s->allowed_begins = TAKE(space, int32_t, n + 1);
    s->allowed = TAKE(space, int32_t, q->shortlist ? room_for_shortlists(m, q) : 0);
}

#endif
