// Of several questions only the newest answer counts, and one that nobody waits for is given up.
import { expect, test } from "vitest";
import { Latest } from "../src/latest";

interface Sent {
  signal: AbortSignal;
  answer: (value: string) => void;
  refuse: (error: Error) => void;
}

function asker() {
  const latest = new Latest();
  const [sent, taken, failed]: [Sent[], string[], unknown[]] = [[], [], []];
  const ask = (question: unknown) => latest.ask(question,
    (signal) => new Promise<string>((answer, refuse) => sent.push({ signal, answer, refuse })),
    (answer) => taken.push(answer), (error) => failed.push(error));
  return { latest, ask, sent, taken, failed };
}

test("a question is sent once, and its answer is taken", async () => {
  const { ask, sent, taken } = asker();
  const [first, again] = [ask({ text: "a" }), ask({ text: "a" })];
  sent[0]!.answer("A");
  await Promise.all([first, again]);
  expect([sent.length, taken]).toEqual([1, ["A"]]);
});

test("a new question gives up the one before, whose answer comes too late", async () => {
  const { ask, sent, taken, failed } = asker();
  const [first, second, third] = [ask("a"), ask("b"), ask("c")];
  expect(sent.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  sent[2]!.answer("C");
  sent[0]!.answer("A");
  sent[1]!.refuse(new Error("aborted"));
  await Promise.all([first, second, third]);
  expect([taken, failed]).toEqual([["C"], []]);
});

test("what was forgotten brings no answer, and the same question is sent again", async () => {
  const { latest, ask, sent, taken } = asker();
  const first = ask("a");
  latest.forget();
  expect(sent[0]!.signal.aborted).toBe(true);
  const again = ask("a");
  sent[0]!.answer("old");
  sent[1]!.answer("new");
  await Promise.all([first, again]);
  expect(taken).toEqual(["new"]);
});

test("a refusal is told", async () => {
  const { ask, sent, failed } = asker();
  const asked = ask("a");
  const error = new Error("busy");
  sent[0]!.refuse(error);
  await asked;
  expect(failed).toEqual([error]);
});
