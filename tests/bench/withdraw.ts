/** `withdraw.accept`: `POST /accounts/withdraw` with signed withdrawals, beside the INSERT and job alone. */
import { hashModuleMessage } from "@cardkeep/chain/delay";
import { recoverSigner } from "@cardkeep/chain/signatures";
import { safes } from "@cardkeep/db/schema/tables";
import { sql } from "drizzle-orm";
import { buildRequest, connections } from "./load.ts";
import type { Benchmark } from "./measure.ts";
import { compare } from "./rounds.ts";
import { type AccountHolder, createWithdrawals, eure, startTarget, startWorld } from "./world.ts";

const people = 16;
/** More open operations on one Safe are not realistic; each request reads all of them. */
const perPerson = 20;
/** The target, as a share of one core's rate of signature checks. */
const verifiedShare = 0.5;
const path = "/api/v1/accounts/withdraw";

export const withdraw: Benchmark = {
  names: ["withdraw.accept"],
  measure: async (run) => {
    run.printProgress(`${people} account holders`);
    const { service, databaseUrl, holders, server } = await startWorld({ people });
    const { db } = service.runtime;
    run.printProgress(`${people * perPerson} signatures`);
    const ofPeople = await Promise.all(holders.map(signWithdrawals));
    // In turns, so that requests in flight belong to as many people as possible.
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
      "withdraw.accept: the server's own processor time bounds it; by its profile a fifth hashes the message and recovers its signer, an eighth asks the node two questions, a third is seven round trips to Postgres, the rest HTTP",
    );
    const verified = await measureVerification(ofPeople.flat());
    run.note(`withdraw.accept: one core verifies ${verified.toFixed(0)} signatures a second`);
    return compared.targets.map(({ name, figures: { perSecond, ...figures } }) => ({
      name,
      value: perSecond,
      unit: "req/s",
      baseline: compared.baseline.figures.perSecond,
      ...figures,
      target: `value >= ${verifiedShare} of verification`,
      met: perSecond >= verifiedShare * verified,
    }));
  },
};

/** Whole requests of one person, each with a signature of its own. */
async function signWithdrawals(holder: AccountHolder): Promise<string[]> {
  const sign = await createWithdrawals(holder);
  const bodies = await Promise.all(Array.from({ length: perPerson }, sign));
  return bodies.map((body) => buildRequest({ method: "POST", path, token: holder.token, body }));
}

/** Signatures per second that this core checks like the server, one after the other. */
async function measureVerification(requests: readonly string[]): Promise<number> {
  const signed = requests.map((request) => JSON.parse(request.slice(request.indexOf("\r\n\r\n"))));
  const startedAt = performance.now();
  for (const { message, signature } of signed) {
    const hash = hashModuleMessage({ delay: eure, chainId: 100, data: message.data, salt: message.salt });
    await recoverSigner(hash, signature);
  }
  return (signed.length * 1000) / (performance.now() - startedAt);
}
