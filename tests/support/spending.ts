/** Helpers for tests of card money: people with a card and money, a till, and a wait until all is settled. */
import { type TokenSymbol, tokens } from "@cardkeep/chain/tokens";
import { sql } from "drizzle-orm";
import { numberToHex } from "viem";
import { becomeEligible, createVirtual } from "./cards.ts";
import { openNode } from "./node.ts";
import { Person } from "./person.ts";
import { until } from "./poll.ts";
import type { RunningService } from "./service.ts";

/** A euro in EURe's base units. */
export const euro = 10n ** 18n;
/** A cent in EURe's base units. */
export const cent = 10n ** 16n;
/**
 * How long the issuer waits for a decision before it decides itself
 * (docs.stripe.com/issuing/controls/real-time-authorizations).
 */
export const issuerMsMax = 2_000;

export interface CardHolder {
  person: Person;
  safe: string;
  cardToken: string;
}

/** A person with a Safe, this much money in it, and a virtual card. */
export async function becomeCardHolder(
  service: Person["service"],
  amount = 100n * euro,
  { country = "DE", token = "EURe" }: { country?: string; token?: TokenSymbol } = {},
): Promise<CardHolder> {
  const person = await becomeEligible(new Person(service), country === "DE" ? {} : { country });
  const { address: safe } = (await person.call("GET", "/safe/config")).body;
  if (amount > 0n) await give(person, safe, amount, token);
  const cardId = await createVirtual(person);
  const cards: { id: string; cardToken: string }[] = (await person.call("GET", "/cards")).body;
  const cardToken = cards.find(({ id }) => id === cardId)?.cardToken;
  if (cardToken === undefined) throw new Error("The card is not in the list");
  return { person, safe, cardToken };
}

/** Money arrives at an address. */
export async function give(
  person: Person,
  address: string,
  amount: bigint,
  token: TokenSymbol = "EURe",
): Promise<void> {
  const answer = await person.sandbox("POST", "/chain/faucet", { address, token, amount: String(amount) });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

/**
 * Sets an address' balance of EURe, against the token's own rules, in a block of its own: the service reads an account once per
 * block, and would show the balance of before until the next one.
 */
export async function setHolding({ rpcUrl }: RunningService, address: string, amount: bigint): Promise<void> {
  const { client } = openNode(rpcUrl);
  const params = [address, tokens.EURe.address, numberToHex(amount)];
  await client.request({ method: "anvil_dealERC20", params } as never);
  await client.mine({ blocks: 1 });
}

/** Whether a decision was made in time. */
export const isInTime = ({ reason }: { reason: string }): boolean => reason !== "unavailable";

/**
 * Uses a card. It repeats the use if a busy machine was too slow to decide in time and the use left no trace; amounts
 * in cents.
 */
export async function use(...[holder, amount, fields]: Parameters<typeof useOnce>): ReturnType<typeof useOnce> {
  for (let triesLeft = 20; ; triesLeft--) {
    const used = await useOnce(holder, amount, fields);
    if (isInTime(used) || triesLeft === 0) return used;
    // A late approval is held nevertheless, until the issuer reports that it had declined.
    await until(async () => {
      const { results } = await historyOf(holder);
      return results.some(
        ({ threadId, status }: Record<string, unknown>) => threadId === used.threadId && status !== "Approved",
      );
    });
  }
}

/** Uses a card once, with any result. */
export async function useOnce(
  { person, cardToken }: CardHolder,
  amount: number,
  fields: Record<string, unknown> = {},
): Promise<{ approved: boolean; reason: string; threadId: string; amount: number }> {
  const { status, body } = await person.sandbox("POST", `/issuer/cards/${cardToken}/authorizations`, {
    amount,
    currency: "EUR",
    ...fields,
  });
  if (status !== 200) throw new Error(`authorizations: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** A later step of a use. */
export async function follow(
  { person }: CardHolder,
  threadId: string,
  what:
    | ("clear" | "reverse" | "refund" | "expire" | "increment")
    | ("take-back" | "return-capture" | "close" | "transactions"),
  fields: Record<string, unknown> = {},
): Promise<void> {
  const { status, body } = await person.sandbox("POST", `/issuer/authorizations/${threadId}/${what}`, fields);
  if (status !== 200) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
}

/** Asks for more on an open authorization; answers by how many cents it grew. */
export async function raise({ person }: CardHolder, threadId: string, amount: number): Promise<number> {
  const { status, body } = await person.sandbox("POST", `/issuer/authorizations/${threadId}/increment`, { amount });
  if (status !== 200) throw new Error(`increment: ${status} ${JSON.stringify(body)}`);
  return body.approved ? amount : 0;
}

/** Waits until no transfer is open and no job of card money is left but those that only look again after minutes. */
export async function untilSettled({ runtime }: RunningService, timeoutMs = 45_000): Promise<void> {
  await until(
    async () => {
      const [row] = await runtime.db.execute<{ open: number }>(sql`
        select ((select count(*) from card_transfers where status in ('PLANNED', 'SIGNED'))
          + (select count(*) from graphile_worker.jobs where task_identifier = 'card.transfer'
            or (task_identifier = 'card.settle' and run_at <= now() + interval '2 minutes')
            or (task_identifier = 'card.collect' and run_at <= now())))::int as open`);
      return row?.open === 0;
    },
    { timeoutMs },
  );
}

export async function balancesOf({
  person,
}: CardHolder): Promise<{ total: bigint; spendable: bigint; pending: bigint }> {
  const { status, body } = await person.ask("GET", "/account-balances");
  if (status !== 200) throw new Error(`account-balances: ${status} ${JSON.stringify(body)}`);
  return { total: BigInt(body.total), spendable: BigInt(body.spendable), pending: BigInt(body.pending) };
}

/** The user's card history, newest first. */
export async function historyOf({ person }: CardHolder, query = "") {
  const { status, body } = await person.call("GET", `/cards/transactions${query}`);
  if (status !== 200) throw new Error(`cards/transactions: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** A call to the issuer's own API: a test helper by its short name, or a path; GET without fields. */
export async function atIssuer(
  { sandboxUrl, runtime }: RunningService,
  path: string,
  fields: Record<string, string> | null,
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads any answer of the issuer
): Promise<any> {
  const url = path.startsWith("/") ? path : `/v1/test_helpers/issuing/${path}`;
  const response = await fetch(`${sandboxUrl}${url}`, {
    method: fields === null ? "GET" : "POST",
    headers: { Authorization: `Bearer ${runtime.settings.issuer.apiKey}` },
    ...(fields !== null && { body: new URLSearchParams(fields) }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

/** The status that the issuer has of a card's holder. */
export const statusAtIssuer = async ({ person, cardToken }: CardHolder): Promise<string> =>
  (await person.sandbox("GET", `/issuer/cards/${cardToken}`)).body.cardholder.status;
