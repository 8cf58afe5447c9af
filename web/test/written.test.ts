import { describe, expect, it } from "vitest";
import { unbroken, written } from "../src/written";

describe("texts on the page", () => {
  it("keep a vector of numbers in one line, and nothing else", () => {
    expect(unbroken("q = (1, 3), k = (2, −5)이고")).toBe("q\u00a0=\u00a0(1,\u00a03), k\u00a0=\u00a0(2,\u00a0−5)\u2060이고");
    expect(unbroken("p = 0.490입니다, K = X W")).toBe("p\u00a0=\u00a00.490입니다, K = X W");
    expect(unbroken("[10, 5, 10] and [q; k], (as is)")).toBe("[10,\u00a05,\u00a010] and [q; k], (as is)");
    expect(unbroken("CIFAR-10 well-known")).toBe("CIFAR-\u206010 well-known");
    expect(unbroken("3 × 3")).toBe("3\u00a0×\u00a03");
  });

  it("set the index of a symbol below the line", () => {
    const parts = written("v_a와 W_q q, tanh(W_p s), snake_case_name");
    const symbols = parts.flatMap((part) => (typeof part === "string" ? [] : [part.values]));
    expect(symbols).toEqual([["v", "a"], ["W", "q"], ["W", "p"]]);
    expect(parts.filter((part) => typeof part === "string")).toEqual(["", "와 ", " q, tanh(", " s), snake_case_name"]);
  });
});
