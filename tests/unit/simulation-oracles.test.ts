import { expect, test } from "bun:test";
import { listAddedJobs } from "../simulate/oracles/lostJobs.ts";
import type { Reign } from "../simulate/oracles/oracles.ts";
import { findUnnoticed } from "../simulate/oracles/spoilEach.ts";

/** A world of which these oracles read only what was said so far. */
const given = { world: { broken: new Set<string>() } } as Partial<Reign> as Reign;

test("an oracle that always passes is noticed, and one that speaks before its invariant is broken", async () => {
  const broken: string[] = [];
  const seen: string[] = [];
  const unnoticed = await findUnnoticed(
    {
      oracles: {
        postings: async () => [...broken],
        sequences: async () => [],
        losses: async () => ["somebody lost"],
      },
      spoils: {
        postings: async () => void broken.push("a posting is uneven"),
        sequences: async () => {},
        losses: async () => {},
        deadlocks: async () => void given.world.broken.add("deadlocks: a job"),
        rest: async () => {
          throw new Error("rest: it is not over");
        },
        answers: async () => {},
      },
      ask: (oracle) => oracle(given),
      note: (text) => void seen.push(text),
    },
    given,
  );
  expect(unnoticed).toEqual(
    ["sequences", "losses", "answers"].map((name) => `the oracle of ${name} says nothing of what it is for`),
  );
  expect(seen).toHaveLength(6);
});

test("the jobs that a search added are read from its answer, without those that it begins by itself", () => {
  const row = (key: string) => ({
    add_job: `(117,,4,"{""id"" : ""7""}",0,"2031-03-10 15:00:06+00",0,25,,${key},,,0,,t)`,
  });
  const search = "with open_work(task, subject, payload) as (select) select add_job";
  const rows = [row("relay.confirm:01c1-93"), row("card.settle:iauth_1"), row("safe.deploy:0x12")];
  expect(listAddedJobs(search, rows)).toEqual(["relay.confirm:01c1-93", "safe.deploy:0x12"]);
  expect(listAddedJobs("select 1", rows)).toEqual([]);
});
