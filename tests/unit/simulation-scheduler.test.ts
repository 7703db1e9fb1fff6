import { describe, expect, test } from "bun:test";
import { createScheduler, type Process } from "../simulate/scheduler.ts";
import { createStream } from "../simulate/seededRandom.ts";

/** Some actors with some messages each; answers the order in which they were released. */
async function play(seed: number, { dies, stands }: { dies?: string; stands?: string } = {}): Promise<string[]> {
  const released: string[] = [];
  const outside: Process = { name: "outside", isDead: false };
  const scheduler = createScheduler({
    random: createStream(seed, "schedule"),
    outside,
    hasNativeWork: () => false,
    countLockWaits: async () => 0,
    drawStall: ({ name }) => (name === stands && released.length === 0 ? { steps: 6, ms: 0 } : null),
    onRelease: ({ actor, message }) => released.push(`${actor.name}${message.text}`),
  });
  for (const name of ["a", "b", "c"]) {
    const process = { name, isDead: name === dies };
    const lane = {};
    const pass = (text: string, inLane = false) =>
      scheduler.pass({ kind: "request", text, ...(inLane && { lane }) }, async () => null);
    void scheduler.run({ name, process }, async () => {
      await pass("1");
      await Promise.all([pass("2", true), pass("3", true)]);
      await pass("4");
    });
  }
  await scheduler.settle();
  while (await scheduler.releaseOne()) await scheduler.settle();
  return released;
}

describe("the scheduler of a simulation", () => {
  test("releases all messages in the same order for the same seed, and in another one for another seed", async () => {
    const [first, again, ...others] = await Promise.all([1, 1, 2, 3].map((seed) => play(seed)));
    expect(first).toHaveLength(12);
    expect(again).toEqual(first ?? []);
    expect(others.map((other) => other.toSorted())).toEqual([1, 2].map(() => first?.toSorted() ?? []));
    expect(others).not.toContainEqual(first ?? []);
  });

  test("keeps the order of an actor's steps, and of the messages of one connection", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const released = await play(seed);
      expect(released.filter((each) => each.startsWith("a"))).toEqual(["a1", "a2", "a3", "a4"]);
    }
  });

  test("holds an actor that stands still until so many others were released, or nothing else goes on", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const released = await play(seed, { stands: "b" });
      expect(released).toHaveLength(12);
      expect(released.slice(0, 6).join()).not.toContain("b");
    }
    expect(await play(1, { dies: "a", stands: "b" })).toHaveLength(8);
  });

  test("releases nothing of a dead process", async () => {
    const released = await play(4, { dies: "b" });
    expect(released).toHaveLength(8);
    expect(released.join()).not.toContain("b");
  });
});
