"""The structures of `native/model.h`, field by field."""

import ctypes
from ctypes import POINTER, c_double, c_float, c_int8, c_int32, c_uint8

MOST_LAYERS = 8
WIDEST_BEAM = 64
"""Of `native/state.h`."""

CELLS = {"tanh": 0, "gru": 1, "lstm": 2}
FORMS = {"none": 0, "gnmt": 1, "power": 2}
NO_SCORE, ADDITIVE_SCORE, DOT_SCORE = 0, 1, 2
BARE_READOUT, JOINED_READOUT = 0, 1
COPIED_START, BRIDGED_START = 0, 1


class Matrix(ctypes.Structure):
    """Weights [rows, cols], in int8 where `bytes` is given."""

    _fields_ = (
        ("values", POINTER(c_float)),
        ("bytes", POINTER(c_int8)),
        ("scale", POINTER(c_float)),
        ("bias", POINTER(c_float)),
        ("rows", c_int32),
        ("cols", c_int32),
    )


class Table(ctypes.Structure):
    """W y + b of every word y, filled as words are met."""

    _fields_ = (
        ("matrix", Matrix),
        ("vectors", POINTER(c_float)),
        ("rows", POINTER(c_float)),
        ("filled", POINTER(c_uint8)),
    )


class Layer(ctypes.Structure):
    """A recurrent layer."""

    _fields_ = (("input", Matrix), ("recurrent", Matrix))


class Model(ctypes.Structure):
    """A recurrent model."""

    _fields_ = (
        ("encoder_cell", c_int32),
        ("encoder_layers", c_int32),
        ("directions", c_int32),
        ("encoder_size", c_int32),
        ("decoder_cell", c_int32),
        ("decoder_layers", c_int32),
        ("decoder_size", c_int32),
        ("int8", c_int32),
        ("score", c_int32),
        ("before", c_int32),
        ("input_feeding", c_int32),
        ("readout", c_int32),
        ("start", c_int32),
        ("key_size", c_int32),
        ("context_size", c_int32),
        ("output_size", c_int32),
        ("words", c_int32),
        ("score_scale", c_float),
        ("v_sum", c_float),
        ("v", POINTER(c_float)),
        ("source", Table),
        ("target", Table),
        ("encoder", Layer * (2 * MOST_LAYERS)),
        ("decoder", Layer * MOST_LAYERS),
        ("bridge", Matrix),
        ("key", Matrix),
        ("query", Matrix),
        ("context_gates", Matrix),
        ("fed_gates", Matrix),
        ("readout_state", Matrix),
        ("readout_context", Matrix),
        ("output", Matrix),
        ("listed", Matrix),
    )


class Shortlist(ctypes.Structure):
    """Which target words a source word may become."""

    _fields_ = (
        ("common", POINTER(c_int32)),
        ("begins", POINTER(c_int32)),
        ("words", POINTER(c_int32)),
        ("n_common", c_int32),
    )


class Request(ctypes.Structure):
    """What to search for, and where to write what was found."""

    _fields_ = (
        ("sentences", c_int32),
        ("beam", c_int32),
        ("nbest", c_int32),
        ("shortest", c_int32),
        ("allow_unknown", c_int32),
        ("keep_weights", c_int32),
        ("form", c_int32),
        ("alpha", c_double),
        ("ids", POINTER(c_int32)),
        ("begins", POINTER(c_int32)),
        ("longest", POINTER(c_int32)),
        ("shortlist", POINTER(Shortlist)),
        ("most_steps", c_int32),
        ("most_source", c_int32),
        ("tokens", POINTER(c_int32)),
        ("steps", POINTER(c_int32)),
        ("truncated", POINTER(c_int32)),
        ("sums", POINTER(c_double)),
        ("scores", POINTER(c_double)),
        ("weights", POINTER(c_float)),
    )
