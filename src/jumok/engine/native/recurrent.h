/* Recurrent cells, tables of words, and the encoder.

   A cell gets the input's share of the gates in two parts: that of the word, and the rest (`shared`), which hypotheses
   of one parent have in common. */

#ifndef JUMOK_RECURRENT_H
#define JUMOK_RECURRENT_H

#include "model.h"
#include "workspace.h"

/* r = s(Wr x + Ur h), z = s(Wz x + Uz h), n = tanh(Wn x + r * Un h), h' = (1 - z) n + z h */
static void gru_cell(const float *word, const float *shared, const float *recurrent, const float *h, float *to, int D) {
#pragma omp simd
    for (int k = 0; k < D; k++) {
        float r = sigmoid(word[k] + shared[k] + recurrent[k]);
        float z = sigmoid(word[D + k] + shared[D + k] + recurrent[D + k]);
        float n = tanh_of(word[2 * D + k] + shared[2 * D + k] + r * recurrent[2 * D + k]);
        to[k] = n + z * (h[k] - n);
    }
}

/* i, f, o = s(...), g = tanh(...), c' = f c + i g, h' = o tanh(c') */
static void lstm_cell(const float *word, const float *shared, const float *recurrent, const float *c, float *to,
                      float *to_c, int D) {
#pragma omp simd
    for (int k = 0; k < D; k++) {
        float write = sigmoid(word[k] + shared[k] + recurrent[k]);
        float forget = sigmoid(word[D + k] + shared[D + k] + recurrent[D + k]);
        float fresh = tanh_of(word[2 * D + k] + shared[2 * D + k] + recurrent[2 * D + k]);
        float show = sigmoid(word[3 * D + k] + shared[3 * D + k] + recurrent[3 * D + k]);
        float cell = forget * c[k] + write * fresh;
        to_c[k] = cell;
        to[k] = show * tanh_of(cell);
    }
}

/* A state is [h] or [h, c], each of D numbers. */
static void advance(int cell, const float *word, const float *shared, const float *recurrent, const float *state,
                    float *to, int D) {
    if (cell == GRU_CELL) {
        gru_cell(word, shared, recurrent, state, to, D);
    } else if (cell == LSTM_CELL) {
        lstm_cell(word, shared, recurrent, state + D, to, to + D, D);
    } else {
#pragma omp simd
        for (int k = 0; k < D; k++) to[k] = tanh_of(word[k] + shared[k] + recurrent[k]);
    }
}

/* The first n numbers of each row, for products in int8. */
static void quantise(const Model *m, Rows x, int count, int n) {
    if (!m->int8) return;
    for (int i = 0; i < count; i++)
        quantise_row(x.values + (size_t)i * x.stride, x.whole + (size_t)i * x.stride, n);
}

/* ------------------------------------------------------------------ tables */

#define AT_ONCE 24

static const float *word_row(const Table *table, int32_t word) {
    return table->rows + (size_t)word * table->matrix.rows;
}

static void fill_some(const Table *table, const int32_t *words, int count, float *room) {
    Rows vectors = {(float *)table->vectors, NULL, table->matrix.cols};
    int width = table->matrix.rows;
    product(&table->matrix, vectors, words, count, room, width, 0);
    for (int i = 0; i < count; i++) {
        memcpy(table->rows + (size_t)words[i] * width, room + (size_t)i * width, sizeof(float) * width);
        __atomic_store_n(table->filled + words[i], 1, __ATOMIC_RELEASE);
    }
}

/* Computes the rows of words that were never met. Two workers may do so at once: they write the same numbers. */
static void meet(const Table *table, const int32_t *words, int count, float *room) {
    int32_t fresh[AT_ONCE];
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (__atomic_load_n(table->filled + words[i], __ATOMIC_ACQUIRE)) continue;
        fresh[n++] = words[i];
        if (n == AT_ONCE) {
            fill_some(table, fresh, n, room);
            n = 0;
        }
    }
    if (n) fill_some(table, fresh, n, room);
}

/* ------------------------------------------------------------------ the encoder */

typedef struct {
    Rows below, states; /* [tokens, directions * D]: the layer under way and the one under it */
    Rows now;           /* [sentences, state]: where each sentence's recurrence stands */
    float *gates;       /* [tokens, gates]: the input's share in upper layers */
    float *recurrent;   /* [sentences, gates] */
    float *zeros;
    float *final;       /* [sentences, layers * directions * state] */
} Reading;

static Rows take_rows(Workspace *space, size_t count, int stride) {
    Rows rows = {TAKE(space, float, count * stride), TAKE(space, int16_t, count * stride), stride};
    return rows;
}

static Reading lay_out_reading(Workspace *space, const Model *m, int sentences, int tokens) {
    int D = m->encoder_size, gates = gates_of(m->encoder_cell) * D, state = parts_of(m->encoder_cell) * D;
    Reading r;
    r.below = take_rows(space, tokens, m->directions * D);
    r.states = take_rows(space, tokens, m->directions * D);
    r.now = take_rows(space, sentences, state);
    r.gates = TAKE(space, float, m->encoder_layers > 1 ? (size_t)tokens * gates : 0);
    r.recurrent = TAKE(space, float, (size_t)sentences * gates);
    r.zeros = TAKE(space, float, gates);
    r.final = TAKE(space, float, (size_t)sentences * m->encoder_layers * m->directions * state);
    return r;
}

/* One direction of one layer. Sources come longest first, so those still being read are the first ones. */
static void read_direction(const Model *m, Reading *r, int layer, int direction, const Request *q) {
    const Layer *this = &m->encoder[layer * m->directions + direction];
    int D = m->encoder_size, gates = gates_of(m->encoder_cell) * D, state = parts_of(m->encoder_cell) * D;
    int tokens = q->begins[q->sentences], longest = q->begins[1];
    if (layer) product(&this->input, r->below, NULL, tokens, r->gates, gates, 0);
    memset(r->now.values, 0, sizeof(float) * q->sentences * state);
    memset(r->now.whole, 0, sizeof(int16_t) * q->sentences * state);
    int active = q->sentences;
    for (int t = 0; t < longest; t++) {
        while (q->begins[active] - q->begins[active - 1] <= t) active--;
        product(&this->recurrent, r->now, NULL, active, r->recurrent, gates, 0);
        for (int i = 0; i < active; i++) {
            int place = direction ? q->begins[i + 1] - 1 - t : q->begins[i] + t;
            const float *word = layer ? r->gates + (size_t)place * gates
                                      : word_row(&m->source, q->ids[place]) + direction * gates;
            float *now = r->now.values + (size_t)i * state;
            advance(m->encoder_cell, word, r->zeros, r->recurrent + (size_t)i * gates, now, now, D);
            memcpy(r->states.values + (size_t)place * r->states.stride + direction * D, now, sizeof(float) * D);
        }
        quantise(m, r->now, active, D);
    }
    for (int i = 0; i < q->sentences; i++)
        memcpy(r->final + (((size_t)i * m->encoder_layers + layer) * m->directions + direction) * state,
               r->now.values + (size_t)i * state, sizeof(float) * state);
}

/* The states of all sources, in `states`, and the last state of each layer and direction, in `final`. */
static void read_sources(const Model *m, Reading *r, const Request *q, float *room) {
    int tokens = q->begins[q->sentences], D = m->directions * m->encoder_size;
    memset(r->zeros, 0, sizeof(float) * gates_of(m->encoder_cell) * m->encoder_size);
    meet(&m->source, q->ids, tokens, room);
    for (int layer = 0; layer < m->encoder_layers; layer++) {
        Rows spare = r->below;
        r->below = r->states;
        r->states = spare;
        for (int direction = 0; direction < m->directions; direction++) read_direction(m, r, layer, direction, q);
        quantise(m, r->states, tokens, D);
    }
}

#endif
