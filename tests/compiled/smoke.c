/* The library's own kernels beside plain loops in double, for processors and compilers that Python's tests do not meet.

   It is linked with learn.c and includes the engine's headers. Every number must be within MANY rounding errors of the
   sum of the magnitudes it was added up from. `smoke break` gives one kernel a wrong number and must fail. */

#include <stdio.h>
#include <stdlib.h>

#include "recurrent.h"

#define MANY 64
#define EPSILON 1.1920929e-7

void jumok_loss(float *, const float *, const int64_t *, int64_t, int64_t, float, int32_t, float *, float *, float *);
void jumok_norm(const float *, const float *, const float *, int64_t, int64_t, float, float *, float *, float *);
typedef struct {
    float *data;
    int64_t sentence, head, word;
} Heads;
typedef struct {
    int64_t sentences, heads, queries, keys, size, room;
    float scale;
    int32_t causal;
    const uint8_t *visible;
} Looks;
int32_t jumok_attend(const Looks *, Heads, Heads, Heads, Heads, float *);
int32_t jumok_attend_back(const Looks *, Heads, Heads, Heads, Heads, const float *, Heads, Heads, Heads);

static int wrong, checked, breaking;

static void check(const char *what, double found, double expected, double magnitude) {
    checked++;
    if (fabs(found - expected) <= MANY * EPSILON * magnitude) return;
    if (!wrong++) printf("%s: %.9g instead of %.9g (magnitude %.3g)\n", what, found, expected, magnitude);
}

/* Numbers in (-1, 1), the same everywhere. */
static void draw(float *x, int count, uint32_t seed) {
    for (int n = 0; n < count; n++) x[n] = (float)(mixed((uint32_t)n * 2654435761u + seed) >> 8) / 8388608.0f - 1.0f;
}

enum { OUTPUTS = 96, INPUTS = 48, ROWS = 7, LISTED = 13 };

typedef struct {
    float x[ROWS * INPUTS], w[OUTPUTS * INPUTS], scale[OUTPUTS], bias[OUTPUTS], out[ROWS * OUTPUTS];
    float packed[OUTPUTS * INPUTS];
    int16_t whole[ROWS * INPUTS];
    int8_t bytes[OUTPUTS * INPUTS], packed_bytes[OUTPUTS * INPUTS];
} Product;

/* As engine/packing.py lays a matrix out: panels of 16 outputs, for each input or pair of inputs together. */
static void pack(Product *p) {
    for (int o = 0; o < OUTPUTS; o++)
        for (int k = 0; k < INPUTS; k++) {
            size_t panel = (size_t)(o / PANEL) * PANEL * INPUTS;
            p->packed[panel + k * PANEL + o % PANEL] = p->w[o * INPUTS + k];
            p->packed_bytes[panel + k / 2 * 2 * PANEL + o % PANEL * 2 + k % 2] = p->bytes[o * INPUTS + k];
        }
}

static void make_product(Product *p) {
    draw(p->x, ROWS * INPUTS, 1);
    draw(p->w, OUTPUTS * INPUTS, 2);
    draw(p->bias, OUTPUTS, 3);
    for (int n = 0; n < OUTPUTS * INPUTS; n++) p->bytes[n] = (int8_t)(p->w[n] * 127.0f);
    for (int o = 0; o < OUTPUTS; o++) p->scale[o] = (float)(o + 1) / (127.0f * INPUT_SCALE * OUTPUTS);
    for (int r = 0; r < ROWS; r++) quantise_row(p->x + r * INPUTS, p->whole + r * INPUTS, INPUTS);
    pack(p);
    if (breaking) p->packed[PANEL] += 0.001f;
}

static void check_output(const char *what, const Product *p, int int8, int row, int output, float found) {
    double sum = p->bias[output], magnitude = fabs(sum);
    for (int k = 0; k < INPUTS; k++) {
        double term = int8 ? (double)p->whole[row * INPUTS + k] * p->bytes[output * INPUTS + k] * p->scale[output]
                           : (double)p->x[row * INPUTS + k] * p->w[output * INPUTS + k];
        sum += term;
        magnitude += fabs(term);
    }
    check(what, found, sum, magnitude);
}

static void check_products(void) {
    static Product p;
    make_product(&p);
    for (int int8 = 0; int8 < 2; int8++)
        for (int rows = 1; rows <= ROWS; rows++) {
            Matrix packed = {p.packed, int8 ? p.packed_bytes : NULL, p.scale, p.bias, OUTPUTS, INPUTS};
            Matrix listed = {p.w, int8 ? p.bytes : NULL, p.scale, p.bias, OUTPUTS, INPUTS};
            Rows x = {p.x, p.whole, INPUTS};
            int32_t outputs[LISTED];
            product(&packed, x, NULL, rows, p.out, OUTPUTS, 0);
            for (int n = 0; n < rows * OUTPUTS; n++)
                check_output(int8 ? "int8 product" : "product", &p, int8, n / OUTPUTS, n % OUTPUTS, p.out[n]);
            for (int j = 0; j < LISTED; j++) outputs[j] = (j * 37 + 5) % OUTPUTS;
            listed_product(&listed, x, rows, outputs, LISTED, p.out);
            for (int n = 0; n < rows * LISTED; n++)
                check_output(int8 ? "int8 listed product" : "listed product", &p, int8, n / LISTED, outputs[n % LISTED],
                             p.out[n]);
        }
}

static double plain_sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static void check_cells(void) {
    enum { D = 32 };
    float word[4 * D], shared[4 * D], recurrent[4 * D], state[2 * D], to[2 * D];
    draw(word, 4 * D, 4);
    draw(shared, 4 * D, 5);
    draw(recurrent, 4 * D, 6);
    draw(state, 2 * D, 7);
#define GATE(n) ((double)word[(n) * D + k] + shared[(n) * D + k] + recurrent[(n) * D + k])
    advance(GRU_CELL, word, shared, recurrent, state, to, D);
    for (int k = 0; k < D; k++) {
        double r = plain_sigmoid(GATE(0)), z = plain_sigmoid(GATE(1));
        double n = tanh((double)word[2 * D + k] + shared[2 * D + k] + r * recurrent[2 * D + k]);
        check("GRU", to[k], (1 - z) * n + z * state[k], 4.0);
    }
    advance(LSTM_CELL, word, shared, recurrent, state, to, D);
    for (int k = 0; k < D; k++) {
        double cell = plain_sigmoid(GATE(1)) * state[D + k] + plain_sigmoid(GATE(0)) * tanh(GATE(2));
        check("LSTM, cell", to[D + k], cell, 4.0);
        check("LSTM", to[k], plain_sigmoid(GATE(3)) * tanh(cell), 4.0);
    }
}

static void check_loss_and_norm(void) {
    enum { WORDS = 83, SIZE = 37 };
    float logits[WORDS], bias[WORDS], kept[WORDS], d_bias[WORDS] = {0}, nll, even;
    int64_t target = 5;
    double z = 0, mean = 0;
    draw(logits, WORDS, 8);
    draw(bias, WORDS, 9);
    for (int v = 0; v < WORDS; v++) {
        kept[v] = 5.0f * logits[v] + bias[v];
        logits[v] *= 5.0f;
        z += exp((double)kept[v]);
        mean += (double)kept[v] / WORDS;
    }
    jumok_loss(logits, bias, &target, 1, WORDS, 0.1f, 1, &nll, &even, d_bias);
    check("loss", nll, log(z) - kept[target], 8.0);
    check("even loss", even, log(z) - mean, 8.0);
    for (int v = 0; v < WORDS; v++)
        check("gradient of the loss", logits[v], exp((double)kept[v]) / z - 0.1 / WORDS - 0.9 * (v == target), 1.0);

    float x[SIZE], gain[SIZE], add[SIZE], out[SIZE], found_mean, share;
    double sum = 0, squares = 0;
    draw(x, SIZE, 10);
    draw(gain, SIZE, 11);
    draw(add, SIZE, 12);
    jumok_norm(x, gain, add, 1, SIZE, 1e-5f, out, &found_mean, &share);
    for (int k = 0; k < SIZE; k++) sum += x[k];
    for (int k = 0; k < SIZE; k++) squares += (x[k] - sum / SIZE) * (x[k] - sum / SIZE);
    for (int k = 0; k < SIZE; k++)
        check("layer norm", out[k], (x[k] - sum / SIZE) / sqrt(squares / SIZE + 1e-5f) * gain[k] + add[k], 4.0);
}

/* One head; weights by plain loops, contexts and gradients from them. */
static void check_attention(int causal) {
    enum { T = 19, K = 32, ROOM = 32 };
    static float q[T * K], k[T * K], v[T * K], d[T * K], out[T * K], weights[T * ROOM], d_q[T * K], d_k[T * K], d_v[T * K];
    static double a[T][T], slope[T][T];
    draw(q, T * K, 13);
    draw(k, T * K, 14);
    draw(v, T * K, 15);
    draw(d, T * K, 16);
    Looks looks = {1, 1, T, T, K, ROOM, 0.3f, causal, NULL};
#define HEADS(x) ((Heads){x, T * K, K, K})
    check("memory", jumok_attend(&looks, HEADS(q), HEADS(k), HEADS(v), HEADS(out), weights), 1, 0);
    check("memory", jumok_attend_back(&looks, HEADS(q), HEADS(k), HEADS(v), HEADS(d), weights, HEADS(d_q), HEADS(d_k),
                                      HEADS(d_v)), 1, 0);
    for (int t = 0; t < T; t++) {
        double z = 0, along = 0;
        for (int s = 0; s < T; s++) {
            double dot = 0;
            for (int c = 0; c < K; c++) dot += (double)q[t * K + c] * k[s * K + c];
            z += a[t][s] = causal && s > t ? 0.0 : exp(dot * looks.scale);
        }
        for (int s = 0; s < T; s++) {
            a[t][s] /= z;
            check("weight", weights[t * ROOM + s], a[t][s], 1.0);
            slope[t][s] = 0;
            for (int c = 0; c < K; c++) slope[t][s] += (double)d[t * K + c] * v[s * K + c];
            along += a[t][s] * slope[t][s];
        }
        for (int s = 0; s < T; s++) slope[t][s] = a[t][s] * (slope[t][s] - along) * looks.scale;
    }
    for (int t = 0; t < T; t++)
        for (int c = 0; c < K; c++) {
            double context = 0, by_q = 0, by_k = 0, by_v = 0;
            for (int s = 0; s < T; s++) {
                context += a[t][s] * v[s * K + c];
                by_q += slope[t][s] * k[s * K + c];
                by_k += slope[s][t] * q[s * K + c];
                by_v += a[s][t] * d[s * K + c];
            }
            check("context", out[t * K + c], context, 1.0);
            check("gradient of a query", d_q[t * K + c], by_q, 4.0);
            check("gradient of a key", d_k[t * K + c], by_k, 4.0);
            check("gradient of a value", d_v[t * K + c], by_v, 4.0);
        }
}

int main(int count, char **words) {
    breaking = count > 1 && !strcmp(words[1], "break");
    check_products();
    check_cells();
    check_loss_and_norm();
    check_attention(0);
    check_attention(1);
    printf("%d numbers, %d wrong\n", checked, wrong);
    return wrong > 0;
}
