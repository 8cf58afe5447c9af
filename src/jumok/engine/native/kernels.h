/* Arithmetic on rows of numbers: products with matrices in float32 and in int8, and the functions of gates.

   Every row is padded with zeros to a multiple of PAD numbers, so that no loop has a remainder. */

#ifndef JUMOK_KERNELS_H
#define JUMOK_KERNELS_H

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "numbers.h"

#define PAD 16

/* [rows, cols], packed or as it is; in int8 where `bytes` is given: weight = bytes * scale[row] * INPUT_SCALE. */
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

/* ------------------------------------------------------------------ products with whole matrices

   A packed matrix lies in panels of 16 outputs: for each input (in int8: each pair of inputs) the weights of the 16
   outputs lie together. A block is R inputs by P panels; its sums stay in registers, and each number of an input is
   spread over a whole register. With registers of 512 bits a panel is one register, and there are 32 of them; with 256
   bits it is two of 16. */

#define PANEL 16
#define MOST_SUMS 16

#if defined(__AVX512F__) && defined(__AVX512BW__)
#define WIDE 1
#endif

#if defined(__AVX2__)
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

INLINE int32_t pair_of(const int16_t *x) {
    int32_t both;
    memcpy(&both, x, 4);
    return both;
}
#endif

#if defined(WIDE)
INLINE __m512i add_wide_products(__m512i sum, __m512i x, __m512i y) {
#if defined(__AVX512VNNI__)
    return _mm512_dpwssd_epi32(sum, x, y);
#else
    return _mm512_add_epi32(sum, _mm512_madd_epi16(x, y));
#endif
}

INLINE void panels_float(int R, int P, const float *const *x, const float *w, int cols, float (*out)[PANEL]) {
    __m512 sum[MOST_SUMS];
    for (int n = 0; n < R * P; n++) sum[n] = _mm512_setzero_ps();
    for (int k = 0; k < cols; k++)
        for (int p = 0; p < P; p++) {
            __m512 weight = _mm512_loadu_ps(w + ((size_t)p * cols + k) * PANEL);
            for (int r = 0; r < R; r++) sum[r * P + p] = _mm512_fmadd_ps(_mm512_set1_ps(x[r][k]), weight, sum[r * P + p]);
        }
    for (int n = 0; n < R * P; n++) _mm512_storeu_ps(out[n], sum[n]);
}

INLINE void panels_whole(int R, int P, const int16_t *const *x, const int8_t *w, int cols, float (*out)[PANEL]) {
    __m512i sum[MOST_SUMS];
    for (int n = 0; n < R * P; n++) sum[n] = _mm512_setzero_si512();
    for (int k = 0; k < cols; k += 2)
        for (int p = 0; p < P; p++) {
            const int8_t *at = w + ((size_t)p * cols + k) * PANEL;
            __m512i weight = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)at));
            for (int r = 0; r < R; r++)
                sum[r * P + p] = add_wide_products(sum[r * P + p], _mm512_set1_epi32(pair_of(x[r] + k)), weight);
        }
    for (int n = 0; n < R * P; n++) _mm512_storeu_ps(out[n], _mm512_cvtepi32_ps(sum[n]));
}
#elif defined(__AVX2__)
INLINE void panels_float(int R, int P, const float *const *x, const float *w, int cols, float (*out)[PANEL]) {
    __m256 sum[8];
    for (int n = 0; n < 2 * R * P; n++) sum[n] = _mm256_setzero_ps();
    for (int k = 0; k < cols; k++)
        for (int h = 0; h < 2 * P; h++) {
            __m256 weight = _mm256_loadu_ps(w + (size_t)(h / 2) * PANEL * cols + k * PANEL + h % 2 * 8);
            for (int r = 0; r < R; r++)
                sum[r * 2 * P + h] = add_float_products(sum[r * 2 * P + h], _mm256_broadcast_ss(x[r] + k), weight);
        }
    for (int n = 0; n < 2 * R * P; n++) _mm256_storeu_ps(out[n / 2] + n % 2 * 8, sum[n]);
}

INLINE void panels_whole(int R, int P, const int16_t *const *x, const int8_t *w, int cols, float (*out)[PANEL]) {
    __m256i sum[8];
    for (int n = 0; n < 2 * R * P; n++) sum[n] = _mm256_setzero_si256();
    for (int k = 0; k < cols; k += 2)
        for (int h = 0; h < 2 * P; h++) {
            const int8_t *at = w + (size_t)(h / 2) * PANEL * cols + k * PANEL + h % 2 * 16;
            __m256i weight = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)at));
            for (int r = 0; r < R; r++)
                sum[r * 2 * P + h] = add_products(sum[r * 2 * P + h], _mm256_set1_epi32(pair_of(x[r] + k)), weight);
        }
    for (int n = 0; n < 2 * R * P; n++) _mm256_storeu_ps(out[n / 2] + n % 2 * 8, _mm256_cvtepi32_ps(sum[n]));
}
#else
INLINE void panels_float(int R, int P, const float *const *x, const float *w, int cols, float (*out)[PANEL]) {
    memset(out, 0, sizeof(float) * PANEL * R * P);
    for (int r = 0; r < R; r++)
        for (int p = 0; p < P; p++)
            for (int k = 0; k < cols; k++)
                for (int o = 0; o < PANEL; o++) out[r * P + p][o] += x[r][k] * w[((size_t)p * cols + k) * PANEL + o];
}

INLINE void panels_whole(int R, int P, const int16_t *const *x, const int8_t *w, int cols, float (*out)[PANEL]) {
    for (int r = 0; r < R; r++)
        for (int p = 0; p < P; p++)
            for (int o = 0; o < PANEL; o++) {
                const int8_t *at = w + (size_t)p * PANEL * cols + 2 * o;
                int32_t sum = 0;
                for (int k = 0; k < cols; k++) sum += (int32_t)x[r][k] * at[(size_t)(k / 2) * 2 * PANEL + k % 2];
                out[r * P + p][o] = (float)sum;
            }
}
#endif

/* Where the rows of a product come from and go to. */
typedef struct {
    const float *from[4];
    const int16_t *whole[4];
    float *to[4];
} Part;

INLINE void some_panels(int R, int P, const Matrix *m, const Part *part, int first, int add) {
    float sums[MOST_SUMS][PANEL];
    size_t at = (size_t)first * m->cols;
    if (m->bytes)
        panels_whole(R, P, part->whole, m->bytes + at, m->cols, sums);
    else
        panels_float(R, P, part->from, m->values + at, m->cols, sums);
    for (int r = 0; r < R; r++)
        for (int p = 0; p < P; p++) {
            float *to = part->to[r] + first + PANEL * p;
            const float *scale = m->scale + first + PANEL * p, *bias = m->bias + first + PANEL * p;
#pragma omp simd
            for (int n = 0; n < PANEL; n++) {
                float value = sums[r * P + p][n];
                value = m->bytes ? value * scale[n] : value;
                value = m->bias ? value + bias[n] : value;
                to[n] = add ? to[n] + value : value;
            }
        }
}

/* Blocks as large as the registers allow, then panel by panel. */
static void part_of_product(int R, const Matrix *m, const Part *part, int first, int last, int add) {
#if defined(WIDE)
    for (; R == 1 && first + 8 * PANEL <= last; first += 8 * PANEL) some_panels(1, 8, m, part, first, add);
    for (; R == 2 && first + 4 * PANEL <= last; first += 4 * PANEL) some_panels(2, 4, m, part, first, add);
    for (; R == 3 && first + 4 * PANEL <= last; first += 4 * PANEL) some_panels(3, 4, m, part, first, add);
    for (; R == 4 && first + 4 * PANEL <= last; first += 4 * PANEL) some_panels(4, 4, m, part, first, add);
#else
    for (; R == 1 && first + 4 * PANEL <= last; first += 4 * PANEL) some_panels(1, 4, m, part, first, add);
    for (; R == 2 && first + 2 * PANEL <= last; first += 2 * PANEL) some_panels(2, 2, m, part, first, add);
#endif
    for (; first < last; first += PANEL) {
        if (R == 4) some_panels(4, 1, m, part, first, add);
        if (R == 3) some_panels(3, 1, m, part, first, add);
        if (R == 2) some_panels(2, 1, m, part, first, add);
        if (R == 1) some_panels(1, 1, m, part, first, add);
    }
}

static void find_part(Part *part, Rows x, const int32_t *which, int first, int R, float *out, int out_stride) {
    for (int r = 0; r < R; r++) {
        size_t row = (size_t)(which ? which[first + r] : first + r) * x.stride;
        part->from[r] = x.values + row;
        part->whole[r] = x.whole + row;
        part->to[r] = out + (size_t)(first + r) * out_stride;
    }
}

/* out[i] = m x[which[i]] + bias (+ what is there already, with `add`); `which` may be NULL for all rows in order.
   A strip of the matrix stays in the nearest cache while all inputs pass by. */
static void product(const Matrix *m, Rows x, const int32_t *which, int count, float *out, int out_stride, int add) {
    int strip = NEAR / (m->cols * (m->bytes ? 1 : 4)) / (4 * PANEL) * (4 * PANEL);
    strip = strip < 4 * PANEL ? 4 * PANEL : strip;
    for (int first = 0; first < m->rows; first += strip) {
        int last = first + strip < m->rows ? first + strip : m->rows;
        for (int i = 0; i < count; i += 4) {
            Part part;
            int R = count - i < 4 ? count - i : 4;
            find_part(&part, x, which, i, R, out, out_stride);
            part_of_product(R, m, &part, first, last, add);
        }
    }
}

/* ------------------------------------------------------------------ products with listed outputs

   Here a matrix lies as torch keeps it, [outputs, inputs]: an output is the dot product of two rows, and any outputs
   can be asked for. A block is R inputs by C outputs with R * C = 8. */

#if defined(__AVX2__)
INLINE __m128 four_sums(__m256 a, __m256 b, __m256 c, __m256 d) {
    __m256 s = _mm256_hadd_ps(_mm256_hadd_ps(a, b), _mm256_hadd_ps(c, d));
    return _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
}

INLINE __m128 four_whole_sums(__m256i a, __m256i b, __m256i c, __m256i d) {
    __m256i s = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    return _mm_cvtepi32_ps(_mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1)));
}

INLINE void dots_float(int R, int C, const float *const *x, const float *const *w, int cols, float *out) {
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

INLINE void dots_whole(int R, int C, const int16_t *const *x, const int8_t *const *w, int cols, float *out) {
    __m256i sum[8], input[4];
    int k = 0;
#if defined(WIDE)
    __m512i wide[8], wide_input[4];
    for (int n = 0; n < 8; n++) wide[n] = _mm512_setzero_si512();
    for (; k + 32 <= cols; k += 32) {
        for (int r = 0; r < R; r++) wide_input[r] = _mm512_loadu_si512(x[r] + k);
        for (int c = 0; c < C; c++) {
            __m512i weight = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(w[c] + k)));
            for (int r = 0; r < R; r++) wide[r * C + c] = add_wide_products(wide[r * C + c], wide_input[r], weight);
        }
    }
    for (int n = 0; n < 8; n++)
        sum[n] = _mm256_add_epi32(_mm512_castsi512_si256(wide[n]), _mm512_extracti64x4_epi64(wide[n], 1));
#else
    for (int n = 0; n < 8; n++) sum[n] = _mm256_setzero_si256();
#endif
    for (; k < cols; k += 16) {
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
INLINE void dots_float(int R, int C, const float *const *x, const float *const *w, int cols, float *out) {
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) out[r * C + c] = dot_rows(x[r], w[c], cols);
}

INLINE void dots_whole(int R, int C, const int16_t *const *x, const int8_t *const *w, int cols, float *out) {
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            int32_t sum = 0;
            for (int k = 0; k < cols; k++) sum += (int32_t)x[r][k] * w[c][k];
            out[r * C + c] = (float)sum;
        }
}
#endif

/* C outputs, or what is left of them, for R inputs of which `count` are real (the others repeat the first). */
INLINE void some_dots(int R, int C, const Matrix *m, const Part *part, int count, const int32_t *outputs, int left) {
    float sums[8];
    const int8_t *bytes[8];
    const float *values[8];
    int width = C < left ? C : left;
    for (int c = 0; c < C; c++) {
        size_t row = (size_t)outputs[c < width ? c : 0] * m->cols;
        bytes[c] = m->bytes + row;
        values[c] = m->values + row;
    }
    if (m->bytes)
        dots_whole(R, C, part->whole, bytes, m->cols, sums);
    else
        dots_float(R, C, part->from, values, m->cols, sums);
    for (int r = 0; r < count; r++)
        for (int c = 0; c < width; c++) {
            float value = m->bytes ? sums[r * C + c] * m->scale[outputs[c]] : sums[r * C + c];
            part->to[r][c] = value + m->bias[outputs[c]];
        }
}

/* out[i, j] = m[outputs[j]] . x[i] + bias, for a few inputs and a list of outputs. */
static void listed_product(const Matrix *m, Rows x, int count, const int32_t *outputs, int n, float *out) {
    for (int i = 0; i < count; i += 4) {
        int real = count - i < 4 ? count - i : 4, C = real == 1 ? 8 : real == 2 ? 4 : 2;
        Part part;
        find_part(&part, x, NULL, i, real, out, n);
        for (int r = real; r < 4; r++) {
            part.from[r] = part.from[0];
            part.whole[r] = part.whole[0];
        }
        for (int j = 0; j < n; j += C) {
            if (C == 8) some_dots(1, 8, m, &part, real, outputs + j, n - j);
            if (C == 4) some_dots(2, 4, m, &part, real, outputs + j, n - j);
            if (C == 2) some_dots(4, 2, m, &part, real, outputs + j, n - j);
            for (int r = 0; r < real; r++) part.to[r] += C;
        }
    }
}

#endif
