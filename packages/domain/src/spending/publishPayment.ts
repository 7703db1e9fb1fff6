import type { EventType } from "@cardkeep/contract/events";
import type { Address } from "@cardkeep/contract/primitives";
import { findSafe, type Safe } from "@cardkeep/db/queries/safes";
import { type CardClearing, type CardPayment, listPayments } from "@cardkeep/db/queries/spending/payments";
import { type CardTransfer, listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { listSignInWallets } from "@cardkeep/db/queries/users";
import type { Context, Work } from "../context.ts";
import { publish } from "../publish.ts";
import { buildCardEvent } from "./buildCardEvent.ts";

type TransactionEvent = Extract<EventType, `card.transaction.${string}`>;

/** Publishes what happened to a payment, or with `clearing` to that refund or reversal, from rows that the caller has. */
export async function publishTransaction(
  { rules }: Pick<Context, "rules">,
  work: Work,
  eventType: TransactionEvent,
  rows: {
    payment: CardPayment & { cardToken: string };
    safe: Pick<Safe, "address" | "tokenSymbol" | "createdAt">;
    wallets: readonly { address: Address }[];
    transfers: readonly CardTransfer[];
    clearing: CardClearing | null;
  },
): Promise<void> {
  const { payment, safe, wallets, transfers, clearing } = rows;
  const { userId, requestId } = payment;
  const { address, tokenSymbol, createdAt } = safe;
  await publish({ ...work, requestId }, eventType, userId, {
    userId,
    signInWallets: wallets.map((wallet) => ({ address: wallet.address })),
    safeWallets: [{ address, chainId: String(rules.chainId), tokenSymbol, createdAt }],
    event: buildCardEvent(payment, transfers, clearing),
  });
}

/** The same, as the rows of this commit have it. */
export async function publishPayment(
  ctx: Pick<Context, "rules">,
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
  await publishTransaction(ctx, work, eventType, { payment, safe, wallets, transfers, clearing });
}
