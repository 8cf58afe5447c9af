import { describe, expect, it } from "vitest";
import { colour, latex, pathOf, tikz, type Shape } from "../src/drawing/tikz";
import { cellText, widthOf } from "../src/drawing/sheet";

const shape = (name: string, attributes: Record<string, string> = {}, text = "", children: Shape[] = []): Shape => ({ name, attributes, text, children });

describe("TikZ", () => {
  it("prints any text as it is and on one line", () => {
    expect(latex("50% of $x_1$\n#&{}~^\\")).toBe("50\\% of \\$x\\_1\\$ \\#\\&\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}");
    expect(latex("주목")).toBe("주목");
  });

  it("knows the colours that pages give", () => {
    expect(colour("#ff8000")!.mix).toBe("{rgb,255:red,255;green,128;blue,0}");
    expect(colour("rgb(1, 2, 3)")!.mix).toBe("{rgb,255:red,1;green,2;blue,3}");
    expect(colour("rgba(1, 2, 3, 0.5)")!.opacity).toBe(0.5);
    for (const nothing of ["none", "transparent", "rgba(0, 0, 0, 0)", undefined, "url(#x)"]) expect(colour(nothing)).toBeNull();
  });

  it("follows lines and curves", () => {
    expect(pathOf("M0 5H30")).toBe("(0.00,5.00) -- (30.00,5.00)");
    expect(pathOf("M1 2C3 4 5 6 7 8")).toBe("(1.00,2.00) .. controls (3.00,4.00) and (5.00,6.00) .. (7.00,8.00)");
    expect(pathOf("M1.5 -2L3 4L5 6")).toBe("(1.50,-2.00) -- (3.00,4.00) -- (5.00,6.00)");
  });

  it("draws each shape and nothing that is not painted", () => {
    const picture = shape("svg", {}, "", [
      shape("title", {}, "t"), shape("rect", { x: "1", y: "2", width: "3", height: "4", fill: "none" }),
      shape("g", {}, "", [shape("circle", { cx: "1", cy: "1", r: "2", fill: "#000000" })]),
      shape("line", { x1: "0", y1: "0", x2: "1", y2: "1", stroke: "#112233", "stroke-dasharray": "4px, 2px" }),
      shape("text", { transform: "translate(3 4) rotate(-45)", "text-anchor": "end" }, "a_b"),
    ]);
    const text = tikz(picture, ["hash 123\n\\input{x}"]);
    expect(text).toContain("% hash 123 \\input{x}\n");
    expect(text).not.toContain("rectangle");
    expect(text).toContain("circle [radius=2]");
    expect(text).toContain("dash pattern=on 3.00pt off 1.50pt");
    expect(text).toContain("rotate=45");
    expect(text).toContain("{a\\_b}");
    expect(text.match(/\\begin/g)!.length).toBe(text.match(/\\end/g)!.length);
  });
});

describe("tables as pictures", () => {
  it("give Hangul the room it needs", () => {
    expect(widthOf("주목")).toBeGreaterThan(widthOf("ab"));
    expect(cellText(0.12345)).toBe("0.123");
    expect(cellText(null)).toBe("");
  });
});
