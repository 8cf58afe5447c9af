/* The memory of the sources, and attention over it: scores, weights and contexts of many queries. */

#ifndef JUMOK_ATTEND_H
#define JUMOK_ATTEND_H

#include "state.h"

/* Beyond this e^(-2q) e^(-2k) may leave float32, and tanh is taken of the sum itself. */
#define TAME 20.0f

static void lay_out_memory(Workspace *space, const Model *m, int tokens, Search *s) {
    s->keys = TAKE(space, float, (size_t)tokens * m->key_size);
    s->powers = TAKE(space, float, m->score == ADDITIVE_SCORE ? (size_t)tokens * m->key_size : 0);
    s->query_power = TAKE(space, float, m->key_size);
}

static int is_tame(const float *x, int n) {
    float most = 0.0f;
#pragma omp simd reduction(max : most)
    for (int k = 0; k < n; k++) most = fabsf(x[k]) > most ? fabsf(x[k]) : most;
    return most < TAME;
}

static void power_row(const float *x, float *to, int n) {
#pragma omp simd
    for (int k = 0; k < n; k++) to[k] = exp_of(-2.0f * x[k]);
}

/* Projected keys of all source positions, once a sentence. */
static void remember(const Model *m, const Request *q, Search *s) {
    if (m->score == NO_SCORE) return;
    int tokens = q->begins[q->sentences], A = m->key_size;
    product(&m->key, s->reading.states, NULL, tokens, s->keys, A, 0);
    if (m->score != ADDITIVE_SCORE) return;
    s->tame = is_tame(s->keys, tokens * A);
    if (s->tame) power_row(s->keys, s->powers, tokens * A);
}

/* v . tanh(q + k) = 2 v . s(2(q + k)) - sum v  and  s(2(q + k)) = 1 / (1 + e^(-2q) e^(-2k)):
   the exponentials are taken once a query and once a key. */
static void additive_scores(const Model *m, const Search *s, const float *query, int begin, int length, float *scores) {
    int A = m->key_size;
    if (s->tame && is_tame(query, A)) {
        float *power = s->query_power;
        power_row(query, power, A);
        for (int i = 0; i < length; i++) {
            const float *key = s->powers + (size_t)(begin + i) * A;
            float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
            for (int k = 0; k < A; k++) sum += m->v[k] / (1.0f + power[k] * key[k]);
            scores[i] = 2.0f * sum - m->v_sum;
        }
        return;
    }
    for (int i = 0; i < length; i++) {
        const float *key = s->keys + (size_t)(begin + i) * A;
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (int k = 0; k < A; k++) sum += m->v[k] * tanh_of(query[k] + key[k]);
        scores[i] = sum;
    }
}

static void context_of(const Search *s, const float *weights, int begin, int length, int D, float *to) {
    memset(to, 0, sizeof(float) * D);
    for (int i = 0; i < length; i++) {
        const float *state = s->reading.states.values + (size_t)(begin + i) * D;
        float weight = weights[i];
#pragma omp simd
        for (int k = 0; k < D; k++) to[k] += weight * state[k];
    }
}

/* Weights and contexts of `count` queries: row which[i] (or i) of `queries`, over the source of sentence[i]. */
static void attend(const Model *m, const Request *q, Search *s, Rows queries, const int32_t *which,
                   const int32_t *sentence, int count) {
    int A = m->key_size, D = m->context_size;
    if (m->score == ADDITIVE_SCORE) product(&m->query, queries, which, count, s->query, A, 0);
    for (int i = 0; i < count; i++) {
        int begin = q->begins[sentence[i]], length = q->begins[sentence[i] + 1] - begin;
        float *weights = s->weights + (q->keep_weights ? ((size_t)s->step * s->most_rows + i) * q->most_source : 0);
        if (m->score == ADDITIVE_SCORE) {
            additive_scores(m, s, s->query + (size_t)i * A, begin, length, weights);
        } else {
            const float *query = queries.values + (size_t)(which ? which[i] : i) * queries.stride;
            for (int n = 0; n < length; n++) weights[n] = dot_rows(query, s->keys + (size_t)(begin + n) * A, A);
        }
        softmax_row(weights, length, m->score_scale);
        context_of(s, weights, begin, length, D, s->context.values + (size_t)i * D);
    }
    quantise(m, s->context, count, D);
}

#endif
