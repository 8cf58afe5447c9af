// Numbers as an exercise writes them: products with their signs, and all digits where they matter.

/** At most `digits` decimals, none that are zero, and a true minus. */
export function plain(value: number, digits = 4): string {
  const text = String(Number(value.toFixed(digits)));
  return (text === "-0" ? "0" : text).replace("-", "−");
}

/** A factor of a product: negative ones stand in brackets. */
export const factor = (value: number): string => (value < 0 ? `(${plain(value)})` : plain(value));

export const product = (...factors: readonly number[]): string => factors.map(factor).join("×");

/** Terms as a sum with their signs: `2 − 35 − 48`. */
export function signedSum(terms: readonly number[]): string {
  return terms.map((term, i) => (i === 0 ? plain(term) : `${term < 0 ? "−" : "+"} ${plain(Math.abs(term))}`)).join(" ");
}

/** Nine digits with an exponent of two places, as NumPy prints them: `2.86251858e-20`. */
export function scientific(value: number): string {
  return value.toExponential(8).replace(/e([+-])(\d)$/, "e$10$2");
}
