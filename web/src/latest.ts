// Questions whose newest answer counts: asked once, and given up when another question is asked meanwhile.
import type { StudioError } from "./api";

export class Latest {
  private asked = "";
  private asking: AbortController | null = null;

  /** Sends `question` unless it is the one that was asked last, which gives up the one before; its answer is taken while it is still the last. */
  async ask<A>(question: unknown, send: (signal: AbortSignal) => Promise<A>, take: (answer: A) => void, fail: (error: StudioError) => void): Promise<void> {
    const key = JSON.stringify(question);
    if (key === this.asked) return;
    this.forget();
    this.asked = key;
    const { signal } = (this.asking = new AbortController());
    try {
      const answer = await send(signal);
      if (!signal.aborted) take(answer);
    } catch (error) {
      if (!signal.aborted) fail(error as StudioError);
    }
  }

  /** The next question is asked whatever it is; one that is on its way is given up. */
  forget(): void {
    this.asked = "";
    this.asking?.abort();
  }
}
