/** `withdraw.accept`: `POST /accounts/withdraw` with signed withdrawals, beside a check of the signature, the INSERT and the job alone. */
import { safes } from "@cardkeep/db/schema/tables";
import { planConnections } from "@cardkeep/runtime/settings/connections";
import { sql } from "drizzle-orm";
import { buildRequest, connections } from "./load.ts";
import { type Benchmark, median } from "./measure.ts";
import { findPostgresClock, joinClocks } from "./processorTime.ts";
import { compare, type Measured } from "./rounds.ts";
import { type AccountHolder, createWithdrawals, type Listening, startTarget, startWorld } from "./world.ts";

const people = 16;
/** More open operations on one Safe are not realistic; each request reads all of them. */
const perPerson = 20;
const ratioMin = 0.5;
const path = "/api/v1/accounts/withdraw";

export const withdraw: Benchmark = {
  names: ["withdraw.accept"],
  measure: async (run) => {
    run.printProgress(`${people} account holders`);
    const { service, databaseUrl, holders, server } = await startWorld({ people });
    // The service's role may not truncate.
    const db = service.ownerDb;
    run.printProgress(`${people * perPerson} signatures`);
    const ofPeople = await Promise.all(holders.map(signWithdrawals));
    // In turns, so that requests in flight belong to as many people as possible.
    const requests = Array.from({ length: perPerson }, (_, turn) => ofPeople.map((own) => own[turn] ?? "")).flat();
    const accounts = await db.select().from(safes);
    const raw = await startTarget("raw.ts", {
      DATABASE_URL: databaseUrl,
      CONNECTIONS: String(planConnections("server", null).general),
      ACCOUNTS: JSON.stringify(accounts.map(({ id, userId, delayAddress }) => ({ id, userId, delayAddress }))),
    });
    const readPostgres = await findPostgresClock(databaseUrl);
    const build = (name: string, { port, pid }: Listening) => ({
      name,
      clock: readPostgres && joinClocks(pid, readPostgres),
      plan: { port, connections, requests, until: { count: requests.length }, body: null },
      reset: async () => {
        await db.execute(sql`truncate delay_transactions, graphile_worker._private_jobs`);
      },
    });
    const compared = await compare(build("baseline", raw), [build("withdraw.accept", server)], run);
    run.note(
      "withdraw.accept: the baseline is Bun.serve + postgres.js doing the check of the signature, and the INSERT and the job in one transaction, on as many connections",
    );
    run.note(`withdraw.accept: the baseline takes ${describeProcessor(compared.baseline.processor)}`);
    return compared.targets.map(({ name, figures: { perSecond, ...figures }, processor }) => {
      run.note(`${name}: an accepted withdrawal takes ${describeProcessor(processor)}`);
      return {
        name,
        value: perSecond,
        unit: "req/s",
        baseline: compared.baseline.figures.perSecond,
        ...figures,
        target: `ratio >= ${ratioMin}`,
        met: figures.ratio >= ratioMin,
      };
    });
  },
};

/** The processor time of a request, which a busy machine changes less than its rate. */
function describeProcessor(rounds: Measured["processor"]): string {
  if (rounds.length === 0) return "an unknown time, because Postgres runs elsewhere or the machine has no /proc";
  const [server, postgres] = [median(rounds.map((time) => time.server)), median(rounds.map((time) => time.postgres))];
  return `${server.toFixed(2)} ms of the processor for the server and ${postgres.toFixed(2)} ms for Postgres, without the node`;
}

/** Whole requests of one person, each with a signature of its own. */
async function signWithdrawals(holder: AccountHolder): Promise<string[]> {
  const sign = await createWithdrawals(holder);
  const bodies = await Promise.all(Array.from({ length: perPerson }, sign));
  return bodies.map((body) => buildRequest({ method: "POST", path, token: holder.token, body }));
}
