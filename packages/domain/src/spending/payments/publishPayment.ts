import type { EventType } from "@cardkeep/contract/partners/events";
import type { Address } from "@cardkeep/contract/core/primitives";
import { findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { type CardClearing, type CardPayment, listPayments } from "@cardkeep/db/queries/spending/payments";
import { type CardTransfer, listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { insertEvent } from "@cardkeep/db/queries/partners/outbox";
import { listSignInWallets } from "@cardkeep/db/queries/users/users";
import type { Context, Work } from "../../core/context.ts";
import { buildEvent } from "../../core/publish.ts";
import { buildCardEvent } from "./buildCardEvent.ts";

type TransactionEvent = Extract<EventType, `card.transaction.${string}`>;

/** What an event about a payment reports. */
interface Reported {
  payment: CardPayment & { cardToken: string };
  safe: Pick<Safe, "address" | "tokenSymbol" | "createdAt">;
  wallets: readonly { address: Address }[];
  /** All of the thread. */
  transfers: readonly CardTransfer[];
  /** The capture, refund or reversal that is reported; null for the payment itself. */
  clearing: CardClearing | null;
}

/** The row of an event about a payment, from rows that the caller has. */
export function buildTransactionEvent(
  { policy }: Pick<Context, "policy">,
  { now }: Pick<Work, "now">,
  eventType: TransactionEvent,
  { payment, safe, wallets, transfers, clearing }: Reported,
): ReturnType<typeof buildEvent> {
  const { userId, requestId } = payment;
  const { address, tokenSymbol, createdAt } = safe;
  return buildEvent({ now, requestId }, eventType, userId, {
    userId,
    signInWallets: wallets.map((wallet) => ({ address: wallet.address })),
    safeWallets: [{ address, chainId: String(policy.chainId), tokenSymbol, createdAt }],
    event: buildCardEvent(policy, payment, transfers, clearing),
  });
}

/** Publishes what happened to a payment, or with `clearing` that capture, refund or reversal, as the rows of this commit have it. */
export async function publishPayment(
  ctx: Pick<Context, "policy">,
  work: Work,
  eventType: TransactionEvent,
  { id, userId, safeId }: CardPayment,
  clearing: CardClearing | null = null,
): Promise<void> {
  const { tx } = work;
  const [[payment], safe, wallets, transfers] = await Promise.all([
    listPayments(tx, userId, [id]),
    findSafe(tx, safeId),
    listSignInWallets(tx, userId),
    listTransfers(tx, userId, [id]),
  ]);
  if (!payment || !safe) throw new Error(`Payment ${id} has no row`);
  const event = buildTransactionEvent(ctx, work, eventType, { payment, safe, wallets, transfers, clearing });
  if (await insertEvent(tx, event)) work.wake("events");
}
