/** A wallet token as the issuer reports it, in its row and its events. */
import type { walletToken } from "@cardkeep/contract/cards/walletTokens";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import {
  endWalletTokens,
  findWalletToken,
  insertWalletToken,
  updateWalletToken,
  type WalletToken,
} from "@cardkeep/db/queries/cards/walletTokens";
import type { WalletTokenReport } from "@cardkeep/providers/issuer/port";
import type { z } from "zod";
import { isEnded } from "./card.ts";
import { partnerSkewMs } from "../../core/clockSkew.ts";
import type { Work } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";

/** A wallet token as answers and events carry it. */
export const buildWalletToken = ({ userId: _, requestId: __, ...shown }: WalletToken): z.output<typeof walletToken> =>
  shown;

/**
 * Writes a report of a card whose row is locked, and returns the row. A wallet token of an ended card has ended, and
 * one that has ended stays so, also where the report differs: reports may be old.
 */
export async function recordWalletToken(work: Work, card: Card, report: WalletTokenReport): Promise<WalletToken> {
  const { tx, now, requestId } = work;
  const { cardToken: _, ...reported } = report;
  const known = await findWalletToken(tx, report.id);
  const hasEnded = isEnded(card.statusCode) || known?.status === "deleted";
  const status = hasEnded ? ("deleted" as const) : report.status;
  const row = {
    ...reported,
    status,
    userId: card.userId,
    cardId: card.id,
    requestId: known?.requestId ?? requestId,
    createdAt: known?.createdAt ?? findMadeAt(report, now),
    updatedAt: now,
  };
  if (known === null) {
    await insertWalletToken(tx, row);
    await publish(work, "card.wallet-token.created", card.userId, buildEvent(card, row));
    return row;
  }
  if (!isChanged(known, row)) return known;
  await updateWalletToken(tx, row.id, row);
  if (known.status !== status) await publishChange(work, card, known, row);
  return row;
}

/** When a new wallet token was made, for what is refused of new ones. Only one whose callback is late is older than its report. */
const findMadeAt = ({ createdAt }: WalletTokenReport, now: Date): Date =>
  createdAt.getTime() < now.getTime() - partnerSkewMs ? createdAt : now;

/** Ends the wallet tokens of a card that ended, with their events. The issuer ends them with the card. */
export async function endTokensOfCard(work: Work, card: Card): Promise<void> {
  for (const known of await endWalletTokens(work.tx, card.id, work.now))
    await publishChange(work, card, known, { ...known, status: "deleted", updatedAt: work.now });
}

const publishChange = (work: Work, card: Card, known: WalletToken, row: WalletToken): Promise<void> =>
  publish(work, "card.wallet-token.changed", card.userId, {
    ...buildEvent(card, row),
    oldStatus: known.status,
    newStatus: row.status,
  });

const buildEvent = ({ userId, cardToken }: Card, row: WalletToken) => ({
  userId,
  cardToken,
  walletToken: buildWalletToken(row),
});

const compared = ["status", "wallet", "network", "deviceType", "deviceName", "lastFourDigits"] as const;
const isChanged = (known: WalletToken, row: WalletToken): boolean =>
  compared.some((field) => known[field] !== row[field]);
