/* Extensions of rows, the choice among them, ends, and the hypotheses read back at last. */

#ifndef JUMOK_BEAM_H
#define JUMOK_BEAM_H

#include "state.h"

/* One row a sentence, before the first word. */
static void begin(const Request *q, Search *s) {
    s->step = 0;
    s->now = history_at(s, 0);
    s->first_row = s->first_rows;
    s->sentence = s->sentences;
    for (int i = 0; i < q->sentences; i++) {
        s->ended[i] = 0;
        s->worst[i] = -INFINITY;
        s->now.parent[i] = s->sentence[i] = s->first_row[i] = i;
        s->now.token[i] = BOS_ID;
        s->now.sum[i] = 0.0;
    }
    s->first_row[q->sentences] = s->rows = q->sentences;
}

/* Which parents have children; rows of one parent share its slot. Parents come in groups by sentence. */
static void find_slots(Search *s) {
    s->slots = 0;
    for (int i = 0; i < s->rows; i++) s->slot_of_parent[s->now.parent[i]] = -1;
    for (int i = 0; i < s->rows; i++) {
        int32_t *slot = &s->slot_of_parent[s->now.parent[i]];
        if (*slot < 0) {
            *slot = s->slots;
            s->slot_parent[s->slots] = s->now.parent[i];
            s->slot_sentence[s->slots++] = s->sentence[i];
        }
        s->now.slot[i] = *slot;
    }
}

/* ------------------------------------------------------------------ shortlists */

static void make_shortlists(const Model *m, const Request *q, Search *s) {
    const Shortlist *list = q->shortlist;
    if (!list) return;
    int n = 0;
    memset(s->stamp, 0, sizeof(int32_t) * m->words);
    for (int i = 0; i < q->sentences; i++) {
        s->allowed_begins[i] = n;
        for (int k = 0; k < list->n_common; k++) {
            s->stamp[list->common[k]] = i + 1;
            s->allowed[n++] = list->common[k];
        }
        for (int p = q->begins[i]; p < q->begins[i + 1]; p++)
            for (int k = list->begins[q->ids[p]]; k < list->begins[q->ids[p] + 1]; k++) {
                int32_t word = list->words[k];
                if (s->stamp[word] == i + 1) continue;
                s->stamp[word] = i + 1;
                s->allowed[n++] = word;
            }
    }
    s->allowed_begins[q->sentences] = n;
}

/* ------------------------------------------------------------------ extensions */

/* Sets what may not follow to minus infinity. */
static void restrict_words(const Request *q, const int32_t *words, int count, int step, int longest, float *logits) {
    for (int j = 0; j < count; j++) {
        int32_t word = words ? words[j] : j;
        if (!words && j > EOS_ID && step < longest) break;
        int never = word == PAD_ID || word == BOS_ID || (word == UNK_ID && !q->allow_unknown)
                  || (word == EOS_ID && step < q->shortest) || (word != EOS_ID && step >= longest);
        if (never) logits[j] = -INFINITY;
    }
}

/* The `most` largest of a row, largest first. Blocks without any larger than the least kept are passed over. */
static int keep_largest(const float *x, int n, int most, float *values, int32_t *places) {
    int kept = 0;
    for (int first = 0; first < n; first += PAD) {
        int last = first + PAD < n ? first + PAD : n;
        float least = kept == most ? values[most - 1] : -INFINITY;
        if (max_row(x + first, last - first) <= least) continue;
        for (int j = first; j < last; j++) {
            if (x[j] <= (kept == most ? values[most - 1] : -INFINITY)) continue;
            int at = kept < most ? kept++ : most - 1;
            for (; at > 0 && values[at - 1] < x[j]; at--) {
                values[at] = values[at - 1];
                places[at] = places[at - 1];
            }
            values[at] = x[j];
            places[at] = j;
        }
    }
    return kept;
}

static void extend_row(const Request *q, Search *s, int row, const int32_t *words, int count, float *logits) {
    float values[WIDEST_BEAM];
    int32_t places[WIDEST_BEAM];
    float norm = log_sum(logits, count, max_row(logits, count));
    restrict_words(q, words, count, s->step, q->longest[s->sentence[row]], logits);
    int kept = keep_largest(logits, count, q->beam, values, places);
    Candidate *to = s->candidates + (size_t)row * q->beam;
    for (int k = 0; k < kept; k++) {
        to[k].sum = s->now.sum[row] + (double)(values[k] - norm);
        to[k].row = row;
        to[k].token = words ? words[places[k]] : places[k];
    }
    s->n_candidates[row] = kept;
}

/* The best extensions of every row: logits a few rows at a time, or a sentence at a time over its shortlist. */
static void extend(const Model *m, const Request *q, Search *s) {
    if (!q->shortlist) {
        for (int first = 0; first < s->rows; first += AT_ONCE) {
            int count = first + AT_ONCE < s->rows ? AT_ONCE : s->rows - first;
            size_t skip = (size_t)first * m->output_size;
            Rows from = {s->fed.values + skip, s->fed.whole + skip, m->output_size};
            product(&m->output, from, NULL, count, s->logits, m->output.rows, 0);
            for (int i = 0; i < count; i++)
                extend_row(q, s, first + i, NULL, m->words, s->logits + (size_t)i * m->output.rows);
        }
        return;
    }
    for (int i = 0; i < q->sentences; i++) {
        int first = s->first_row[i], count = s->first_row[i + 1] - first;
        if (!count) continue;
        const int32_t *words = s->allowed + s->allowed_begins[i];
        int n = s->allowed_begins[i + 1] - s->allowed_begins[i];
        size_t skip = (size_t)first * m->output_size;
        Rows from = {s->fed.values + skip, s->fed.whole + skip, m->output_size};
        listed_product(&m->listed, from, count, words, n, s->logits);
        for (int r = 0; r < count; r++) extend_row(q, s, first + r, words, n, s->logits + (size_t)r * n);
    }
}

/* ------------------------------------------------------------------ the choice */

/* lp(Y): ((5 + |Y|) / 6)^a (Wu et al. 2016), |Y|^a, or 1. */
static double length_penalty(const Request *q, int length) {
    if (q->form == 1) return pow((5.0 + length) / 6.0, q->alpha);
    if (q->form == 2) return pow((double)length, q->alpha);
    return 1.0;
}

/* Keeps an end, the ends of a sentence best first; among equals the earlier one stays in front. */
static void finish(const Request *q, Search *s, int sentence, const Candidate *c) {
    End end = {c->sum / length_penalty(q, s->step + 1), c->sum, s->step, c->row, s->step >= q->longest[sentence]};
    End *ends = s->ends + (size_t)sentence * q->beam;
    int at = s->ended[sentence]++;
    for (; at > 0 && ends[at - 1].score < end.score; at--) ends[at] = ends[at - 1];
    ends[at] = end;
    if (s->ended[sentence] >= q->nbest) s->worst[sentence] = ends[q->nbest - 1].score;
}

/* The best candidates of a sentence, as many as it has free places. */
static int take_best(const Request *q, Search *s, int sentence) {
    int room = q->beam - s->ended[sentence], kept = 0;
    for (int row = s->first_row[sentence]; row < s->first_row[sentence + 1]; row++) {
        const Candidate *c = s->candidates + (size_t)row * q->beam;
        for (int k = 0; k < s->n_candidates[row]; k++) {
            if (kept == room && c[k].sum <= s->best[room - 1].sum) break;
            int at = kept < room ? kept++ : room - 1;
            for (; at > 0 && s->best[at - 1].sum < c[k].sum; at--) s->best[at] = s->best[at - 1];
            s->best[at] = c[k];
        }
    }
    return kept;
}

/* Whether any row may still be among the best; log P only falls, and lp is monotonic in the length. */
static int is_worthwhile(const Request *q, const Search *s, int sentence, double most) {
    double next = length_penalty(q, s->step + 2), last = length_penalty(q, q->longest[sentence] + 1);
    return most / (next > last ? next : last) > s->worst[sentence];
}

/* Ends and next rows of every sentence. The next rows are the next block of the history. */
static void choose(const Request *q, Search *s) {
    History next = history_at(s, s->step + 1);
    int32_t *first_row = s->first_row == s->first_rows ? s->first_rows + q->sentences + 1 : s->first_rows;
    int32_t *sentence = s->sentence == s->sentences ? s->sentences + s->most_rows : s->sentences;
    int rows = 0;
    for (int i = 0; i < q->sentences; i++) {
        int first = first_row[i] = rows;
        if (s->first_row[i + 1] == s->first_row[i]) continue;
        int kept = take_best(q, s, i);
        double most = -INFINITY;
        for (int k = 0; k < kept; k++) {
            const Candidate *c = &s->best[k];
            if (c->token == EOS_ID) {
                finish(q, s, i, c);
                continue;
            }
            next.parent[rows] = c->row;
            next.token[rows] = c->token;
            next.sum[rows] = c->sum;
            sentence[rows++] = i;
            most = c->sum > most ? c->sum : most;
        }
        if (rows > first && !is_worthwhile(q, s, i, most)) rows = first;
    }
    first_row[q->sentences] = s->rows = rows;
    s->first_row = first_row;
    s->sentence = sentence;
    s->now = next;
    s->step++;
}

/* ------------------------------------------------------------------ results */

/* Follows an end back to the first word, writing from the last place to the first. */
static void write_end(const Request *q, const Search *s, const End *end, size_t to) {
    int row = end->row;
    int32_t *tokens = q->tokens + to * q->most_steps;
    double *sums = q->sums + to * q->most_steps;
    q->steps[to] = end->step + 1;
    q->truncated[to] = end->truncated;
    q->scores[to] = end->score;
    tokens[end->step] = EOS_ID;
    sums[end->step] = end->sum;
    for (int t = end->step; t >= 0; t--) {
        History rows = history_at(s, t);
        if (q->keep_weights)
            memcpy(q->weights + (to * q->most_steps + t) * q->most_source,
                   s->weights + ((size_t)t * s->most_rows + (s->by_slot ? rows.slot[row] : row)) * q->most_source,
                   sizeof(float) * q->most_source);
        if (!t) break;
        tokens[t - 1] = rows.token[row];
        sums[t - 1] = rows.sum[row];
        row = rows.parent[row];
    }
}

static void write_results(const Request *q, const Search *s) {
    for (int i = 0; i < q->sentences; i++)
        for (int k = 0; k < q->nbest; k++) {
            size_t to = (size_t)i * q->nbest + k;
            q->steps[to] = 0;
            if (k < s->ended[i]) write_end(q, s, s->ends + (size_t)i * q->beam + k, to);
        }
}

#endif
