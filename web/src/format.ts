// Numbers and words as the page writes them.

export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = value.toFixed(digits);
  return /[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", "");
}

export function signed(value: number | null | undefined, digits = 3): string {
  const text = number(value, digits);
  return typeof value === "number" && value > 0 ? `+${text}` : text;
}

export function percent(probability: number | null, digits = 1): string {
  return probability === null || Number.isNaN(probability) ? "–" : `${(probability * 100).toFixed(digits)}%`;
}

export function probability(logProb: number | null): number | null {
  return logProb === null ? null : Math.exp(logProb);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** A text cut to a number of characters as a person counts them. */
export function short(text: string, most: number): string {
  if (text.length <= most) return text;
  const marks = [...segmenter.segment(text)];
  return marks.length <= most ? text : `${marks.slice(0, most - 1).map((m) => m.segment).join("")}…`;
}

/** A large number in the units of a language: 406.8K, 40.7만. */
export function compact(value: number, lang: string): string {
  return new Intl.NumberFormat(lang, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}
