// A drawn picture as a LaTeX document: the shapes our pictures are made of, as TikZ.

/** What TikZ needs to know of an element of SVG. */
export interface Shape { name: string; attributes: Record<string, string>; text: string; children: Shape[] }

export function shapeOf(element: Element): Shape {
  const attributes = Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
  const children = [...element.children].map(shapeOf);
  return { name: element.localName, attributes, text: children.length === 0 ? (element.textContent ?? "") : "", children };
}

const SPECIAL: Record<string, string> = {
  "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", $: "\\$", "&": "\\&", "#": "\\#", "%": "\\%", _: "\\_",
  "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
  '"': "\\textquotedbl{}", "−": "$-$",
};

const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();

/** Text that LaTeX prints as it is. */
export function latex(text: string): string {
  return [...oneLine(text)].map((letter) => SPECIAL[letter] ?? letter).join("");
}

/** A colour as TikZ mixes it, with its opacity; null where nothing is painted. */
export function colour(value: string | undefined): { mix: string; opacity: number } | null {
  if (!value || value === "none" || value === "transparent") return null;
  const hex = /^#([0-9a-f]{6})$/i.exec(value);
  const parts = hex ? [0, 2, 4].map((at) => parseInt(hex[1]!.slice(at, at + 2), 16))
    : (/^rgba?\(([^)]*)\)/.exec(value)?.[1] ?? "").split(/[\s,/]+/).filter(Boolean).map(Number);
  const [r, g, b, a = 1] = parts;
  if (r === undefined || g === undefined || b === undefined || parts.some(Number.isNaN) || a === 0) return null;
  return { mix: `{rgb,255:red,${Math.round(r)};green,${Math.round(g)};blue,${Math.round(b)}}`, opacity: a };
}

const PX = 0.75; // of a point, as CSS counts them
const number = (value: string | undefined, otherwise = 0) => (value === undefined || value === "" ? otherwise : parseFloat(value));
const place = (x: number, y: number) => `(${x.toFixed(2)},${y.toFixed(2)})`;

function options(shape: Shape, usual: { fill?: string; stroke?: string } = {}): string | null {
  const { attributes: a } = shape;
  const opacity = number(a.opacity, 1);
  const [fill, stroke] = [colour(a.fill ?? usual.fill), colour(a.stroke ?? usual.stroke)];
  const out: string[] = [];
  if (fill) out.push(`fill=${fill.mix}`, ...seen("fill opacity", fill.opacity * opacity * number(a["fill-opacity"], 1)));
  if (stroke) {
    out.push(`draw=${stroke.mix}`, `line width=${(number(a["stroke-width"], 1) * PX).toFixed(2)}pt`);
    out.push(...seen("draw opacity", stroke.opacity * opacity * number(a["stroke-opacity"], 1)));
    const dashes = (a["stroke-dasharray"] ?? "").split(/[\s,]+/).map(parseFloat).filter((dash) => dash > 0);
    if (dashes.length > 1) out.push(`dash pattern=${dashes.map((d, i) => `${i % 2 ? "off" : "on"} ${(d * PX).toFixed(2)}pt`).join(" ")}`);
  }
  return fill || stroke ? out.join(", ") : null;
}

const seen = (name: string, opacity: number) => (opacity < 1 ? [`${name}=${opacity.toFixed(3)}`] : []);

/** Our paths go by M, L, H, V and C, always with absolute places. */
export function pathOf(d: string): string {
  const parts = d.match(/[MLHVCZ]|-?\d*\.?\d+(?:e-?\d+)?/gi) ?? [];
  const out: string[] = [];
  let [command, x, y, i] = ["M", 0, 0, 0];
  const next = () => parseFloat(parts[i++] ?? "0");
  while (i < parts.length) {
    if (/[a-z]/i.test(parts[i]!) && !/^-?\d/.test(parts[i]!)) command = parts[i++]!;
    if (command === "Z") {
      out.push("-- cycle");
      continue;
    }
    if (command === "C") {
      const [x1, y1, x2, y2] = [next(), next(), next(), next()];
      [x, y] = [next(), next()];
      out.push(`.. controls ${place(x1, y1)} and ${place(x2, y2)} .. ${place(x, y)}`);
      continue;
    }
    if (command !== "V") x = next();
    if (command !== "H") y = next();
    out.push(command === "M" ? place(x, y) : `-- ${place(x, y)}`);
    if (command === "M") command = "L";
  }
  return out.join(" ");
}

function textOf({ attributes: a, text }: Shape): string[] {
  if (text.trim() === "") return [];
  const moved = /translate\(\s*(-?[\d.]+)[\s,]+(-?[\d.]+)\s*\)/.exec(a.transform ?? "");
  const turned = /rotate\(\s*(-?[\d.]+)/.exec(a.transform ?? "");
  const [x, y] = moved ? [parseFloat(moved[1]!), parseFloat(moved[2]!)] : [number(a.x), number(a.y)];
  const anchor = { middle: "base", end: "base east" }[a["text-anchor"] ?? ""] ?? "base west";
  const size = (number(a["font-size"], 13) * PX).toFixed(1);
  const weight = number(a["font-weight"], 400) >= 600 || a["font-weight"] === "bold" ? "\\bfseries " : "";
  const ink = colour(a.fill)?.mix ?? "black";
  const rotate = turned ? `, rotate=${-parseFloat(turned[1]!)}` : "";
  const font = `font=\\fontsize{${size}}{${size}}\\selectfont`;
  return [`\\node[anchor=${anchor}, inner sep=0, text=${ink}, ${font}${rotate}] at ${place(x, y)} {${weight}${latex(text)}};`];
}

function drawn(shape: Shape): string[] {
  const { name, attributes: a, children } = shape;
  if (name === "title" || name === "metadata" || name === "image") return [];
  if (name === "text") return textOf(shape);
  const own = (usual: { fill?: string; stroke?: string }, path: string) => {
    const how = options(shape, usual);
    return how === null ? [] : [`\\path[${how}] ${path};`];
  };
  if (name === "rect") {
    const [x, y, w, h] = [number(a.x), number(a.y), number(a.width), number(a.height)];
    return own({ fill: "#000000" }, `${place(x, y)} rectangle ${place(x + w, y + h)}`);
  }
  if (name === "circle") return own({ fill: "#000000" }, `${place(number(a.cx), number(a.cy))} circle [radius=${number(a.r)}]`);
  if (name === "line") return own({}, `${place(number(a.x1), number(a.y1))} -- ${place(number(a.x2), number(a.y2))}`);
  if (name === "path") return own({}, pathOf(a.d ?? ""));
  return children.flatMap(drawn);
}

/** A standalone document with the picture; `told` stands above it as a comment. */
export function tikz(picture: Shape, told: readonly string[]): string {
  return [...told.map((line) => `% ${oneLine(line)}`),
    "% Compile with lualatex or xelatex, which know Hangul by name of a font.",
    "\\documentclass[border=4pt]{standalone}", "\\usepackage{tikz}", "\\usepackage{fontspec}",
    "\\IfFontExistsTF{Noto Sans CJK KR}{\\setmainfont{Noto Sans CJK KR}}{}", "\\begin{document}",
    "\\begin{tikzpicture}[x=0.75pt, y=-0.75pt]", ...drawn(picture), "\\end{tikzpicture}", "\\end{document}", ""].join("\n");
}
