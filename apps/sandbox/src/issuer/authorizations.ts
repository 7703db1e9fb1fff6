/**
 * Card money at the issuer: authorizations and transactions, in the form of its API.
 *
 * Source: docs.stripe.com/api/issuing, and the issuer's guides for authorizations and transactions.
 */
import type { Executor, Tx } from "@cardkeep/db/client";
import {
  findIssuerObject,
  insertIssuerObject,
  listIssuerObjects,
  lockIssuerObject,
} from "@cardkeep/db/sandbox/issuerObjects";
import { categoryOf } from "@cardkeep/providers/issuer/merchantCategories";
import { z } from "zod";
import { post } from "./balance.ts";
import { deliverIssuerEvent } from "./events.ts";
import { generateIssuerId, type IssuerEvent, type IssuerWork, toUnixSeconds } from "./route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** An object of the issuer's API, field by field as on the wire. */
export type IssuerData = Record<string, unknown>;

export const authorizationObject = "issuing.authorization";
export const transactionObject = "issuing.transaction";

/** The merchant of a payment. */
export interface MerchantInput {
  name: string;
  city: string;
  country: string;
  mcc: string;
}

/** A merchant of the sandbox has an id of the network by its name: ten digits, always the same ones. */
const networkIdOf = (name: string): string =>
  (Bun.hash(name.toLowerCase()) % 10_000_000_000n).toString().padStart(10, "0");

/** The merchant in the issuer's form. */
export const buildMerchantData = ({ name, city, country, mcc }: MerchantInput): IssuerData => ({
  category: categoryOf(mcc),
  category_code: mcc,
  name,
  city,
  country,
  network_id: networkIdOf(name),
  postal_code: null,
  state: null,
  tax_id: null,
  terminal_id: "99999999",
  url: null,
});

/** The fields of an authorization that later steps depend on. All other fields are kept unchanged. */
const authorizationData = z
  .object({
    id: z.string(),
    amount: z.number(),
    merchant_amount: z.number(),
    approved: z.boolean(),
    status: z.enum(["pending", "closed", "reversed", "expired"]),
    currency: z.string(),
    merchant_currency: z.string(),
    card: z.object({ id: z.string() }).loose(),
    cardholder: z.unknown(),
    merchant_data: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.string()),
  })
  .loose();
export type AuthorizationData = z.output<typeof authorizationData>;

const transactionData = z
  .object({ id: z.string(), type: z.string(), amount: z.number(), merchant_amount: z.number() })
  .loose();
export type TransactionData = z.output<typeof transactionData>;

/** An authorization without its transactions; null for an unknown one. */
export async function findAuthorization(on: Executor, id: string): Promise<AuthorizationData | null> {
  const row = await findIssuerObject(on, authorizationObject, id);
  return row && authorizationData.parse(row.data);
}

/** The same, with its row locked. */
export async function lockAuthorization(tx: Tx, id: string): Promise<AuthorizationData | null> {
  const row = await lockIssuerObject(tx, authorizationObject, id);
  return row && authorizationData.parse(row.data);
}

const transactionsMax = 100;

/** The transactions of an authorization, oldest first. */
export async function listTransactionsOf(on: Executor, authorizationId: string): Promise<TransactionData[]> {
  const part = { authorization: authorizationId };
  const page = { startingAfter: null, limit: transactionsMax };
  const rows = await listIssuerObjects(on, { object: transactionObject, part, ...page });
  return rows.map(({ data }) => transactionData.parse(data)).reverse();
}

/** An authorization in the form of the API. */
export const showAuthorization = async (on: Executor, authorization: AuthorizationData): Promise<IssuerData> => ({
  ...authorization,
  transactions: await listTransactionsOf(on, authorization.id),
});

/** What transactions of one type come to, without what was taken back of them, in minor units. */
export const sumOf = (transactions: readonly TransactionData[], type: "capture" | "refund"): number =>
  transactions.reduce(
    (sum, one) => (one.type === type ? sum + (type === "capture" ? -one.amount : one.amount) : sum),
    0,
  );

const cardholderReference = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);

/** The id of a card's cardholder. Authorizations and transactions contain the id, cards the whole object. */
export const findCardholderId = (cardholder: unknown): string | null =>
  cardholderReference.safeParse(cardholder).data ?? null;

/** A capture or a refund, of an authorization or without one. Amounts below zero leave the card. */
export interface NewTransaction {
  type: string;
  amount: number;
  merchantAmount: number;
  currency: string;
  merchantCurrency: string;
  card: string;
  cardholder: unknown;
  merchantData: IssuerData;
  metadata: Record<string, string>;
  authorization: string | null;
  amountDetails?: unknown;
  /** The network's id for it; by default one of its own. */
  reference?: string | undefined;
}

/** Fifteen digits, as a network names what it clears. */
const generateReference = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(15)), (byte) => byte % 10).join("");

/** Writes a transaction and emits its event. */
export async function insertTransaction(work: IssuerWork, input: NewTransaction): Promise<TransactionData> {
  const { tx, now } = work;
  const id = generateIssuerId("ipi");
  const balanceTransaction = generateIssuerId("txn");
  const data = {
    id,
    object: transactionObject,
    amount: input.amount,
    amount_details: input.amountDetails ?? null,
    authorization: input.authorization,
    balance_transaction: balanceTransaction,
    card: input.card,
    cardholder: findCardholderId(input.cardholder),
    created: toUnixSeconds(now),
    currency: input.currency,
    dispute: null,
    livemode: false,
    merchant_amount: input.merchantAmount,
    merchant_currency: input.merchantCurrency,
    merchant_data: input.merchantData,
    metadata: input.metadata,
    network_data: {
      authorization_code: null,
      processing_date: now.toISOString().slice(0, 10),
      transaction_id: input.reference ?? generateReference(),
    },
    token: null,
    type: input.type,
    wallet: null,
  };
  await insertIssuerObject(tx, { id, object: transactionObject, data, hidden: {}, createdAt: now });
  const { amount, currency } = input;
  await post(work, { id: balanceTransaction, type: "issuing_transaction", amount, currency, source: id });
  work.emit({ type: "issuing_transaction.created", object: data });
  return data;
}

/** Acts at the issuer without a request to its API. Delivers the events after the commit. */
export async function actAtIssuer<T>(runtime: SandboxRuntime, act: (work: IssuerWork) => Promise<T>): Promise<T> {
  const events: IssuerEvent[] = [];
  const now = await runtime.clock.now(runtime.db);
  const emit = (event: IssuerEvent) => void events.push(event);
  const outcome = await runtime.store.transaction((tx) => act({ runtime, tx, now, emit }));
  for (const event of events) await deliverIssuerEvent(runtime, event);
  return outcome;
}
