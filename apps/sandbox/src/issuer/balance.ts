/**
 * The operator's balance at the issuer, one for each currency.
 *
 * An approval holds a part of it, a capture takes it, a refund gives it back. Empty, the issuer declines before it asks the
 * service. Source: docs.stripe.com/issuing/funding/balance, docs.stripe.com/api/balance_transactions.
 */
import {
  addToIssuerAmount,
  findIssuerObject,
  insertIssuerObject,
  insertIssuerObjectOnce,
  listIssuerObjects,
} from "@cardkeep/db/sandbox/issuerObjects";
import { dayMs } from "@cardkeep/contract/core/durations";
import type { Executor } from "@cardkeep/db/client";
import { z } from "zod";
import type { SandboxRuntime } from "../core/openStore.ts";
import { defineSandboxRoute } from "../core/route.ts";
import {
  buildList,
  createdRange,
  defineIssuerRoute,
  generateIssuerId,
  type IssuerRoute,
  type IssuerWork,
  missing,
  pageOf,
  toUnixSeconds,
} from "./route.ts";

const balanceObject = "account.balance";
/** The kind of object that a movement is. */
export const entryObject = "balance_transaction";
const idOf = (currency: string): string => `balance_${currency.toLowerCase()}`;

/** What was sent to the issuer once in each currency, in minor units: enough for any test that does not look at it. */
const firstAmount = 1_000_000_000;
const amountMax = 1_000_000_000_000;
const monthMs = 30 * dayMs;

/** Why the balance moved, in the issuer's words. */
type EntryType =
  | "issuing_authorization_hold"
  | "issuing_authorization_release"
  | "issuing_transaction"
  | "issuing_dispute"
  | "topup";

interface Entry {
  id?: string;
  type: EntryType;
  /** In minor units; below zero leaves the balance. */
  amount: number;
  currency: string;
  /** The object that moved it; null for a top-up. */
  source: string | null;
  description?: string;
}

const amountData = z.object({ amount: z.number() });

/** The balance in a currency, in minor units, without what is held of it. */
export async function readBalance(on: Executor, currency: string): Promise<number> {
  const row = await findIssuerObject(on, balanceObject, idOf(currency));
  return row === null ? firstAmount : amountData.parse(row.data).amount;
}

/** Writes what moved the balance, and why. */
async function insertEntry({ tx, now }: IssuerWork, { id, amount, currency, ...why }: Entry): Promise<void> {
  const entry = {
    id: id ?? generateIssuerId("txn"),
    object: entryObject,
    amount,
    available_on: toUnixSeconds(now),
    created: toUnixSeconds(now),
    currency: currency.toLowerCase(),
    description: why.description ?? null,
    exchange_rate: null,
    fee: 0,
    fee_details: [],
    net: amount,
    reporting_category: why.type,
    source: why.source,
    status: "available",
    type: why.type,
  };
  await insertIssuerObject(tx, { id: entry.id, object: entryObject, data: entry, hidden: {}, createdAt: now });
}

/** Opens the balance of a currency unless it is open: with a top-up of a month ago, before anything else moved. */
async function openBalance(work: IssuerWork, currency: string): Promise<void> {
  const row = { id: idOf(currency), object: balanceObject, hidden: {}, createdAt: work.now };
  const data = { currency: currency.toLowerCase(), amount: firstAmount };
  if (!(await insertIssuerObjectOnce(work.tx, { ...row, data }))) return;
  const earlier = { ...work, now: new Date(work.now.getTime() - monthMs) };
  await insertEntry(earlier, { type: "topup", amount: firstAmount, currency, source: null });
}

const currencies = ["eur", "gbp", "usd"];

/** Opens those of all cards: what is read of the balance begins with what was sent. */
async function openBalances(work: IssuerWork): Promise<void> {
  for (const currency of currencies) await openBalance(work, currency);
}

/** Adds to the balance of a currency. Answers what it was before. */
async function addToBalance(work: IssuerWork, currency: string, by: number): Promise<number> {
  const sum = await addToIssuerAmount(work.tx, idOf(currency), by);
  if (sum !== null) return sum - by;
  await openBalance(work, currency);
  return addToBalance(work, currency, by);
}

/** Moves the balance, and writes why; an amount of none changes nothing. Call it last: others wait for its row. */
export async function post(work: IssuerWork, entry: Entry): Promise<void> {
  if (entry.amount === 0) return;
  await addToBalance(work, entry.currency, entry.amount);
  await insertEntry(work, entry);
}

/** Holds more of the balance for an authorization, or less: from what it held to what it holds now. */
export const holdChange = (
  work: IssuerWork,
  { id, currency }: { id: string; currency: string },
  [before, after]: readonly [before: number, after: number],
): Promise<void> =>
  post(work, {
    type: after > before ? "issuing_authorization_hold" : "issuing_authorization_release",
    amount: before - after,
    currency,
    source: id,
  });

const entriesShown = 100;
const currencyInput = z
  .string()
  .regex(/^[A-Za-z]{3}$/, "must be an ISO 4217 code")
  .default("EUR");

async function show({ store }: SandboxRuntime, currency: string): Promise<unknown> {
  const rows = await listIssuerObjects(store, {
    object: entryObject,
    part: { currency: currency.toLowerCase() },
    startingAfter: null,
    limit: entriesShown,
  });
  return {
    amount: await readBalance(store, currency),
    currency: currency.toUpperCase(),
    transactions: rows.map(({ id, data, createdAt }) => ({
      id,
      type: data["type"],
      amount: data["amount"],
      source: data["source"],
      createdAt,
    })),
  };
}

export const showBalance = defineSandboxRoute({
  method: "GET",
  path: "/issuer/balance",
  summary: "The operator's balance at the card issuer in minor units, and its last 100 movements, newest first",
  input: z.object({ currency: currencyInput }),
  example: {},
  run: (runtime, { currency }) => show(runtime, currency),
});

export const setBalance = defineSandboxRoute({
  method: "PUT",
  path: "/issuer/balance",
  summary: "Sets the operator's balance at the card issuer, in minor units. Empty, the issuer declines before it asks",
  input: z.object({ amount: z.int().min(0).max(amountMax), currency: currencyInput }),
  example: { amount: 0 },
  run: async (runtime, { amount, currency }) => {
    const now = await runtime.clock.now(runtime.db);
    await runtime.store.transaction(async (tx) => {
      const work = { runtime, tx, now, emit: () => {} };
      // Under the row's lock, so that a movement beside it is not counted twice.
      const before = await addToBalance(work, currency, 0);
      await post(work, { type: "topup", amount: amount - before, currency, source: null });
    });
    return show(runtime, currency);
  },
});

const retrieve = defineIssuerRoute({
  method: "GET",
  path: "/v1/balance",
  input: z.object({}),
  run: async (work) => {
    await openBalances(work);
    const part = { object: balanceObject, part: {}, startingAfter: null, limit: 100 };
    const rows = await listIssuerObjects(work.tx, part);
    const issuing = z.array(amountData.extend({ currency: z.string() })).parse(rows.map(({ data }) => data));
    const none = issuing.map(({ currency }) => ({ amount: 0, currency, source_types: { card: 0 } }));
    return { object: "balance", available: none, issuing: { available: issuing }, livemode: false, pending: none };
  },
});

const listEntries = defineIssuerRoute({
  method: "GET",
  path: "/v1/balance_transactions",
  input: pageOf({ created: createdRange, currency: z.string().optional(), type: z.string().optional() }),
  run: async (work, { created, currency, type, limit, starting_after, ending_before }) => {
    await openBalances(work);
    return buildList("/v1/balance_transactions", { limit, starting_after, ending_before }, (asked) =>
      listIssuerObjects(work.tx, { object: entryObject, part: { currency, type }, ...created, ...asked }),
    );
  },
});

const retrieveEntry = defineIssuerRoute({
  method: "GET",
  path: "/v1/balance_transactions/{id}",
  input: z.object({ id: z.string() }),
  run: async ({ tx }, { id }) => {
    const found = await findIssuerObject(tx, entryObject, id);
    if (!found) throw missing("balance transaction", id);
    return found.data;
  },
});

export const balanceRoutes: readonly IssuerRoute[] = [retrieve, listEntries, retrieveEntry];
