"""A recurrent model's weights laid out for the compiled engine.

Rows are padded with zeros to a multiple of 16 numbers. A zero weight leaves a padded state at zero in every cell, so
padding changes no result. In int8 each row of a matrix has its own scale, its largest weight / 127.
"""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from jumok.config import LinearHeadConfig, ModelConfig, RNNDecoderConfig, RNNEncoderConfig
from jumok.engine import structures as native
from jumok.engine.structures import (
    ADDITIVE_SCORE,
    BARE_READOUT,
    BRIDGED_START,
    COPIED_START,
    DOT_SCORE,
    JOINED_READOUT,
    NO_SCORE,
)

Precision = Literal["float32", "int8"]
Weights = Mapping[str, NDArray[np.float32]]
Array = NDArray[np.float32]

PAD = 16
INPUT_SCALE = np.float32(2047.0)
"""Of `native/kernels.h`: an input of 1 as a whole number, which the weights' scales take back."""
SCORES = {
    "additive": "additive", "bahdanau": "additive", "concat": "concat", "luong-concat": "concat",
    "general": "general", "luong-general": "general", "dot": "dot", "luong-dot": "dot", "scaled_dot": "scaled_dot",
}  # fmt: skip
OPTIONS = ("attention_dim", "temperature")


def why_not(config: ModelConfig) -> str | None:
    """Why the engine cannot run such a model, or None where it can."""
    encoder, decoder = config.encoder, config.decoder
    if not isinstance(encoder, RNNEncoderConfig) or not isinstance(decoder, RNNDecoderConfig):
        return "it runs recurrent models only"
    if max(encoder.layers, decoder.layers) > native.MOST_LAYERS:
        return f"it runs at most {native.MOST_LAYERS} layers"
    if decoder.attention != "none" and decoder.attention not in SCORES:
        return f"it does not know the mechanism '{decoder.attention}'"
    unknown = [name for name in decoder.attention_options if name not in OPTIONS]
    if unknown:
        return f"it does not know the mechanism's option '{unknown[0]}'"
    if not isinstance(config.head, LinearHeadConfig):
        return f"it knows a linear head, not '{config.head.kind}'"
    return None


def recurrent_sides(config: ModelConfig) -> tuple[RNNEncoderConfig, RNNDecoderConfig]:
    """Both sides of a model that the engine can run."""
    encoder, decoder = config.encoder, config.decoder
    assert isinstance(encoder, RNNEncoderConfig), why_not(config)
    assert isinstance(decoder, RNNDecoderConfig), why_not(config)
    return encoder, decoder


class UsedWeights(dict[str, Array]):
    """Weights that remember which of them were asked for: what is left over belongs to another model."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self.left = {*weights}

    def __getitem__(self, name: str) -> Array:
        self.left.discard(name)
        return super().__getitem__(name)


def check(found: int, wanted: int) -> None:
    """Raises where a matrix is not of the size that the config asks for: the compiled engine would read beyond it."""
    if found != wanted:
        raise ValueError(f"a matrix has {found} numbers where {wanted} are needed")


def padded(size: int) -> int:
    """The next multiple of 16."""
    return -(-size // PAD) * PAD


def spread(matrix: Array, sizes: Sequence[int], axis: int) -> Array:
    """The matrix with each part (of `sizes`) along an axis followed by its zeros."""
    check(matrix.shape[axis], sum(sizes))
    parts = np.split(matrix, np.cumsum(sizes)[:-1], axis=axis)
    widths = [[(0, 0)] * matrix.ndim for _ in parts]
    for width, part in zip(widths, parts, strict=True):
        width[axis] = (0, padded(part.shape[axis]) - part.shape[axis])
    return np.concatenate([np.pad(part, width) for part, width in zip(parts, widths, strict=True)], axis=axis)


def in_panels(matrix: NDArray[Any], group: int) -> NDArray[Any]:
    """Rows in panels of 16: for each `group` of inputs the weights of 16 outputs lie together."""
    rows, cols = matrix.shape
    return matrix.reshape(rows // PAD, PAD, cols // group, group).transpose(0, 2, 1, 3)


class Packed:
    """A model as the compiled engine reads it; keeps the arrays alive that its pointers lead to."""

    def __init__(self, config: ModelConfig, weights: Weights, precision: Precision, *, listed: bool = False) -> None:
        self.encoder, self.decoder = recurrent_sides(config)
        self.reverse_source, self.precision, self.listed = config.reverse_source, precision, listed
        self.weights = UsedWeights(weights)
        self.model = native.Model()
        self._arrays: list[NDArray[Any]] = []
        self.model.int8 = int(precision == "int8")
        self._pack_encoder()
        self._pack_decoder()
        self._pack_attention()
        self._pack_output()
        if self.weights.left:
            raise ValueError(f"'{min(self.weights.left)}' belongs to another model")

    # ------------------------------------------------------------ pieces

    def pointer(self, array: NDArray[Any], kind: Any) -> Any:
        """A pointer to an array that stays."""
        array = np.ascontiguousarray(array)
        self._arrays.append(array)
        return array.ctypes.data_as(ctypes.POINTER(kind))

    def matrix(
        self, values: Array, bias: Array | None = None, *, exact: bool = False, listed: bool = False
    ) -> native.Matrix:
        """Weights [rows, cols] in panels, or as they are to be `listed`; in int8 unless they must be exact."""
        if bias is not None:
            check(len(bias), len(values))
        values = spread(np.asarray(values, np.float32), [len(values)], 0)
        bias = None if bias is None else spread(np.asarray(bias, np.float32), [len(bias)], 0)
        found = native.Matrix(rows=values.shape[0], cols=values.shape[1])
        if self.precision == "int8" and not exact:
            scale = np.maximum(np.abs(values).max(axis=1), 1e-12).astype(np.float32) / np.float32(127.0)
            whole = np.rint(values / scale[:, None]).astype(np.int8)
            found.bytes = self.pointer(whole if listed else in_panels(whole, 2), ctypes.c_int8)
            found.scale = self.pointer(scale / INPUT_SCALE, ctypes.c_float)
        else:
            found.values = self.pointer(values if listed else in_panels(values, 1), ctypes.c_float)
        if bias is not None:
            found.bias = self.pointer(bias, ctypes.c_float)
        return found

    def table(self, matrix: Array, bias: Array, vectors: Array) -> native.Table:
        """W y + b of every word, to be filled as words are met."""
        check(matrix.shape[1], padded(vectors.shape[1]))
        found = native.Table(matrix=self.matrix(matrix, bias, exact=True))
        found.vectors = self.pointer(spread(vectors, [vectors.shape[1]], 1), ctypes.c_float)
        found.rows = self.pointer(np.zeros((len(vectors), len(matrix)), np.float32), ctypes.c_float)
        found.filled = self.pointer(np.zeros(len(vectors), np.uint8), ctypes.c_uint8)
        return found

    def cell(self, name: str, cell: str, size: int) -> tuple[Array, Array, Array, Array | None]:
        """W, U and the two biases of a layer, by gates; only a GRU keeps the state's bias apart."""
        gates = [size] * {"tanh": 1, "gru": 3, "lstm": 4}[cell]
        W, U = (self.weights[f"{name}.rnn.weight_{side}_l0"] for side in ("ih", "hh"))
        b, b_U = (self.weights[f"{name}.rnn.bias_{side}_l0"] for side in ("ih", "hh"))
        U = spread(spread(U, gates, 0), [size], 1)
        if cell == "gru":
            return spread(W, gates, 0), U, spread(b, gates, 0), spread(b_U, gates, 0)
        return spread(W, gates, 0), U, spread(b + b_U, gates, 0), None

    @property
    def memory_parts(self) -> list[int]:
        """The parts of an encoder state: one, or one per direction."""
        encoder = self.encoder
        return [encoder.size // 2] * 2 if encoder.bidirectional else [encoder.size]

    @property
    def output_size(self) -> int:
        """The size of what the words are compared with: the readout's, or the state's."""
        for name in ("decoder.readout.U.weight", "decoder.readout.W.weight"):
            if name in self.weights:
                return len(self.weights[name])
        return self.decoder.size

    # ------------------------------------------------------------ the sides

    def _pack_encoder(self) -> None:
        encoder, model = self.encoder, self.model
        sides = ["forwards", "backwards"] if encoder.bidirectional else ["forwards"]
        size = self.memory_parts[0]
        model.encoder_cell, model.encoder_layers = native.CELLS[encoder.cell], encoder.layers
        model.directions, model.encoder_size = len(sides), padded(size)
        own = "own_source_embedding.weight"
        vectors = self.weights[own if own in self.weights else "target_embedding.weight"]
        words: list[tuple[Array, Array]] = []
        for layer in range(encoder.layers):
            for side, name in enumerate(sides):
                W, U, b, b_U = self.cell(f"encoder.{name}.{layer}", encoder.cell, size)
                to = model.encoder[layer * len(sides) + side]
                to.recurrent = self.matrix(U, b_U)
                if layer:
                    to.input = self.matrix(spread(W, self.memory_parts, 1), b)
                else:
                    words.append((spread(W, [W.shape[1]], 1), b))
        model.source = self.table(np.concatenate([W for W, _ in words]), np.concatenate([b for _, b in words]), vectors)

    def _pack_decoder(self) -> None:
        decoder, model, weights = self.decoder, self.model, self.weights
        size = decoder.size
        model.decoder_cell, model.decoder_layers = native.CELLS[decoder.cell], decoder.layers
        model.decoder_size, model.input_feeding = padded(size), int(decoder.input_feeding)
        model.before = int(decoder.attention != "none" and decoder.order == "before")
        vectors = weights["target_embedding.weight"]
        W, U, b, b_U = self.cell("decoder.stack.layers.0", decoder.cell, size)
        of_word, of_context, of_fed = self._split_inputs(W, vectors.shape[1])
        check(of_fed.shape[1], self.output_size if decoder.input_feeding else 0)
        model.decoder[0].recurrent = self.matrix(U, b_U)
        if of_context.shape[1]:
            model.context_gates = self.matrix(spread(of_context, self.memory_parts, 1))
        if of_fed.shape[1]:
            model.fed_gates = self.matrix(spread(of_fed, [of_fed.shape[1]], 1))
        for layer in range(1, decoder.layers):
            W, U, b_W, b_U = self.cell(f"decoder.stack.layers.{layer}", decoder.cell, size)
            model.decoder[layer].recurrent = self.matrix(U, b_U)
            model.decoder[layer].input = self.matrix(spread(W, [size], 1), b_W)
        words, biases = [spread(of_word, [vectors.shape[1]], 1)], [b]
        if "decoder.readout.V.weight" in weights:
            V = weights["decoder.readout.V.weight"]
            check(len(V), self.output_size)
            words.append(spread(spread(V, [len(V)], 0), [V.shape[1]], 1))
            biases.append(np.zeros(len(words[-1]), np.float32))
        model.target = self.table(np.concatenate(words), np.concatenate(biases), vectors)
        self._pack_start()

    def _split_inputs(self, W: Array, word_size: int) -> tuple[Array, Array, Array]:
        """What meets the word, the context and the fed readout in the bottom layer's input weights."""
        context = self.encoder.size if self.model.before else 0
        parts = np.split(W, [word_size, word_size + context], axis=1)
        return parts[0], parts[1], parts[2]

    def _pack_start(self) -> None:
        decoder, model = self.decoder, self.model
        model.start = COPIED_START
        if "decoder.start_state.W_s.weight" in self.weights:
            model.start = BRIDGED_START
            parts = [decoder.size] * (decoder.layers * (2 if decoder.cell == "lstm" else 1))
            W = spread(self.weights["decoder.start_state.W_s.weight"], parts, 0)
            bias = spread(self.weights["decoder.start_state.W_s.bias"], parts, 0)
            model.bridge = self.matrix(spread(W, self.memory_parts, 1), bias, exact=True)

    def _pack_attention(self) -> None:
        decoder, model, weights = self.decoder, self.model, self.weights
        model.score, model.score_scale = NO_SCORE, 1.0 / float(decoder.attention_options.get("temperature", 1.0))
        model.context_size = padded(self.memory_parts[0]) * len(self.memory_parts)
        if decoder.attention == "none":
            return
        score, name = SCORES[decoder.attention], "decoder.attention.score"
        size = decoder.size
        if score in ("additive", "concat"):
            if score == "concat":
                W_q, W_k = np.split(weights[f"{name}.W"], [size], axis=1)
            else:
                W_q, W_k = weights[f"{name}.W_q"], weights[f"{name}.W_k"]
            check(len(W_k), len(W_q))
            v = spread(weights[f"{name}.v"], [len(W_q)], 0)
            model.score, model.v, model.v_sum = ADDITIVE_SCORE, self.pointer(v, ctypes.c_float), float(v.sum())
            model.query = self.matrix(spread(spread(W_q, [len(W_q)], 0), [size], 1))
        else:
            model.score = DOT_SCORE
            W_k = weights[f"{name}.W"] if score == "general" else np.eye(size, dtype=np.float32)
            check(len(W_k), size)
            if score == "scaled_dot":
                model.score_scale /= float(np.sqrt(size))
        model.key = self.matrix(spread(spread(W_k, [len(W_k)], 0), self.memory_parts, 1), exact=score == "dot")
        model.key_size = padded(len(W_k))

    def _pack_output(self) -> None:
        model, weights, size = self.model, self.weights, self.decoder.size
        own = "generator.own_weight"
        W = weights[own if own in weights else "target_embedding.weight"]
        model.words, model.output_size = len(W), padded(W.shape[1])
        check(W.shape[1], self.output_size)
        bounded = True
        model.readout = BARE_READOUT
        if "decoder.readout.U.weight" in weights:
            model.readout = JOINED_READOUT
            U, bias = weights["decoder.readout.U.weight"], weights["decoder.readout.U.bias"]
            model.readout_state = self.matrix(spread(spread(U, [len(U)], 0), [size], 1), spread(bias, [len(U)], 0))
            if "decoder.readout.C.weight" in weights:
                C = weights["decoder.readout.C.weight"]
                check(len(C), self.output_size)
                model.readout_context = self.matrix(spread(spread(C, [len(C)], 0), self.memory_parts, 1))
        elif "decoder.readout.W.weight" in weights:
            W_r = weights["decoder.readout.W.weight"]
            model.readout_state = self.matrix(spread(spread(W_r, [len(W_r)], 0), [size], 1))
            bounded = False
        # A bare state through a matrix may leave [−1, 1], which the engine's whole numbers cannot hold.
        W = spread(W, [W.shape[1]], 1)
        model.output = self.matrix(W, weights["generator.bias"], exact=not bounded)
        if self.listed:
            model.listed = self.matrix(W, weights["generator.bias"], exact=not bounded, listed=True)
