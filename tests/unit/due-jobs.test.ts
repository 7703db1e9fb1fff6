import { expect, test } from "bun:test";
import type { PoolName } from "@cardkeep/db/queue/catalogue";
import type { DuePools } from "@cardkeep/db/queue/due";
import { watchDueJobs } from "@cardkeep/worker/dueJobs";

/** Looks that get the given answers in turn, where 0 is a due job, and then no job within the time that they ask for. */
function startLooks(answers: readonly (number | Error)[]) {
  const rest = [...answers];
  const failures: unknown[] = [];
  const wakes: PoolName[][] = [];
  const looks: PromiseWithResolvers<void>[] = answers.map(() => Promise.withResolvers<void>());
  const due = watchDueJobs({
    readDue: async (withinMs) => {
      looks[answers.length - rest.length]?.resolve();
      const answer = rest.shift() ?? withinMs;
      if (answer instanceof Error) throw answer;
      return answer === 0 ? { nextMs: withinMs, pools: new Set(["relay"]) } : { nextMs: answer, pools: new Set() };
    },
    wake: (pools) => wakes.push([...pools]),
    onFailure: (error) => failures.push(error),
  });
  return { due, looked: (count: number) => looks[count - 1]?.promise, failures, countWakes: () => wakes.length, wakes };
}

test("the pools of due jobs alone are woken when the time of one has come, and again while one is due", async () => {
  const { due, looked, wakes } = startLooks([3, 0, 0, 1_000]);
  await looked(4);
  await due.stop();
  expect(wakes).toEqual([["relay"], ["relay"]]);
});

test("a note is followed by a look, so a job that is added meanwhile is found before the next look's time", async () => {
  const { due, looked, countWakes } = startLooks([1_000, 0, 1_000]);
  await looked(1);
  for (let count = 0; count < 100; count++) due.note("added");
  await looked(2);
  await due.stop();
  expect(countWakes()).toBe(1);
});

test("a note during a look is not lost", async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<DuePools>();
  const again = Promise.withResolvers<void>();
  let looks = 0;
  const due = watchDueJobs({
    readDue: (withinMs) => {
      looks += 1;
      if (looks > 1) again.resolve();
      else asked.resolve();
      return looks === 1 ? answered.promise : Promise.resolve({ nextMs: withinMs, pools: new Set() });
    },
    wake: () => {},
    onFailure: () => {},
  });
  await asked.promise;
  due.note("ended");
  answered.resolve({ nextMs: 60_000, pools: new Set() });
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
  due.note("ended");
  await Bun.sleep(0);
  expect(countWakes()).toBe(before);
});
