// Taking a view along: pictures and pages are made here from what is seen, tables of numbers by the server.
import { api } from "./api";
import type { ExportView, RunRef } from "./contract";
import { tableSvg } from "./drawing/sheet";
import { element } from "./drawing/svg";
import { shapeOf, tikz } from "./drawing/tikz";
import { t } from "./i18n";

export const FORMATS = ["svg", "png", "csv", "json", "tex", "html"] as const;
export type Format = (typeof FORMATS)[number];
/** Formats that need no server. */
export const MADE_HERE: readonly Format[] = ["svg", "png", "tex", "html"];

export interface Exported {
  title: string;
  /** What must be known to read the numbers right, or nothing. */
  note?: string;
  /** Null where no model is involved. */
  run: RunRef | null;
  text: string;
  target: string;
  view: ExportView;
  /** What is seen; a view that is a table and nothing else is drawn as one. Without pixels, all of it is shapes. */
  svg?: (pixels?: boolean) => SVGSVGElement;
  columns: string[];
  rows: (string | number | null)[][];
}

/** The title, and what must be known to read the numbers right. */
export function titleOf(one: Exported): string {
  return one.note ? `${one.title}. ${one.note}` : one.title;
}

export function describe(one: Exported): string[] {
  const pair = one.target === "" ? one.text : `${one.text} → ${one.target}`;
  const title = titleOf(one);
  if (one.run === null) return [title, pair, "Jumok"];
  const step = one.run.step === null ? "" : ` · ${t("subject.step", { n: one.run.step })}`;
  return [title, pair, `Jumok · ${one.run.name}${step} · ${t("export.model", { hash: one.run.hash })}`];
}

/** What XML cannot hold, not even escaped: control characters and halves of pairs. */
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu;

function drawnOf(one: Exported): SVGSVGElement {
  return one.svg ? one.svg() : tableSvg(one.columns, one.rows);
}

/** The picture with title, sentence and hash inside: as metadata for programs, as a caption for people. */
export function captioned(one: Exported): SVGSVGElement {
  const svg = drawnOf(one);
  const [x = 0, y = 0, width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  const lines = describe(one);
  const total = height + lines.length * 16 + 12;
  const wide = Math.max(width, ...lines.map((line) => Math.min(900, [...line].length * 7.5)));
  svg.setAttribute("viewBox", `${x} ${y} ${wide} ${total}`);
  svg.setAttribute("width", String(wide));
  svg.setAttribute("height", String(total));
  const back = svg.firstElementChild?.getAttribute("fill") ?? "#ffffff";
  svg.firstElementChild?.setAttribute("width", String(wide));
  svg.firstElementChild?.setAttribute("height", String(total));
  const ink = back === "#ffffff" || back.startsWith("rgb(25") ? "#535c6b" : "#a7b2c3";
  lines.forEach((line, i) => {
    const place = { x: x + 8, y: y + height + 16 * (i + 1), "font-size": 12, fill: ink, "text-anchor": "start" };
    svg.append(element("text", place, line));
  });
  const meta = { title: titleOf(one), source: one.text, target: one.target, model: one.run };
  svg.prepend(element("metadata", {}, JSON.stringify(meta)));
  svg.prepend(element("title", {}, lines.join("\n")));
  return svg;
}

export function svgText(svg: SVGSVGElement): string {
  return new XMLSerializer().serializeToString(svg).replace(NOT_XML, "\ufffd");
}

async function png(svg: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svgText(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    const twice = Math.min(2, 8000 / Math.max(image.width, image.height));
    canvas.width = Math.ceil(image.width * twice);
    canvas.height = Math.ceil(image.height * twice);
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob === null) throw new Error("The picture is too large for PNG.");
    return withText(blob, withoutMarks(svg));
  } finally {
    URL.revokeObjectURL(address);
  }
}

const withoutMarks = (svg: SVGSVGElement) => svg.querySelector("metadata")?.textContent ?? "";

/** The PNG with a text chunk (iTXt, UTF-8) before its end, so that the file itself knows model and sentence. */
async function withText(blob: Blob, text: string): Promise<Blob> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const end = bytes.length - 12;
  return new Blob([bytes.slice(0, end), textChunk("Description", text), bytes.slice(end)], { type: "image/png" });
}

export function textChunk(keyword: string, text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const body = encoder.encode(`iTXt${keyword}\0\0\0\0\0${text}`);
  const chunk = new Uint8Array(body.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  view.setUint32(body.length + 4, crc(body));
  return chunk;
}

/** The checksum of PNG chunks (CRC-32 of ISO 3309). */
export function crc(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let k = 0; k < 8; k++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

const STYLE = "body{font:16px/1.5 'Noto Sans KR','Apple SD Gothic Neo','Malgun Gothic',system-ui,sans-serif;margin:2rem;" +
  "color:#161b24;background:#fff}svg{max-width:100%;height:auto}table{border-collapse:collapse;margin-top:1rem}" +
  "th,td{border:1px solid #dde2ea;padding:.2rem .5rem;text-align:start}";

/** One file without scripts that opens anywhere: the picture, its table, the sentence and the model's hash. */
export function htmlText(one: Exported): string {
  const page = document.implementation.createHTMLDocument(one.title);
  page.documentElement.lang = document.documentElement.lang;
  const policy = page.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  const charset = page.createElement("meta");
  charset.setAttribute("charset", "utf-8");
  page.head.prepend(charset, policy);
  const heading = page.createElement("h1");
  heading.textContent = titleOf(one);
  page.body.append(heading);
  for (const line of describe(one).slice(1)) {
    const paragraph = page.createElement("p");
    paragraph.dir = "auto";
    paragraph.textContent = line;
    page.body.append(paragraph);
  }
  if (one.svg) page.body.append(page.adoptNode(one.svg()));
  page.body.append(tableElement(page, one.columns, one.rows));
  // The style sheet is put in as text: this page's own policy forbids to make one, even in a document that is not shown.
  const markup = page.documentElement.outerHTML.replace("</head>", `<style>${STYLE}</style></head>`);
  return `<!doctype html>\n${markup}`;
}

function tableElement(page: Document, columns: string[], rows: (string | number | null)[][]): HTMLTableElement {
  const table = page.createElement("table");
  const line = (cells: (string | number | null)[], name: "th" | "td") => {
    const row = page.createElement("tr");
    for (const cell of cells) {
      const made = page.createElement(name);
      made.dir = "auto";
      made.textContent = cell === null ? "" : String(cell);
      row.append(made);
    }
    return row;
  };
  table.append(line(columns, "th"), ...rows.map((cells) => line(cells, "td")));
  return table;
}

/** The file; `alone` means that there is no server to ask. */
export async function exportBlob(one: Exported, format: Format, alone = false): Promise<Blob> {
  if (format === "html") return new Blob([htmlText(one)], { type: "text/html" });
  if (format === "svg" || format === "png") {
    const svg = captioned(one);
    return format === "png" ? png(svg) : new Blob([svgText(svg)], { type: "image/svg+xml" });
  }
  // A matrix and a tree are typeset by the server; of anything else that is drawn, the drawing is.
  if (format === "tex" && one.svg && (one.view.kind === "table" || alone)) {
    return new Blob([tikz(shapeOf(one.svg(false)), describe(one))], { type: "application/x-tex" });
  }
  const { run, text, target, view } = one;
  const title = titleOf(one);
  return api.exportFile({ run: run?.id ?? null, step: run?.step ?? null, text, target, title, format, view });
}

export function fileName(one: Exported, format: Format): string {
  const stem = one.title.normalize("NFC").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 40) || "view";
  return `${stem}${one.run ? `-${one.run.hash.slice(0, 8)}` : ""}.${format}`;
}

export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
