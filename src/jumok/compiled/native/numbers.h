/* Functions of one number that a compiler can compute for a whole register at once. */

#ifndef JUMOK_NUMBERS_H
#define JUMOK_NUMBERS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* `omp simd` permits registers of many numbers and does not demand them: where clang finds that a maximum must be taken
   number by number (of a NaN it must keep the order), the loop is right as it is. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#define INLINE static inline __attribute__((always_inline))

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

/* A number that is as good as drawn: every bit of the result depends on every bit of `x`. */
INLINE uint32_t mixed(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

#endif
