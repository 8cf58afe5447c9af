/* What a training step does between its matrix products, each in one walk over the numbers.

   torch does the same in several walks, or copies first; `jumok.compiled.kernels` calls these functions, and whoever
   calls that keeps the plain path beside it. Everything is float32 and one thread: sentences are shared among processes. */

#include <stdlib.h>

#include "numbers.h"

#define API __attribute__((visibility("default")))

/* ------------------------------------------------------------------ the output layer's loss

   Rows of logits without their bias become the gradient of the label-smoothed cross entropy by them,
   p - e/V - (1 - e) 1_y; nll = -log p(y), even = -mean log p. Rows stay in the nearest cache between the three walks. */

API void jumok_loss(float *logits, const float *bias, const int64_t *target, int64_t rows, int64_t words, float smoothing,
                    int32_t need_grad, float *nll, float *even, float *d_bias) {
    float spread = smoothing / (float)words, sharp = 1.0f - smoothing;
    for (int64_t r = 0; r < rows; r++) {
        float *x = logits + r * words;
        float peak = -INFINITY, sum = 0.0f, z = 0.0f;
#pragma omp simd reduction(max : peak) reduction(+ : sum)
        for (int64_t v = 0; v < words; v++) {
            float logit = x[v] + bias[v];
            x[v] = logit;
            sum += logit;
            peak = logit > peak ? logit : peak;
        }
        float of_target = x[target[r]];
#pragma omp simd reduction(+ : z)
        for (int64_t v = 0; v < words; v++) {
            float e = exp_of(x[v] - peak);
            x[v] = e;
            z += e;
        }
        float log_z = peak + logf(z);
        nll[r] = log_z - of_target;
        even[r] = log_z - sum / (float)words;
        if (!need_grad) continue;
        float share = 1.0f / z;
#pragma omp simd
        for (int64_t v = 0; v < words; v++) {
            float slope = x[v] * share - spread;
            x[v] = slope;
            d_bias[v] += slope;
        }
        x[target[r]] -= sharp;
        d_bias[target[r]] -= sharp;
    }
}

/* ------------------------------------------------------------------ dropout

   Whether an entry is kept follows from the seed and its place, so backward needs no mask. */

INLINE float kept(uint64_t seed, int64_t place, uint32_t dropped, float scale) {
    uint32_t drawn = mixed(mixed((uint32_t)place + (uint32_t)seed) ^ (uint32_t)(seed >> 32));
    return drawn >= dropped ? scale : 0.0f;
}

/* out = x + dropout(change), or dropout(change) where x is not given */
API void jumok_dropped(const float *x, const float *change, float *out, int64_t count, uint64_t seed, uint32_t dropped,
                       float scale) {
    if (x) {
#pragma omp simd
        for (int64_t n = 0; n < count; n++) out[n] = x[n] + change[n] * kept(seed, n, dropped, scale);
    } else {
#pragma omp simd
        for (int64_t n = 0; n < count; n++) out[n] = change[n] * kept(seed, n, dropped, scale);
    }
}

/* ------------------------------------------------------------------ layer norm */

API void jumok_norm(const float *x, const float *gain, const float *bias, int64_t rows, int64_t size, float epsilon,
                    float *out, float *means, float *shares) {
    for (int64_t r = 0; r < rows; r++) {
        const float *a = x + r * size;
        float *y = out + r * size, sum = 0.0f, squares = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (int64_t d = 0; d < size; d++) sum += a[d];
        float mean = sum / (float)size;
#pragma omp simd reduction(+ : squares)
        for (int64_t d = 0; d < size; d++) squares += (a[d] - mean) * (a[d] - mean);
        float share = 1.0f / sqrtf(squares / (float)size + epsilon);
#pragma omp simd
        for (int64_t d = 0; d < size; d++) y[d] = (a[d] - mean) * share * gain[d] + bias[d];
        means[r] = mean;
        shares[r] = share;
    }
}

/* d_x; d_gain and d_bias are added up. With n = (x - mean) share: d_x = share (g d - mean(g d) - n mean(g d n)). */
API void jumok_norm_back(const float *d_out, const float *x, const float *gain, const float *means, const float *shares,
                         int64_t rows, int64_t size, float *d_x, float *d_gain, float *d_bias) {
    for (int64_t r = 0; r < rows; r++) {
        const float *a = x + r * size, *d = d_out + r * size;
        float *to = d_x + r * size, mean = means[r], share = shares[r], sum = 0.0f, along = 0.0f;
#pragma omp simd reduction(+ : sum, along)
        for (int64_t k = 0; k < size; k++) {
            float n = (a[k] - mean) * share, slope = d[k] * gain[k];
            d_gain[k] += d[k] * n;
            d_bias[k] += d[k];
            sum += slope;
            along += slope * n;
        }
        sum /= (float)size;
        along /= (float)size;
#pragma omp simd
        for (int64_t k = 0; k < size; k++) to[k] = share * (d[k] * gain[k] - sum - (a[k] - mean) * share * along);
    }
}

/* ------------------------------------------------------------------ rotary positions

   Pairs of coordinates (2i, 2i + 1) turned by the angle of their place; `way` is -1 to turn back. */

typedef struct {
    float *data;
    int64_t sentence, head, word; /* strides */
} Heads;

API void jumok_turn(Heads x, Heads out, const float *cosines, const float *sines, int64_t sentences, int64_t heads,
                    int64_t words, int64_t pairs, float way) {
    for (int64_t b = 0; b < sentences; b++)
        for (int64_t t = 0; t < words; t++)
            for (int64_t h = 0; h < heads; h++) {
                const float *a = x.data + b * x.sentence + h * x.head + t * x.word;
                float *y = out.data + b * out.sentence + h * out.head + t * out.word;
                const float *c = cosines + t * pairs, *s = sines + t * pairs;
#pragma omp simd
                for (int64_t i = 0; i < pairs; i++) {
                    float even = a[2 * i], odd = a[2 * i + 1], turn = way * s[i];
                    y[2 * i] = even * c[i] - odd * turn;
                    y[2 * i + 1] = even * turn + odd * c[i];
                }
            }
}

/* ------------------------------------------------------------------ softmax(scale QK') V, sentence by sentence and head by head

   Small products whose sums stay in registers: C[m, n] = sum_k A(m, k) B[k, n], n in lanes of 16. */

#define LANES 16
typedef float Lane __attribute__((vector_size(4 * LANES), aligned(4)));

INLINE void product_block(int rows, int64_t inner, const float *A, int64_t a_row, int64_t a_inner, const float *B, int64_t b_row,
                          float *C, int64_t c_row) {
    Lane sums[8];
    for (int i = 0; i < rows; i++) sums[i] = (Lane){0};
    for (int64_t k = 0; k < inner; k++) {
        Lane b = *(const Lane *)(B + k * b_row);
        for (int i = 0; i < rows; i++) sums[i] += A[i * a_row + k * a_inner] * b;
    }
    for (int i = 0; i < rows; i++) *(Lane *)(C + i * c_row) = sums[i];
}

static void product(int64_t rows, int64_t columns, int64_t inner, const float *A, int64_t a_row, int64_t a_inner, const float *B,
                    int64_t b_row, float *C, int64_t c_row) {
    for (int64_t n = 0; n < columns; n += LANES) {
        int64_t m = 0;
        for (; m + 8 <= rows; m += 8) product_block(8, inner, A + m * a_row, a_row, a_inner, B + n, b_row, C + m * c_row + n, c_row);
        for (; m + 4 <= rows; m += 4) product_block(4, inner, A + m * a_row, a_row, a_inner, B + n, b_row, C + m * c_row + n, c_row);
        for (; m + 2 <= rows; m += 2) product_block(2, inner, A + m * a_row, a_row, a_inner, B + n, b_row, C + m * c_row + n, c_row);
        for (; m < rows; m++) product_block(1, inner, A + m * a_row, a_row, a_inner, B + n, b_row, C + m * c_row + n, c_row);
    }
}

/* [size, room]: the columns of `words` rows, with zeros beyond them */
static void turned(const float *x, int64_t row, int64_t words, int64_t size, int64_t room, float *out) {
    for (int64_t d = 0; d < size; d++) {
        for (int64_t s = 0; s < words; s++) out[d * room + s] = x[s * row + d];
        for (int64_t s = words; s < room; s++) out[d * room + s] = 0.0f;
    }
}

/* One row of scores becomes weights; keys that are hidden, or lie behind `seen`, get none. */
static void weigh(float *row, int64_t room, int64_t seen, const uint8_t *visible, float scale) {
    float peak = -INFINITY, sum = 0.0f;
    if (visible)
        for (int64_t s = 0; s < seen; s++) row[s] = visible[s] ? row[s] : -INFINITY;
    for (int64_t s = seen; s < room; s++) row[s] = -INFINITY;
#pragma omp simd reduction(max : peak)
    for (int64_t s = 0; s < room; s++) peak = row[s] > peak ? row[s] : peak;
#pragma omp simd reduction(+ : sum)
    for (int64_t s = 0; s < room; s++) {
        float e = row[s] == -INFINITY ? 0.0f : exp_of((row[s] - peak) * scale);
        row[s] = e;
        sum += e;
    }
    float share = 1.0f / sum;
#pragma omp simd
    for (int64_t s = 0; s < room; s++) row[s] *= share;
}

typedef struct {
    int64_t sentences, heads, queries, keys, size, room; /* room: keys, rounded up to LANES */
    float scale;
    int32_t causal;
    const uint8_t *visible; /* [sentences, keys], or none */
} Looks;

/* Contexts and weights [sentences, heads, queries, room]; 0 if there is no memory. */
API int32_t jumok_attend(const Looks *looks, Heads q, Heads k, Heads v, Heads out, float *weights) {
    int64_t T = looks->queries, S = looks->keys, K = looks->size, room = looks->room;
    float *turned_keys = malloc(sizeof(float) * (size_t)(K * room));
    if (!turned_keys) return 0;
    for (int64_t b = 0; b < looks->sentences; b++)
        for (int64_t h = 0; h < looks->heads; h++) {
            const float *queries = q.data + b * q.sentence + h * q.head;
            const uint8_t *visible = looks->visible ? looks->visible + b * S : NULL;
            turned(k.data + b * k.sentence + h * k.head, k.word, S, K, room, turned_keys);
            product(T, room, K, queries, q.word, 1, turned_keys, room, weights, room);
            for (int64_t t = 0; t < T; t++)
                weigh(weights + t * room, room, looks->causal ? t + 1 : S, visible, looks->scale);
            product(T, K, S, weights, room, 1, v.data + b * v.sentence + h * v.head, v.word,
                    out.data + b * out.sentence + h * out.head, out.word);
            weights += T * room;
        }
    free(turned_keys);
    return 1;
}

API int32_t jumok_attend_back(const Looks *looks, Heads q, Heads k, Heads v, Heads d_out, const float *weights, Heads d_q, Heads d_k,
                              Heads d_v) {
    int64_t T = looks->queries, S = looks->keys, K = looks->size, room = looks->room;
    float *turned_values = malloc(sizeof(float) * (size_t)(K * room + T * room));
    if (!turned_values) return 0;
    float *slopes = turned_values + K * room;
    for (int64_t b = 0; b < looks->sentences; b++)
        for (int64_t h = 0; h < looks->heads; h++) {
            const float *queries = q.data + b * q.sentence + h * q.head, *keys = k.data + b * k.sentence + h * k.head;
            const float *d = d_out.data + b * d_out.sentence + h * d_out.head;
            turned(v.data + b * v.sentence + h * v.head, v.word, S, K, room, turned_values);
            product(T, room, K, d, d_out.word, 1, turned_values, room, slopes, room);
            /* by the scores: a (g - sum a g), times the scale */
            for (int64_t t = 0; t < T; t++) {
                float *g = slopes + t * room, sum = 0.0f;
                const float *a = weights + t * room;
#pragma omp simd reduction(+ : sum)
                for (int64_t s = 0; s < room; s++) sum += a[s] * g[s];
#pragma omp simd
                for (int64_t s = 0; s < room; s++) g[s] = a[s] * (g[s] - sum) * looks->scale;
            }
            product(S, K, T, weights, 1, room, d, d_out.word, d_v.data + b * d_v.sentence + h * d_v.head, d_v.word);
            product(T, K, S, slopes, room, 1, keys, k.word, d_q.data + b * d_q.sentence + h * d_q.head, d_q.word);
            product(S, K, T, slopes, 1, room, queries, q.word, d_k.data + b * d_k.sentence + h * d_k.head, d_k.word);
            weights += T * room;
        }
    free(turned_values);
    return 1;
}
