// What a saved file says of where it comes from.
import type { Reading, RunRef } from "./contract";

/** The run (null where no model is involved), the sentence and its translation. */
export interface About { run: RunRef | null; text: string; target: string }

export function aboutReading(reading: Reading): About {
  return { run: reading.run, text: reading.source.text, target: reading.target.text };
}
