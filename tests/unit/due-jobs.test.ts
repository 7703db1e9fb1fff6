import { expect, test } from "bun:test";
import { watchDueJobs } from "@cardkeep/worker/dueJobs";

/** Looks that get the given answers in turn, and then no job within the time that they ask for. */
function startLooks(answers: readonly (number | Error)[]) {
  const rest = [...answers];
  const failures: unknown[] = [];
  let wakes = 0;
  const looks: PromiseWithResolvers<void>[] = answers.map(() => Promise.withResolvers<void>());
  const due = watchDueJobs({
    readNextDueMs: async (withinMs) => {
      looks[answers.length - rest.length]?.resolve();
      const answer = rest.shift() ?? withinMs;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    wake: () => (wakes += 1),
    onFailure: (error) => failures.push(error),
  });
  return { due, looked: (count: number) => looks[count - 1]?.promise, failures, countWakes: () => wakes };
}

test("pools are woken when the time of a job has come, and again while one is due", async () => {
  const { due, looked, countWakes } = startLooks([3, 0, 0, 1_000]);
  await looked(4);
  await due.stop();
  expect(countWakes()).toBe(2);
});

test("a note is followed by a look, so a job that is added meanwhile is found before the next look's time", async () => {
  const { due, looked, countWakes } = startLooks([1_000, 0, 1_000]);
  await looked(1);
  for (let count = 0; count < 100; count++) due.note();
  await looked(2);
  await due.stop();
  expect(countWakes()).toBe(1);
});

test("a note during a look is not lost", async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<number>();
  const again = Promise.withResolvers<void>();
  let looks = 0;
  const due = watchDueJobs({
    readNextDueMs: (withinMs) => {
      looks += 1;
      if (looks > 1) again.resolve();
      else asked.resolve();
      return looks === 1 ? answered.promise : Promise.resolve(withinMs);
    },
    wake: () => {},
    onFailure: () => {},
  });
  await asked.promise;
  due.note();
  answered.resolve(60_000);
  await again.promise;
  await due.stop();
  expect(looks).toBe(2);
});

test("a look that fails is reported, and another one follows", async () => {
  const { due, looked, failures, countWakes } = startLooks([new Error("away"), 0, 1_000]);
  await looked(3);
  await due.stop();
  expect(failures).toEqual([new Error("away")]);
  expect(countWakes()).toBe(1);
});

test("no look comes after a stop", async () => {
  const { due, looked, countWakes } = startLooks([0, 0, 0]);
  await looked(1);
  await due.stop();
  const before = countWakes();
  due.note();
  await Bun.sleep(0);
  expect(countWakes()).toBe(before);
});
