/** The names that are filled into a text, in the order of the alphabet. */
export const holes = (text: string) => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((found) => found[1]))].sort();
