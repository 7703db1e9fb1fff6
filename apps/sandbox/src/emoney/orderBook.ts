/** Stored orders of the institution. A step of one moves tokens on chain and notifies the subscribers. */
import { type Token, tokens } from "@cardkeep/chain/tokens";
import { ibanOrderKinds, ibanOrderStates } from "@cardkeep/contract/users/ibanOrders";
import { address } from "@cardkeep/contract/core/primitives";
import { findEmoneyRecord, putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { parseUnits } from "viem";
import { z } from "zod";
import { burn } from "../burn.ts";
import { faucet } from "../chain.ts";
import { SandboxError } from "../core/route.ts";
import { receiveTransfer } from "../issuer/funding.ts";
import { notify } from "./notify.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** The tokens that the institution issues, by its names of currencies. */
export const issuedTokens = { eur: tokens.EURe, gbp: tokens.GBPe } as const satisfies Record<string, Token>;

const order = z.looseObject({
  id: z.string(),
  kind: z.enum(ibanOrderKinds),
  profile: z.string(),
  address,
  currency: z.enum(["eur", "gbp"]),
  amount: z.string(),
  state: z.enum(ibanOrderStates),
  meta: z.looseObject({ placedAt: z.string() }),
  /** An owner signed it: its tokens are burned when it is processed. */
  isSigned: z.boolean().default(false),
});
export type Order = z.output<typeof order>;

/** An order as the API and its callbacks show it. */
export const showOrder = ({ isSigned: _, ...shown }: Order) => shown;

export const readOrder = (data: unknown): Order => order.parse(data);

async function findOrder(runtime: SandboxRuntime, id: string): Promise<Order | null> {
  const found = await findEmoneyRecord(runtime.store, "order", id);
  return found && readOrder(found.data);
}

export const keepOrder = (runtime: SandboxRuntime, each: Order): Promise<void> =>
  putEmoneyRecord(runtime.store, { kind: "order", id: each.id, profile: each.profile, data: each });

/** The service's clock, which the whole sandbox uses. */
export const readTime = async ({ db, clock }: SandboxRuntime): Promise<string> => (await clock.now(db)).toISOString();

const hasEnded = (state: Order["state"]): boolean => state === "processed" || state === "rejected";

let lastMove: Promise<unknown> = Promise.resolve();

/**
 * Moves an order to a state and notifies the subscribers. Tokens are minted or burned once, when it is processed. An order
 * whose account holds too little is rejected instead. One order moves at a time.
 *
 * @throws SandboxError 404 without such an order, 422 when it has ended
 */
export function moveOrder(runtime: SandboxRuntime, id: string, state: Order["state"]): Promise<Order> {
  const moved = lastMove.then(() => move(runtime, id, state));
  lastMove = moved.catch(() => null);
  return moved;
}

async function move(runtime: SandboxRuntime, id: string, wanted: Order["state"]): Promise<Order> {
  const known = await findOrder(runtime, id);
  if (!known) throw new SandboxError(404, "No such order");
  if (hasEnded(known.state)) throw new SandboxError(422, `The order is already ${known.state}`);
  const transfer = wanted === "processed" ? await transferMoney(runtime, known) : {};
  const state = "rejectedReason" in transfer ? "rejected" : wanted;
  const processedAt = hasEnded(state) ? { processedAt: await readTime(runtime) } : {};
  const moved = { ...known, state, meta: { ...known.meta, ...processedAt, ...transfer } };
  await keepOrder(runtime, moved);
  if (state === "processed" && moved.isSigned) await sendToBank(runtime, moved);
  await notify(runtime, "order.updated", showOrder(moved));
  return moved;
}

const outgoing = z.object({ counterpart: z.object({ identifier: z.looseObject({ iban: z.string().optional() }) }) });
const centsOfUnit = 100;

/** Outgoing money arrives at its bank at once; the issuer's is the one that the sandbox plays. */
async function sendToBank(runtime: SandboxRuntime, { id, amount, ...rest }: Order): Promise<void> {
  const { iban } = outgoing.parse(rest).counterpart.identifier;
  const memo = z.string().nullish().parse(rest["memo"]) ?? "";
  if (iban !== undefined)
    await receiveTransfer(runtime, { name: id, iban, amount: Math.round(Number(amount) * centsOfUnit), memo });
}

/** Mints incoming money and burns outgoing money. Returns the transaction's hash, or the reason of a rejection. */
async function transferMoney(
  runtime: SandboxRuntime,
  { kind, address: account, currency, amount, isSigned }: Order,
): Promise<{ txHashes?: string[]; rejectedReason?: string }> {
  const token = issuedTokens[currency];
  const units = parseUnits(amount, token.decimals);
  if (kind === "issue") {
    const minted = await faucet.run(runtime, { address: account, token: token.symbol, amount: String(units) });
    return { txHashes: [z.object({ transactionHash: z.string() }).parse(minted).transactionHash] };
  }
  if (!isSigned) return {};
  const hash = await burn(runtime, { account, token, amount: units });
  return hash === null ? { rejectedReason: "Insufficient balance" } : { txHashes: [hash] };
}
