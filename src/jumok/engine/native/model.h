/* A recurrent model as the engine reads it. `engine/packing.py` fills these structures, field by field. */

#ifndef JUMOK_MODEL_H
#define JUMOK_MODEL_H

#include "kernels.h"

#define MOST_LAYERS 8
enum { TANH_CELL = 0, GRU_CELL = 1, LSTM_CELL = 2 };
enum { NO_SCORE = 0, ADDITIVE_SCORE = 1, DOT_SCORE = 2 };
enum { BARE_READOUT = 0, JOINED_READOUT = 1 };
enum { COPIED_START = 0, BRIDGED_START = 1 };
enum { PAD_ID = 0, UNK_ID = 1, BOS_ID = 2, EOS_ID = 3 };

/* What a word brings wherever it is read: W y + b, computed when the word is met for the first time and kept. */
typedef struct {
    Matrix matrix;
    const float *vectors; /* [words, matrix.cols] */
    float *rows;          /* [words, matrix.rows] */
    uint8_t *filled;
} Table;

/* A recurrent layer; `input` is for layers above the first, whose words come from a table. */
typedef struct {
    Matrix input, recurrent;
} Layer;

typedef struct {
    int32_t encoder_cell, encoder_layers, directions, encoder_size;
    int32_t decoder_cell, decoder_layers, decoder_size;
    int32_t int8, score, before, input_feeding, readout, start;
    int32_t key_size, context_size, output_size, words;
    float score_scale, v_sum;
    const float *v;
    Table source, target;
    Layer encoder[2 * MOST_LAYERS]; /* layer * directions + direction */
    Layer decoder[MOST_LAYERS];
    Matrix bridge, key, query, context_gates, fed_gates, readout_state, readout_context, output;
    Matrix listed; /* the output layer once more, as rows, for shortlists */
} Model;

/* Which target words a source word may become: `common` for every sentence, and its own. */
typedef struct {
    const int32_t *common;
    const int32_t *begins; /* [source words + 1] */
    const int32_t *words;
    int32_t n_common;
} Shortlist;

typedef struct {
    int32_t sentences, beam, nbest, shortest, allow_unknown, keep_weights;
    int32_t form; /* 0 none, 1 gnmt, 2 power */
    double alpha;
    const int32_t *ids;     /* all sources one after the other, each with its EOS, longest first */
    const int32_t *begins;  /* [sentences + 1] */
    const int32_t *longest; /* [sentences], without EOS */
    const Shortlist *shortlist;
    int32_t most_steps, most_source; /* sizes of the results below */
    /* [sentences, nbest, most_steps] and so on; `steps` counts EOS, and is 0 where there is no such hypothesis. */
    int32_t *tokens, *steps, *truncated;
    double *sums, *scores;
    float *weights; /* [sentences, nbest, most_steps, most_source] */
} Request;

static inline int gates_of(int cell) { return cell == GRU_CELL ? 3 : cell == LSTM_CELL ? 4 : 1; }
static inline int parts_of(int cell) { return cell == LSTM_CELL ? 2 : 1; }

#endif
