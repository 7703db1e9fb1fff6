/** Card payments as the operator sees them. */
import { describeDecline } from "@cardkeep/contract/spending/declineWords";
import type { DeclineWords } from "@cardkeep/contract/spending/declineReasons";
import type { PaymentStatus } from "@cardkeep/contract/spending/spending";
import { type Card, findCard } from "@cardkeep/db/queries/cards/cards";
import { listRelayTransactions } from "@cardkeep/db/queries/chain/relay/bySubject";
import { findSafe, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { listAllPayments as listRows, type ListedPayment } from "@cardkeep/db/queries/spending/listAllPayments";
import { type CardRuleHit, listPaymentHits } from "@cardkeep/db/queries/cards/cardRules/hits";
import type { CardCase } from "@cardkeep/db/queries/spending/cases";
import type { CardDispute } from "@cardkeep/db/queries/spending/disputes";
import {
  findPaymentDispute,
  type LedgerEntry,
  listAllClearings,
  listLedgerEntries,
} from "@cardkeep/db/queries/spending/paymentParts";
import { type CardDecision, listDecisions } from "@cardkeep/db/queries/spending/decisions";
import type { CardClearing, CardPayment } from "@cardkeep/db/queries/spending/payments";
import { findStandIn, type StandIn } from "@cardkeep/db/queries/spending/standIns";
import { type CardTransfer, listTransfers } from "@cardkeep/db/queries/spending/transfers";
import { type LedgerAccount, ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import { getAnyCard } from "../../cards/cards/getAnyCard.ts";
import type { OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { hideName, resolveUser } from "../../users/users/listUsers.ts";
import { findRefundRequest } from "./refundRequest.ts";
import { readDoubles, type ReturnedDouble } from "./doubles.ts";
import { getPayment } from "./getPayment.ts";

/** What payments are chosen by; an absent condition is none. */
export interface PaymentChoice {
  status?: PaymentStatus | null | undefined;
  /** Id, e-mail address, sign-in wallet or Safe. */
  user?: string | null | undefined;
  /** Id or card token. */
  card?: string | null | undefined;
  /** The first letters of the merchant's name. */
  merchant?: string | null | undefined;
  /** Code of the decline. */
  reason?: string | null | undefined;
  after?: string | null | undefined;
  limit: number;
}

/** Payments of everybody that pass the choice, newest first. @throws users.not_found, cards.not_found */
export async function listAllPayments(
  { db }: Pick<Services, "db">,
  { status, user, card, merchant, reason, after, limit }: PaymentChoice,
): Promise<ListedPayment[]> {
  const ofCard = card ? await getAnyCard({ db }, { reference: card }) : null;
  const owner = user ? await resolveUser(db, user) : null;
  // The index by user leads to a card's payments as well.
  if (ofCard && owner && ofCard.userId !== owner.id) return [];
  return listRows(db, {
    status: status ?? null,
    userId: owner?.id ?? ofCard?.userId ?? null,
    cardId: ofCard?.id ?? null,
    merchant: merchant || null,
    declineReason: reason || null,
    after: after ?? null,
    limit,
  });
}

type RelayedTransaction = Awaited<ReturnType<typeof listRelayTransactions>>[number];

/** A transfer with the relay transactions that carried it, oldest first. */
export type RelayedTransfer = CardTransfer & { relayed: RelayedTransaction[] };

export interface PaymentDetails {
  payment: CardPayment;
  card: Card;
  safe: Pick<Safe, "id" | "address" | "tokenSymbol">;
  /** Null for a payment that was not declined. */
  decline: (DeclineWords & { code: string | null }) | null;
  /** One for each request: the first, and each increment. */
  decisions: CardDecision[];
  clearings: CardClearing[];
  transfers: RelayedTransfer[];
  entries: LedgerEntry[];
  /** What the entries come to, account by account. Together they are zero. */
  sums: Record<LedgerAccount, bigint>;
  dispute: CardDispute | null;
  /** Rules that declined it or, in SHADOW, would have. */
  hits: CardRuleHit[];
  /** What the issuer decided about it without us. */
  standIn: StandIn | null;
  /** What support asks finance to return of it, while that is open. */
  refundRequest: CardCase | null;
  /** Payments that look like the same purchase, charged twice. */
  doubles: CardPayment[];
  /** Those of them that were returned, while this one is not. */
  returnedDoubles: ReturnedDouble[];
}

/** One payment with everything that belongs to it, by its id or its thread's; a viewer reads no name. @throws transactions.not_found */
export async function getPaymentDetails(
  { db, actor }: Pick<OperatorContext, "db" | "actor">,
  { reference }: { reference: string },
): Promise<PaymentDetails> {
  const payment = await getPayment({ db }, reference);
  const [card, safe, decisions, clearings, transfers, entries, dispute, standIn, hits, doubles, refundRequest] =
    await Promise.all([
      findCard(db, payment.cardId),
      findSafe(db, payment.safeId),
      listDecisions(db, payment),
      listAllClearings(db, payment),
      listTransfers(db, payment.userId, [payment.id]),
      listLedgerEntries(db, payment),
      findPaymentDispute(db, payment.id),
      findStandIn(db, payment.id),
      listPaymentHits(db, payment.id),
      readDoubles({ db }, payment),
      findRefundRequest(db, payment.id),
    ]);
  if (!card || !safe) throw new Error(`Payment ${payment.id} has no card or no Safe`);
  const { status, declineReason: code } = payment;
  return {
    payment,
    card: hideName(actor, card),
    safe: { id: safe.id, address: safe.address, tokenSymbol: safe.tokenSymbol },
    decline: status === "DECLINED" ? { code, ...describeDecline(code) } : null,
    decisions,
    clearings,
    transfers: await Promise.all(
      transfers.map(async (transfer) => ({ ...transfer, relayed: await listRelayTransactions(db, transfer.id) })),
    ),
    entries,
    sums: sumEntries(entries),
    dispute,
    hits,
    standIn,
    doubles: doubles.kept,
    returnedDoubles: doubles.returned,
    refundRequest,
  };
}

const sumEntries = (entries: readonly LedgerEntry[]): Record<LedgerAccount, bigint> => {
  const sumOf = (account: LedgerAccount) => entries.reduce((sum, entry) => sum + entry[account], 0n);
  const [safe, held, settlement, owed, advanced, writtenOff] = ledgerAccounts;
  return {
    safe: sumOf(safe),
    held: sumOf(held),
    settlement: sumOf(settlement),
    owed: sumOf(owed),
    advanced: sumOf(advanced),
    writtenOff: sumOf(writtenOff),
  };
};
