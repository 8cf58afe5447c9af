/* Arithmetic on rows of numbers: products with matrices in float32 and in int8, and the functions of gates.

   Every row is padded with zeros to a multiple of PAD numbers, so that no loop has a remainder. A matrix lies as torch
   keeps it, [outputs, inputs], and an output is the dot product of two rows that lie together in memory: nothing is
   packed, and a shortlist of outputs is just a list of row numbers. */

#ifndef JUMOK_KERNELS_H
#define JUMOK_KERNELS_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define PAD 16
#define INLINE static inline __attribute__((always_inline))

/* [rows, cols]; in int8 where `bytes` is given: value = bytes * scale[row]. */
typedef struct {
    const float *values;
    const int8_t *bytes;
    const float *scale;
    const float *bias;
    int32_t rows, cols;
} Matrix;

/* Rows of inputs; `whole` is the same in 1/INPUT_SCALE, for products in int8. */
typedef struct {
    float *values;
    int16_t *whole;
    int32_t stride;
} Rows;

/* States, contexts and readouts lie in [-1, 1], so that one scale serves all of them. 12 bits times 8 bits, summed over
   up to 8,192 inputs, stay within 32 bits. */
#define INPUT_SCALE 2047.0f

/* Bytes of a matrix that stay in the nearest cache while inputs pass by. */
#define NEAR 16384

/* ------------------------------------------------------------------ functions of one number */

/* e^x = 2^n e^r with |r| <= ln 2 / 2; e^r by its series, which is exact to float32 there. */
INLINE float exp_of(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    float shifted = x * 1.44269504f + 12582912.0f; /* the nearest whole number stands in the low bits */
    float n = shifted - 12582912.0f;
    float r = x - n * 0.693359375f + n * 2.12194440e-4f;
    float series = 1.0f + r * (1.0f + r * (0.5f + r * (0.16666667f + r * (0.041666668f + r * (0.008333334f
                 + r * 0.0013888889f)))));
    int32_t bits;
    memcpy(&bits, &shifted, 4);
    bits = (bits << 23) + 0x3f800000;
    float power;
    memcpy(&power, &bits, 4);
    return series * power;
}

INLINE float sigmoid(float x) { return 1.0f / (1.0f + exp_of(-x)); }

INLINE float tanh_of(float x) { return 1.0f - 2.0f / (1.0f + exp_of(2.0f * x)); }

/* ------------------------------------------------------------------ functions of rows */

static void tanh_row(float *x, int n) {
#pragma omp simd
    for (int k = 0; k < n; k++) x[k] = tanh_of(x[k]);
}

static void add_row(float *x, const float *y, int n) {
#pragma omp simd
    for (int k = 0; k < n; k++) x[k] += y[k];
}

static float dot_rows(const float *x, const float *y, int n) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < n; k++) sum += x[k] * y[k];
    return sum;
}

static float max_row(const float *x, int n) {
    float best = -INFINITY;
#pragma omp simd reduction(max : best)
    for (int k = 0; k < n; k++) best = x[k] > best ? x[k] : best;
    return best;
}

/* log sum e^x */
static float log_sum(const float *x, int n, float peak) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < n; k++) sum += exp_of(x[k] - peak);
    return peak + logf(sum);
}

static void softmax_row(float *x, int n, float scale) {
    float peak = max_row(x, n), sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < n; k++) {
        x[k] = exp_of((x[k] - peak) * scale);
        sum += x[k];
    }
    float share = 1.0f / sum;
#pragma omp simd
    for (int k = 0; k < n; k++) x[k] *= share;
}

static void quantise_row(const float *x, int16_t *whole, int n) {
#pragma omp simd
    for (int k = 0; k < n; k++) whole[k] = (int16_t)(int32_t)(x[k] * INPUT_SCALE + (x[k] < 0.0f ? -0.5f : 0.5f));
}

/* ------------------------------------------------------------------ products

   A block is R inputs by C outputs with R * C = 8: eight sums that stay in registers. Inputs beyond the last one are
   repeated, and their sums are not kept. */

#if defined(__AVX2__)
INLINE __m128 four_sums(__m256 a, __m256 b, __m256 c, __m256 d) {
    __m256 s = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
    return _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
}

INLINE __m128 four_whole_sums(__m256i a, __m256i b, __m256i c, __m256i d) {
    __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_cvtepi32_ps(_mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1)));
}

INLINE __m256i add_products(__m256i sum, __m256i x, __m256i y) {
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
    return _mm256_dpwssd_epi32(sum, x, y);
#elif defined(__AVXVNNI__)
    return _mm256_dpwssd_avx_epi32(sum, x, y);
#else
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, y));
#endif
}

INLINE __m256 add_float_products(__m256 sum, __m256 x, __m256 y) {
#if defined(__FMA__)
    return _mm256_fmadd_ps(x, y, sum);
#else
    return _mm256_add_ps(sum, _mm256_mul_ps(x, y));
#endif
}

INLINE void block_float(int R, int C, const float *const *x, const float *const *w, int cols, float *out) {
    __m256 sum[8], input[4];
    for (int n = 0; n < 8; n++) sum[n] = _mm256_setzero_ps();
    for (int k = 0; k < cols; k += 8) {
        for (int r = 0; r < R; r++) input[r] = _mm256_loadu_ps(x[r] + k);
        for (int c = 0; c < C; c++) {
            __m256 weight = _mm256_loadu_ps(w[c] + k);
            for (int r = 0; r < R; r++) sum[r * C + c] = add_float_products(sum[r * C + c], input[r], weight);
        }
    }
    _mm_storeu_ps(out, four_sums(sum[0], sum[1], sum[2], sum[3]));
    _mm_storeu_ps(out + 4, four_sums(sum[4], sum[5], sum[6], sum[7]));
}

INLINE void block_whole(int R, int C, const int16_t *const *x, const int8_t *const *w, int cols, float *out) {
    __m256i sum[8], input[4];
    for (int n = 0; n < 8; n++) sum[n] = _mm256_setzero_si256();
    for (int k = 0; k < cols; k += 16) {
        for (int r = 0; r < R; r++) input[r] = _mm256_loadu_si256((const __m256i *)(x[r] + k));
        for (int c = 0; c < C; c++) {
            __m256i weight = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(w[c] + k)));
            for (int r = 0; r < R; r++) sum[r * C + c] = add_products(sum[r * C + c], input[r], weight);
        }
    }
    _mm_storeu_ps(out, four_whole_sums(sum[0], sum[1], sum[2], sum[3]));
    _mm_storeu_ps(out + 4, four_whole_sums(sum[4], sum[5], sum[6], sum[7]));
}
#else
INLINE void block_float(int R, int C, const float *const *x, const float *const *w, int cols, float *out) {
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) out[r * C + c] = dot_rows(x[r], w[c], cols);
}

INLINE void block_whole(int R, int C, const int16_t *const *x, const int8_t *const *w, int cols, float *out) {
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            int32_t sum = 0;
            for (int k = 0; k < cols; k++) sum += (int32_t)x[r][k] * w[c][k];
            out[r * C + c] = (float)sum;
        }
}
#endif

/* Where the rows of a product come from and go to. */
typedef struct {
    const float *from[4];
    const int16_t *whole[4];
    float *to[4];
    int count;
} Part;

/* The products of a part with some outputs: those from `first` on, C of them or what is left. */
INLINE void outputs_of(int R, int C, const Matrix *m, const Part *part, const int32_t *outputs, int first, int last,
                       int add) {
    int32_t at[8];
    float sums[8];
    int width = first + C < last ? C : last - first;
    for (int c = 0; c < C; c++) at[c] = outputs ? outputs[first + (c < width ? c : 0)] : first + (c < width ? c : 0);
    if (m->bytes) {
        const int8_t *w[8];
        for (int c = 0; c < C; c++) w[c] = m->bytes + (size_t)at[c] * m->cols;
        block_whole(R, C, part->whole, w, m->cols, sums);
        for (int c = 0; c < C; c++)
            for (int r = 0; r < R; r++) sums[r * C + c] *= m->scale[at[c]];
    } else {
        const float *w[8];
        for (int c = 0; c < C; c++) w[c] = m->values + (size_t)at[c] * m->cols;
        block_float(R, C, part->from, w, m->cols, sums);
    }
    for (int r = 0; r < R && r < part->count; r++)
        for (int c = 0; c < width; c++) {
            float value = sums[r * C + c] + (m->bias ? m->bias[at[c]] : 0.0f);
            part->to[r][first + c] = add ? part->to[r][first + c] + value : value;
        }
}

static void part_outputs(const Matrix *m, const Part *part, const int32_t *outputs, int first, int last, int add) {
    if (part->count > 2)
        for (int j = first; j < last; j += 2) outputs_of(4, 2, m, part, outputs, j, last, add);
    else if (part->count == 2)
        for (int j = first; j < last; j += 4) outputs_of(2, 4, m, part, outputs, j, last, add);
    else
        for (int j = first; j < last; j += 8) outputs_of(1, 8, m, part, outputs, j, last, add);
}

/* out[i, j] = x[which[i]] . m[outputs[j]] + bias (+ what is there already, with `add`).

   `which` and `outputs` may be NULL for all in order. A strip of the matrix stays in the nearest cache while all
   inputs pass by. */
static void product(const Matrix *m, Rows x, const int32_t *which, int count, const int32_t *outputs, int n_outputs,
                    float *out, int out_stride, int add) {
    int strip = NEAR / (m->cols * (m->bytes ? 1 : 4));
    strip = strip < 8 ? 8 : strip / 8 * 8;
    for (int first = 0; first < n_outputs; first += strip) {
        int last = first + strip < n_outputs ? first + strip : n_outputs;
        for (int i = 0; i < count; i += 4) {
            Part part = {.count = count - i < 4 ? count - i : 4};
            for (int r = 0; r < 4; r++) {
                int n = i + (r < part.count ? r : 0);
                size_t row = (size_t)(which ? which[n] : n) * x.stride;
                part.from[r] = x.values + row;
                part.whole[r] = x.whole + row;
                part.to[r] = out + (size_t)n * out_stride;
            }
            part_outputs(m, &part, outputs, first, last, add);
        }
    }
}

#endif
