// Questions whose newest answer counts: asked once, and dropped when another question was asked meanwhile.
import type { StudioError } from "./api";

export class Latest {
  private asked = "";

  /** Sends `question` unless it is the one that was asked last; what comes back is taken while it is still the last. */
  async ask<A>(question: unknown, send: () => Promise<A>, take: (answer: A) => void, fail: (error: StudioError) => void): Promise<void> {
    const key = JSON.stringify(question);
    if (key === this.asked) return;
    this.asked = key;
    try {
      const answer = await send();
      if (key === this.asked) take(answer);
    } catch (error) {
      if (key === this.asked) fail(error as StudioError);
    }
  }

  /** The next question is asked whatever it is; an answer that is on its way is dropped. */
  forget(): void {
    this.asked = "";
  }
}
