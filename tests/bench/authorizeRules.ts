/** `authorize.rules`: decisions beside a million past payments, with fifty active rules and without any. */
import { sql } from "drizzle-orm";
import { buildCallback, people, prepareCardOwner } from "./authorize.ts";
import { addPastPayments, addRules, type CardOwner, resetDecisions } from "./cardRules.ts";
import { fill } from "./fill.ts";
import { connections } from "./load.ts";
import type { Benchmark } from "./measure.ts";
import { compare } from "./rounds.ts";
import { startWorld } from "./world.ts";

/** The million of payments, of people who use no card during the benchmark. */
const sizes = { users: 10_000, operations: 1_000, deliveries: 1_000, payments: 1_000_000, jobs: 1_000 };
const perPerson = 20;
/** Of the p99 with rules over the p99 without. */
const ratioMax = 1.2;

export const authorizeRules: Benchmark = {
  names: ["authorize.rules"],
  measure: async (run) => {
    run.printProgress(`${people} people with a card`);
    const { service, databaseUrl, server } = await startWorld({ people, prepare: prepareCardOwner });
    run.printProgress(`authorize.rules: ${sizes.payments} past payments`);
    const { db } = service.runtime;
    const owners = await db.execute<CardOwner & { cardToken: string } & Record<string, unknown>>(
      sql`select user_id as "userId", safe_id as "safeId", id as "cardId", card_token as "cardToken" from cards`,
    );
    await fill(databaseUrl, sizes);
    await addPastPayments(databaseUrl, owners);
    await addRules(databaseUrl, owners);
    const since = new Date();
    const requests = Array.from({ length: perPerson }, () =>
      owners.map(({ cardToken }) => buildCallback(cardToken)),
    ).flat();
    const build = (name: string, areRulesActive: boolean) => ({
      name,
      plan: { port: server.port, connections, requests, until: { count: requests.length }, body: null },
      reset: () => resetDecisions(databaseUrl, since, areRulesActive),
    });
    const { baseline, targets } = await compare(build("without rules", false), [build("authorize.rules", true)], run);
    return targets.map(({ name, figures }) => {
      const ratio = figures.p99 / baseline.figures.p99;
      return {
        name,
        ratio,
        value: figures.p99,
        unit: "ms",
        baseline: baseline.figures.p99,
        spread: [ratio, ratio],
        target: `ratio <= ${ratioMax}`,
        met: ratio <= ratioMax,
      };
    });
  },
};
