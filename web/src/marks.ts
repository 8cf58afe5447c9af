// What the links of two sentences show: words that change their order, that are skipped, and that share a link.
import type { Gold, Link, Reading } from "./contract";
import { at, fromMatrix } from "./matrix";

/** From this weight on, a second source word counts as linked to a target word. */
export const SECOND = 0.25;

export interface Marks {
  /** Pairs of links that cross: the earlier source word is said later. */
  crossings: [Link, Link][];
  /** Source words said by several target words, and target words that say several source words. */
  oneToMany: { source: number; targets: number[] }[];
  manyToOne: { target: number; sources: number[] }[];
  /** Words without a link. */
  skipped: number[];
  added: number[];
}

export interface Sign { row: number; col: number; text: string }

/** Links of a reading: the gold ones where they apply, else the largest weight of each word and every other large one. */
export function linksOf(reading: Reading, gold: Gold | null): Link[] {
  if (gold?.applies) return gold.links;
  if (!reading.alignment) return [];
  const map = fromMatrix(reading.alignment.weights);
  const best = new Set(reading.alignment.links.map(([s, r]) => `${s} ${r}`));
  const links: Link[] = [];
  for (let s = 0; s < map.cols; s++) {
    for (let r = 0; r < map.rows; r++) if (best.has(`${s} ${r}`) || at(map, r, s) >= SECOND) links.push([s, r]);
  }
  return links;
}

export function marksOf(links: readonly Link[], sources: number, targets: number): Marks {
  const crossings: [Link, Link][] = [];
  links.forEach((one, i) => links.slice(i + 1).forEach((other) => {
    if ((one[0] - other[0]) * (one[1] - other[1]) < 0) crossings.push(one[0] < other[0] ? [one, other] : [other, one]);
  }));
  const of = (side: 0 | 1, place: number) => links.filter((link) => link[side] === place).map((link) => link[side === 0 ? 1 : 0]);
  const words = (count: number, side: 0 | 1) => Array.from({ length: count }, (_, place) => ({ place, others: of(side, place) }));
  const [left, right] = [words(sources, 0), words(targets, 1)];
  return {
    crossings,
    oneToMany: left.filter(({ others }) => others.length > 1).map(({ place, others }) => ({ source: place, targets: others })),
    manyToOne: right.filter(({ others }) => others.length > 1).map(({ place, others }) => ({ target: place, sources: others })),
    skipped: left.filter(({ others }) => others.length === 0).map(({ place }) => place),
    added: right.filter(({ others }) => others.length === 0).map(({ place }) => place),
  };
}

/** What stands in a cell of the map: `×` where the order changes, `1:n` and `n:1` where a word has several links. */
export function signsOf(marks: Marks): Sign[] {
  const texts = new Map<string, string[]>();
  const put = ([col, row]: Link, text: string) => {
    const kept = texts.get(`${row} ${col}`) ?? [];
    if (!kept.includes(text)) texts.set(`${row} ${col}`, [...kept, text]);
  };
  for (const pair of marks.crossings) for (const link of pair) put(link, "×");
  for (const { source, targets } of marks.oneToMany) for (const target of targets) put([source, target], "1:n");
  for (const { target, sources } of marks.manyToOne) for (const source of sources) put([source, target], "n:1");
  return [...texts].map(([key, found]) => {
    const [row, col] = key.split(" ").map(Number);
    return { row: row!, col: col!, text: found.join(" ") };
  });
}
