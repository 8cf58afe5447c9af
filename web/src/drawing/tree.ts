// Lays out a beam search as a tree from left to right.
import { hierarchy, stratify, tree as treeLayout, type HierarchyPointNode } from "d3-hierarchy";
import type { BeamNode } from "../contract";

export interface PlacedNode { node: BeamNode; x: number; y: number; parent: PlacedNode | null; winning: boolean }
export interface PlacedTree { nodes: PlacedNode[]; width: number; height: number }

export const ROW = 30;
export const COLUMN = 142;

/** The nodes that are shown: all, or none that were pruned. */
export function kept(nodes: readonly BeamNode[], path: readonly number[], pruned: boolean): BeamNode[] {
  if (pruned) return [...nodes];
  const on = new Set(path);
  return nodes.filter((node) => node.state !== "pruned" || on.has(node.id));
}

export function placeTree(nodes: readonly BeamNode[], path: readonly number[]): PlacedTree {
  if (nodes.length === 0) return { nodes: [], width: 0, height: 0 };
  const root = stratify<BeamNode>().id((n) => String(n.id)).parentId((n) => (n.parent < 0 ? null : String(n.parent)))([...nodes]);
  const sorted = hierarchy(root, (n) => [...(n.children ?? [])].sort((a, b) => b.data.score - a.data.score));
  const placed = treeLayout<typeof root>().nodeSize([ROW, COLUMN]).separation(() => 1)(sorted);
  const on = new Set(path);
  let [top, bottom, right] = [Infinity, -Infinity, 0];
  placed.each((n) => {
    top = Math.min(top, n.x);
    bottom = Math.max(bottom, n.x);
    right = Math.max(right, n.y);
  });
  const made = new Map<HierarchyPointNode<typeof root>, PlacedNode>();
  placed.each((n) => {
    const node = n.data.data;
    made.set(n, { node, x: n.y + 10, y: n.x - top + ROW, parent: n.parent ? made.get(n.parent)! : null, winning: on.has(node.id) });
  });
  return { nodes: [...made.values()], width: right + COLUMN + 20, height: bottom - top + 2 * ROW };
}

/** How far down to look first: the root is in sight, with as much as possible of the winning path that is no further right than the window. */
export function openingAt(nodes: readonly PlacedNode[], width: number, height: number): number {
  const root = nodes[0]!.y;
  const path = nodes.filter((node) => node.winning && node.x + COLUMN <= width).map((node) => node.y);
  const middle = (Math.min(root, ...path) + Math.max(root, ...path)) / 2;
  return Math.max(0, root + ROW - height, Math.min(root - ROW, middle - height / 2));
}

/** Ids of the tokens that lead to a node, without `<s>` and `</s>`. */
export function idsTo(nodes: readonly BeamNode[], id: number, end = 3): number[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ids: number[] = [];
  for (let node = byId.get(id); node && node.parent >= 0; node = byId.get(node.parent)) ids.unshift(node.token);
  return ids.at(-1) === end ? ids.slice(0, -1) : ids;
}
