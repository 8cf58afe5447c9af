/* Greedy and beam search with a recurrent model, many sentences at a time.

   A row is a hypothesis under way. Rows of a sentence lie side by side, best first. After each step the best
   extensions of a sentence become its next rows; they only name the row they grew from (`parent`), and the next step
   reads the parent's state where it lies: nothing is reordered. What depends on the parent alone (the products with its
   state, and attention where it comes before the step) is computed once for all its children.

   The rules are those of `decoding/beam_search.py`, which is the readable form of this file: an extension by EOS
   keeps its place, so that the beam narrows as hypotheses end; a sentence is over when all places are taken, or when no
   row can still beat what is finished. */

#include "recurrent.h"
#include "attend.h"
#include "beam.h"

static void lay_out(Workspace *space, const Model *m, const Request *q, Search *s) {
    space->used = 0;
    int tokens = q->begins[q->sentences];
    s->reading = lay_out_reading(space, m, q->sentences, tokens);
    lay_out_memory(space, m, tokens, s);
    lay_out_rows(space, m, q, s);
}

/* The states before the first word: the encoder's last ones, copied or through tanh(W h). */
static void start(const Model *m, const Request *q, Search *s) {
    int all = s->old.stride, directions = m->directions, D = m->encoder_size, part = parts_of(m->encoder_cell) * D;
    for (int i = 0; i < q->sentences; i++) {
        const float *final = s->reading.final + (size_t)i * m->encoder_layers * directions * part;
        float *to = s->old.values + (size_t)i * all;
        if (m->start == COPIED_START) {
            memcpy(to, final, sizeof(float) * all);
        } else {
            const float *top = final + (size_t)(m->encoder_layers - 1) * directions * part;
            for (int d = 0; d < directions; d++)
                memcpy(s->summary.values + (size_t)d * D, top + (size_t)d * part, sizeof(float) * D);
            product(&m->bridge, s->summary, NULL, 1, to, all, 0);
            tanh_row(to, all);
        }
        memset(s->old_fed.values + (size_t)i * m->output_size, 0, sizeof(float) * m->output_size);
    }
    for (int layer = 0; layer < m->decoder_layers; layer++)
        quantise(m, layer_of(m, s->old, layer), q->sentences, m->decoder_size);
    quantise(m, s->old_fed, q->sentences, m->output_size);
}

/* What every child of a parent shares: U h of each layer, the fed readout's gates, and the context's where attention
   comes before the step. */
static void share(const Model *m, const Request *q, Search *s) {
    int D = m->decoder_size, gates = gates_of(m->decoder_cell) * D;
    for (int layer = 0; layer < m->decoder_layers; layer++)
        product(&m->decoder[layer].recurrent, layer_of(m, s->old, layer), s->slot_parent, s->slots,
                s->recurrent + (size_t)layer * s->most_rows * gates, gates, 0);
    int begun = 0;
    if (m->input_feeding) {
        product(&m->fed_gates, s->old_fed, s->slot_parent, s->slots, s->shared, gates, 0);
        begun = 1;
    }
    if (m->score != NO_SCORE && m->before) {
        attend(m, q, s, layer_of(m, s->old, m->decoder_layers - 1), s->slot_parent, s->slot_sentence, s->slots);
        product(&m->context_gates, s->context, NULL, s->slots, s->shared, gates, begun);
        begun = 1;
    }
    if (!begun) memset(s->shared, 0, sizeof(float) * (size_t)s->slots * gates);
}

/* The new state of every row, from its parent's slot and its own word. */
static void advance_rows(const Model *m, Search *s) {
    int D = m->decoder_size, gates = gates_of(m->decoder_cell) * D;
    for (int layer = 0; layer < m->decoder_layers; layer++) {
        Rows from = layer_of(m, s->old, layer), to = layer_of(m, s->fresh, layer);
        if (layer)
            product(&m->decoder[layer].input, layer_of(m, s->fresh, layer - 1), NULL, s->rows, s->upper, gates,
                    0);
        const float *recurrent = s->recurrent + (size_t)layer * s->most_rows * gates;
        for (int i = 0; i < s->rows; i++) {
            int slot = s->now.slot[i];
            const float *word = layer ? s->upper + (size_t)i * gates : word_row(&m->target, s->now.token[i]);
            const float *shared = layer ? s->nothing : s->shared + (size_t)slot * gates;
            advance(m->decoder_cell, word, shared, recurrent + (size_t)slot * gates,
                    from.values + (size_t)s->now.parent[i] * from.stride, to.values + (size_t)i * to.stride, D);
        }
        quantise(m, to, s->rows, D);
    }
}

/* t = tanh(U s + C c + V y + b), or the bare state, for every row. */
static void read_out(const Model *m, Search *s) {
    int O = m->output_size, words_at = gates_of(m->decoder_cell) * m->decoder_size;
    Rows top = layer_of(m, s->fresh, m->decoder_layers - 1);
    Rows to = s->fed;
    if (m->readout == BARE_READOUT && !m->readout_state.rows) {
        for (int i = 0; i < s->rows; i++)
            memcpy(to.values + (size_t)i * O, top.values + (size_t)i * top.stride, sizeof(float) * O);
        quantise(m, to, s->rows, O);
        return;
    }
    product(&m->readout_state, top, NULL, s->rows, to.values, O, 0);
    if (m->readout == JOINED_READOUT) {
        if (m->readout_context.rows && m->before) {
            /* The context belongs to the parent: its share is computed once a slot. */
            product(&m->readout_context, s->context, NULL, s->slots, s->slot_readout, O, 0);
            for (int i = 0; i < s->rows; i++)
                add_row(to.values + (size_t)i * O, s->slot_readout + (size_t)s->now.slot[i] * O, O);
        } else if (m->readout_context.rows) {
            product(&m->readout_context, s->context, NULL, s->rows, to.values, O, 1);
        }
        int with_word = m->target.matrix.rows > words_at;
        for (int i = 0; i < s->rows; i++) {
            if (with_word) add_row(to.values + (size_t)i * O, word_row(&m->target, s->now.token[i]) + words_at, O);
            tanh_row(to.values + (size_t)i * O, O);
        }
    }
    quantise(m, to, s->rows, O);
}

/* One word further; 0 when every sentence is over. */
static int step(const Model *m, const Request *q, Search *s) {
    find_slots(s);
    share(m, q, s);
    meet(&m->target, s->now.token, s->rows, s->room);
    advance_rows(m, s);
    if (m->score != NO_SCORE && !m->before)
        attend(m, q, s, layer_of(m, s->fresh, m->decoder_layers - 1), NULL, s->sentence, s->rows);
    read_out(m, s);
    extend(m, q, s);
    choose(q, s);
    /* What was new is old; the old memory is free for the next step. */
    Rows spare = s->old;
    s->old = s->fresh;
    s->fresh = spare;
    spare = s->old_fed;
    s->old_fed = s->fed;
    s->fed = spare;
    return s->rows > 0;
}

/* Searches; the results are written where the request says. 0 done, 1 out of memory. */
int jumok_search(const Model *m, const Request *q, Workspace *space) {
    Search s = {0};
    lay_out(space, m, q, &s);
    if (!enlarge(space)) return 1;
    lay_out(space, m, q, &s);
    read_sources(m, &s.reading, q, s.room);
    remember(m, q, &s);
    make_shortlists(m, q, &s);
    memset(s.nothing, 0, sizeof(float) * gates_of(m->decoder_cell) * m->decoder_size);
    begin(q, &s);
    s.by_slot = m->before;
    start(m, q, &s);
    while (step(m, q, &s)) {
    }
    write_results(q, &s);
    return 0;
}

Workspace *jumok_workspace(void) { return calloc(1, sizeof(Workspace)); }

void jumok_free(Workspace *space) {
    if (!space) return;
    free(space->memory);
    free(space);
}

/* So that the caller can check that both sides agree on the structures. */
int jumok_sizes(int which) { return which == 0 ? (int)sizeof(Model) : (int)sizeof(Request); }
