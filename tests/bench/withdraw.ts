/** `withdraw.accept`: `POST /accounts/withdraw` with signed withdrawals, beside the INSERT and job alone. */
import { safes } from "@cardkeep/db/schema/tables";
import { sql } from "drizzle-orm";
import { randomBytes } from "node:crypto";
import { buildRequest, connections } from "./load.ts";
import type { Benchmark } from "./measure.ts";
import { compare } from "./rounds.ts";
import { type AccountHolder, destination, eure, startTarget, startWorld } from "./world.ts";

const people = 16;
/** A Safe with more open operations than this is no use case; every one of them is read on each request. */
const perPerson = 20;
const path = "/api/v1/accounts/withdraw";

export const withdraw: Benchmark = {
  names: ["withdraw.accept"],
  measure: async (run) => {
    run.tell(`${people} account holders`);
    const { service, databaseUrl, holders, server } = await startWorld({ people });
    const { db } = service.runtime;
    run.tell(`${people * perPerson} signatures`);
    const ofPeople = await Promise.all(holders.map(signWithdrawals));
    // In turns, so that the requests under way are as many people's as there are.
    const requests = Array.from({ length: perPerson }, (_, turn) => ofPeople.map((own) => own[turn] ?? "")).flat();
    const accounts = await db.select().from(safes);
    const raw = await startTarget("raw.ts", {
      DATABASE_URL: databaseUrl,
      ACCOUNTS: JSON.stringify(accounts.map(({ id, userId, delayAddress }) => ({ id, userId, delayAddress }))),
    });
    const build = (name: string, port: number) => ({
      name,
      plan: { port, connections, requests, until: { count: requests.length }, body: null },
      reset: async () => {
        await db.execute(sql`truncate delay_transactions, graphile_worker._private_jobs`);
      },
    });
    const compared = await compare(build("baseline", raw.port), [build("withdraw.accept", server.port)], run);
    run.note(
      "withdraw.accept: the baseline is Bun.serve + postgres.js doing the INSERT and the job in one transaction",
    );
    run.note(
      "withdraw.accept: one recovers a signature, asks the node and runs a dozen statements; by its profile",
    );
    run.note(
      "withdraw.accept: the server's own processor time bounds it: building those statements, then the recovery",
    );
    return compared.targets.map(({ name, figures: { perSecond, ...figures } }) => ({
      name,
      value: perSecond,
      unit: "req/s",
      baseline: compared.baseline.perSecond,
      ...figures,
      target: null,
      met: null,
    }));
  },
};

/** Whole requests of one person, each with a signature of its own. */
async function signWithdrawals({ person, token }: AccountHolder): Promise<string[]> {
  const transfer = { tokenAddress: eure, to: destination, amount: "1" };
  const { body } = await person.call("GET", `/accounts/withdraw/transaction-data?${new URLSearchParams(transfer)}`);
  const requests: string[] = [];
  for (let count = 0; count < perPerson; count++) {
    const message = { ...body.data.message, salt: `0x${randomBytes(32).toString("hex")}` };
    const signature = await person.account.signTypedData({ ...body.data, message });
    requests.push(buildRequest({ method: "POST", path, token, body: { ...transfer, signature, message } }));
  }
  return requests;
}
