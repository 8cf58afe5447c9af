// The arithmetic of the lessons: the numbers that they teach.
import { describe, expect, it } from "vitest";
import { manyQueries, oneQuery } from "../src/lessons/sums/generalise";
import { arriving } from "../src/lessons/sums/gradient-path";
import { look, shareOf, things } from "../src/lessons/sums/image";
import { allParameters, parametersOf } from "../src/lessons/sums/parameters";
import { attend, changes, isOrder, outputs as placed, sinusoid } from "../src/lessons/sums/positions";
import { readNumbers, within } from "../src/lessons/sums/reading";
import { fiveSteps } from "../src/lessons/sums/five-steps";
import { farShare, isRight, isWing, looks, outputs, PIXELS, WIDTH } from "../src/lessons/sums/sagan";
import { jacobianNorm, saturation, SIZES } from "../src/lessons/sums/saturation";
import { general, generalTerms, gradients, multiLayer, singleLayer } from "../src/lessons/sums/scores";
import { seenBy } from "../src/lessons/sums/snail";
import { unroll, vectorOf } from "../src/lessons/sums/unrolled";
import { dot, gap, softmax, sum, times } from "../src/lessons/sums/vectors";
import { plain, product, scientific, signedSum } from "../src/lessons/sums/writing";

describe("scores by hand", () => {
  const [q, k] = [[1, 3], [2, -5]];

  it("give −13, −58 and −141", () => {
    expect(dot(q, k)).toBe(-13);
    expect(general(q, [[1, 0], [0, 1]], k)).toBe(-13);
    expect(general(q, [[1, 0], [0, 4]], k)).toBe(-58);
    expect(general(q, [[1, 7], [-8, 4]], k)).toBe(-141);
  });

  it("write the cross terms out", () => {
    const crossing = generalTerms(q, [[1, 7], [-8, 4]], k).flat().filter((term) => term.crosses);
    expect(crossing.map((term) => product(term.weight, term.query, term.key))).toEqual(["7×1×(−5)", "(−8)×3×2"]);
    expect(crossing.map((term) => term.value)).toEqual([-35, -48]);
  });

  it("hand their gradients to the states and to W alone", () => {
    expect(gradients(q, [[1, 0], [0, 1]], k)).toMatchObject({ query: k, key: q });
    const W = [[1, 7], [-8, 4]];
    const found = gradients(q, W, k);
    expect(found).toEqual({ query: [-33, -36], key: [-23, 19], weights: [[2, -5], [6, -15]] });
    const moved = W.map((row, i) => row.map((w, j) => w + 0.001 * found.weights[i]![j]!));
    expect(general(q, moved, k) - general(q, W, k)).toBeCloseTo(0.001 * (4 + 25 + 36 + 225), 9);
  });

  it("go through one layer and through two", () => {
    expect(singleLayer([0.5, -0.1, 0.1, 0.2], 0.1, q, k)).toBeCloseTo(-0.5, 12);
    const { inputs, hidden, active, score } = multiLayer([1, -0.5], [[0.5, -0.1, 0.1, 0.2], [0.2, 0.1, -0.3, -0.1]], q, k);
    expect(inputs).toEqual([1, 3, 2, -5]);
    expect(hidden[0]).toBeCloseTo(-0.6, 12);
    expect(hidden[1]).toBeCloseTo(0.4, 12);
    expect(active.map((value) => plain(value))).toEqual(["−0.537", "0.3799"]);
    expect(score).toBeCloseTo(-0.72702405, 8);
  });
});

describe("attention in five steps", () => {
  const encoder = [[0, 1, 1], [5, 0, 1], [1, 1, 0], [0, 5, 1]];

  it("has every digit of the worked example", () => {
    const { scores, weights, alignment, context } = fiveSteps([10, 5, 10], encoder);
    expect(scores).toEqual([15, 60, 15, 35]);
    expect(weights.map(scientific)).toEqual(["2.86251858e-20", "1.00000000e+00", "2.86251858e-20", "1.38879439e-11"]);
    expect(alignment.map((row) => row.map((value) => plain(value, 2)))).toEqual([["0", "0", "0"], ["5", "0", "1"], ["0", "0", "0"], ["0", "0", "0"]]);
    expect(context.map(scientific)).toEqual(["5.00000000e+00", "6.94397194e-11", "1.00000000e+00"]);
    expect(sum(weights)).toBeCloseTo(1, 15);
  });

  it("is the plain mean where nothing matches", () => {
    expect(fiveSteps([0, 0, 0], encoder).context).toEqual([1.5, 1.75, 0.75]);
  });
});

describe("encoder and decoder", () => {
  const { encoder, decoder, inputs } = unroll(["I", "go", "home"], ["나는", "집에", "간다", "</s>"]);

  it("start from zero and from the encoder's last state", () => {
    expect(encoder[0]).toEqual([0, 0, 0, 0]);
    expect(encoder.length).toBe(4);
    expect(decoder[0]).toEqual(encoder[3]);
    expect(inputs).toEqual(["<s>", "나는", "집에", "간다"]);
  });

  it("have different parameters, the same at every step", () => {
    const same = unroll(["<s>"], ["</s>"]);
    expect(gap([same.encoder[1]!], [unroll(["a"], ["</s>"]).encoder[1]!])).toBeGreaterThan(0.01);
    // the same word from the same state, read by each of the two
    expect(gap([unroll(["<s>"], ["x"]).encoder[1]!], [unroll([], ["x"]).decoder[1]!])).toBeGreaterThan(0.01);
    expect(unroll(["I", "go"], ["x"]).encoder).toEqual(encoder.slice(0, 3));
    expect(vectorOf("go")).toEqual(vectorOf("go"));
  });
});

describe("what arrives of a gradient", () => {
  it("is a power of the factor", () => {
    expect(arriving(30, 0.9)[0]).toEqual({ word: 1, steps: 30, share: 0.9 ** 30 });
    expect(arriving(30, 0.9).at(-1)!.share).toBe(0.9);
    expect(arriving(50, 0.9)[0]!.share).toBeCloseTo(0.005154, 6);
    expect(arriving(60, 1.1)[0]!.share).toBeGreaterThan(300);
  });
});

describe("the layer in four steps", () => {
  const [X, Q, I] = [[[1, 0], [0, 1], [1, 1]], [[2, 0], [-1, 3]], [[1, 0], [0, 1]]];

  it("agrees from step to step", () => {
    const many = manyQueries(Q, X, X, Math.SQRT1_2);
    Q.forEach((query, row) => expect(gap([many.output[row]!], [oneQuery(query, X, Math.SQRT1_2).output])).toBe(0));
    expect(gap(manyQueries(Q, times(X, I), times(X, I), Math.SQRT1_2).output, many.output)).toBe(0);
    expect(gap(manyQueries(Q, times(X, [[0, 1], [1, 0]]), X, Math.SQRT1_2).output, many.output)).toBeGreaterThan(0.1);
  });
});

describe("the scale", () => {
  it.each(SIZES)("keeps the variance of scores at 1 for vectors of size %i", (d) => {
    const { plain: without, scaled: with_ } = saturation(d);
    expect(Math.abs(without.variance / d - 1)).toBeLessThan(0.15);
    expect(Math.abs(with_.variance - 1)).toBeLessThan(0.15);
  });

  it("keeps the softmax from saturating", () => {
    const [small, large] = [saturation(1), saturation(512)];
    expect(large.plain.peak).toBeGreaterThan(0.9);
    expect(large.plain.gradient).toBeLessThan(small.plain.gradient / 3);
    expect(Math.abs(large.scaled.peak - small.scaled.peak)).toBeLessThan(0.1);
    expect(large.scaled.gradient).toBeGreaterThan(0.9 * small.scaled.gradient);
  });

  it("knows the Jacobian of the softmax", () => {
    const a = softmax([0.3, -1, 2]);
    const jacobian = a.map((p, i) => a.map((q, j) => (i === j ? p : 0) - p * q));
    expect(jacobianNorm(a)).toBeCloseTo(Math.sqrt(sum(jacobian.flat().map((value) => value ** 2))), 12);
    expect(jacobianNorm([1, 0, 0])).toBe(0);
  });
});

describe("positions", () => {
  it("are sines and cosines of growing wavelength", () => {
    expect(sinusoid(0)).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
    expect(sinusoid(3)[0]).toBeCloseTo(Math.sin(3), 12);
    expect(sinusoid(3)[3]).toBeCloseTo(Math.cos(3 / 10), 12);
    expect(sinusoid(3)[6]).toBeCloseTo(Math.sin(3 / 1000), 12);
  });

  it("are what tells orders apart", () => {
    for (const order of [[0, 4, 2, 3, 1], [4, 3, 2, 1, 0], [2, 0, 1, 4, 3]]) {
      expect(Math.max(...changes(order, false))).toBeLessThan(1e-12);
      expect(Math.max(...changes(order, true))).toBeGreaterThan(0.1);
    }
    expect(gap(placed([0, 1, 2, 3, 4], false), attend(placed([0, 1, 2, 3, 4], false)))).toBeGreaterThan(0);
    expect([isOrder([4, 3, 2, 1, 0]), isOrder([0, 0, 1, 2, 3]), isOrder([0, 1, 2, 3, 5])]).toEqual([true, false, false]);
  });
});

describe("the Transformer's parameters", () => {
  const size = { d: 512, heads: 8, layers: 6, ff: 2048, words: 37000 };

  it("are counted by part and do not depend on the number of heads", () => {
    expect(parametersOf("self", size)).toBe(4 * (512 * 512 + 512));
    expect(allParameters({ ...size, heads: 1 })).toBe(allParameters(size));
  });

  it("are about 65 million in the base model, whose embeddings are one matrix", () => {
    expect((allParameters(size) - size.words * size.d) / 1e6).toBeCloseTo(63.1, 1);
  });
});

describe("beyond text", () => {
  it("a covered ear is guessed from the head", () => {
    const { weights, chosen } = look("covered", 4, false);
    expect(sum(weights)).toBeCloseTo(1, 12);
    expect(things[chosen]).toBe("ear");
    expect(shareOf("sweater", weights) + shareOf("blanket", weights) + shareOf("snow", weights)).toBeLessThan(0.05);
    expect(look("covered", 0, false).weights.every((weight) => Math.abs(weight - 1 / 80) < 1e-12)).toBe(true);
  });

  it("each layer of dilated convolutions doubles what is seen", () => {
    expect([1, 2, 3, 4].map(seenBy)).toEqual([2, 4, 8, 16]);
  });

  it("a pixel of one wing looks at the other, and γ = 0 changes nothing", () => {
    const pixel = 3 * WIDTH + 2;
    const weights = looks(pixel);
    expect(sum(weights.filter((_, other) => isWing(other) && isRight(other)))).toBeGreaterThan(0.35);
    expect(farShare(pixel, weights)).toBeGreaterThan(0.5);
    expect(outputs(0)).toEqual(PIXELS);
    expect(gap(outputs(0.5), PIXELS)).toBeGreaterThan(0.1);
  });
});

describe("numbers of a link", () => {
  it("are read where they are as many as there must be", () => {
    expect(readNumbers("1_-5_0.5", [0, 0, 0])).toEqual([1, -5, 0.5]);
    for (const text of [undefined, "", "1_2", "1_2_x", "1__2", "1_2_3_4"]) expect(readNumbers(text, [7, 8, 9])).toEqual([7, 8, 9]);
    expect(readNumbers("1e9_2_3", [0, 0, 0])).toEqual([1e4, 2, 3]);
    expect(within("", 0, 5, 2)).toBe(2);
  });
});

describe("writing", () => {
  it("keeps signs and digits", () => {
    expect(signedSum([2, -35, -48, -60])).toBe("2 − 35 − 48 − 60");
    expect([plain(-0), plain(-0.00001), plain(0.1 + 0.2), scientific(0), scientific(-12345)]).toEqual(["0", "0", "0.3", "0.00000000e+00", "-1.23450000e+04"]);
    expect(softmax([1000, 1000])).toEqual([0.5, 0.5]);
  });
});
