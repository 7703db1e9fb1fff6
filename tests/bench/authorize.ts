/**
 * `authorize.decide`, `authorize.single` and `authorize.cpu`: an issuer's signed request for an authorization, beside the bare
 * SELECTs of its decision.
 */
import type { Db } from "@cardkeep/db/client";
import { sql } from "drizzle-orm";
import { createHmac, randomBytes } from "node:crypto";
import { createVirtual } from "../support/cards.ts";
import { answerSourceOfFunds, validatePhone } from "../support/orders.ts";
import { until } from "../support/poll.ts";
import { production } from "../support/production.ts";
import { connections, runLoad } from "./load.ts";
import { type Benchmark, type Measure, median, type Run } from "./measure.ts";
import { findPostgresClock, joinClocks, type ProcessorTime } from "./processorTime.ts";
import { compare, type Measured } from "./rounds.ts";
import { type AccountHolder, type Listening, startTarget, startWorld } from "./world.ts";

/** Owners of a card. */
export const people = 16;
/** A cent each, of a balance of one euro. */
const perPerson = 20;
/** In milliseconds, on a quiet machine; we promise the issuer half a second. */
const p99Max = 200;
/** In milliseconds, on a quiet machine: the median of decisions of which each waits for the one before. */
const singleP50Max = 25;
/** A round of the baseline takes so many times as many requests: `/proc` counts in hundredths of a second. */
const lightTimes = 10;
/** Processor time of a decision over that of its SELECTs: two thirds of what it was in November 2026. */
const cpuRatioMax = 12;
export const path = "/callbacks/stripe";
const forget = sql`truncate card_payments, card_threads, card_debts, card_clearings, card_transfers, live_transfers, card_disputes, ledger_entries, events, graphile_worker._private_jobs cascade`;

/** The service's role may not truncate, and triggers keep the owner from truncating what has to stay. */
export const forgetDecisions = (db: Db): Promise<boolean> =>
  db.transaction(async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(forget);
    return true;
  });

export const authorize: Benchmark = {
  names: ["authorize.decide", "authorize.single", "authorize.cpu"],
  measure: async (run) => {
    run.printProgress(`${people} people with a card`);
    const { service, databaseUrl, holders, server } = await startWorld({
      people,
      prepare: prepareCardOwner,
    });
    const db = service.ownerDb;
    const cardTokens = await Promise.all(
      holders.map(async ({ person }): Promise<string> => (await person.call("GET", "/cards")).body[0].cardToken),
    );
    // In turns, so that requests in flight belong to as many people as possible.
    const requests = Array.from({ length: perPerson }, () => cardTokens.map(buildCallback)).flat();
    const decided = { all: 0, approved: 0 };
    const count = async () => {
      const [row] = await db.execute<{ all: number; approved: number }>(
        sql`select count(*)::int as all, count(*) filter (where status = 'AUTHORIZED')::int as approved from card_payments`,
      );
      decided.all += row?.all ?? 0;
      decided.approved += row?.approved ?? 0;
    };
    const raw = await startTarget("raw.ts", { DATABASE_URL: databaseUrl });
    const readPostgres = await findPostgresClock(databaseUrl);
    const build = (name: string, { port, pid }: Listening) => ({
      name,
      clock: readPostgres && joinClocks(pid, readPostgres),
      plan: {
        port,
        connections,
        requests,
        until: { count: requests.length * (server.pid === pid ? 1 : lightTimes) },
        body: null,
      },
      reset: async () => {
        await count();
        // A decision that missed its time limit may still be rolling back.
        await until(() => forgetDecisions(db).then(Boolean, () => false));
      },
    });
    const decide = build("authorize.decide", server);
    const compared = await compare(build("baseline", raw), [decide], run);
    await decide.reset();
    const single = await runLoad({ ...decide.plan, connections: 1 });
    await count();
    run.note("authorize.decide: the baseline is Bun.serve + postgres.js doing the six SELECTs of a decision");
    run.note(
      `authorize.decide: ${decided.approved} of ${decided.all} decisions were approvals; one verifies a signature, asks the node once, and writes payment, hold, booking, job and event`,
    );
    return compared.targets.flatMap(({ name, figures: { perSecond, ...figures }, processor }) => [
      {
        name,
        value: perSecond,
        unit: "decisions/s",
        baseline: compared.baseline.figures.perSecond,
        ...figures,
        target: `p99 <= ${p99Max} ms`,
        met: figures.p99 <= p99Max,
      },
      {
        name: "authorize.single",
        ratio: null,
        value: single.count / single.seconds,
        unit: "decisions/s",
        baseline: null,
        p50: single.p50Ms,
        p99: single.p99Ms,
        spread: [single.count / single.seconds, single.count / single.seconds],
        target: `p50 <= ${singleP50Max} ms`,
        met: single.p50Ms <= singleP50Max,
      },
      summarizeProcessor(run, compared.baseline.processor, processor),
    ]);
  },
};

/** Processor time of server and Postgres for one decision; without a result where the machine does not tell it. */
function summarizeProcessor({ note }: Run, baseline: Measured["processor"], processor: Measured["processor"]): Measure {
  const sum = (time: ProcessorTime) => time.server + time.postgres;
  const ratios = processor.flatMap((time, round) => (baseline[round] ? sum(time) / sum(baseline[round]) : []));
  const [ratio, value] = [median(ratios), median(processor.map(sum))];
  const isKnown = ratios.length > 0;
  const [server, ofPostgres] = [
    median(processor.map((time) => time.server)),
    median(processor.map((time) => time.postgres)),
  ];
  note(
    isKnown
      ? `authorize.cpu: a decision takes ${server.toFixed(2)} ms of the server and ${ofPostgres.toFixed(2)} ms of Postgres, without the node`
      : "authorize.cpu: no result, because Postgres runs elsewhere or the machine has no /proc",
  );
  return {
    name: "authorize.cpu",
    ratio: isKnown ? ratio : null,
    value,
    unit: "ms",
    baseline: isKnown ? median(baseline.map(sum)) : null,
    spread: isKnown ? [Math.min(...ratios), Math.max(...ratios)] : [Number.NaN, Number.NaN],
    target: `ratio <= ${cpuRatioMax}`,
    met: isKnown ? ratio <= cpuRatioMax : null,
  };
}

/** Gives a person a card. */
export async function prepareCardOwner({ person }: AccountHolder): Promise<void> {
  await validatePhone(person);
  await answerSourceOfFunds(person);
  await person.acceptTerms();
  await createVirtual(person);
}

/** A whole request of the issuer about a used card. */
export function buildCallback(cardToken: string): string {
  const { body, signature } = signCallback(cardToken);
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Stripe-Signature: ${signature}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** The body of such a request, and the issuer's signature of it. */
export function signCallback(cardToken: string): { body: string; signature: string } {
  const seconds = Math.floor(Date.now() / 1000);
  const money = { amount: 1, currency: "eur", merchant_amount: 1, merchant_currency: "eur" };
  const object = {
    id: `iauth_${randomBytes(12).toString("hex")}`,
    object: "issuing.authorization",
    ...money,
    amount: 0,
    approved: false,
    status: "pending",
    card: { id: cardToken },
    merchant_data: { category_code: "5411", name: "Corner Shop", city: "Berlin", country: "DE" },
    metadata: {},
    pending_request: money,
    request_history: [],
    transactions: [],
    verification_data: { cvc_check: "match" },
  };
  const body = JSON.stringify({
    id: `evt_${randomBytes(12).toString("hex")}`,
    object: "event",
    created: seconds,
    data: { object },
    livemode: true,
    type: "issuing_authorization.request",
  });
  const [secret = ""] = (production["CARD_ISSUER_CALLBACK_SECRETS"] ?? "").split(",");
  const signature = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return { body, signature: `t=${seconds},v1=${signature}` };
}
