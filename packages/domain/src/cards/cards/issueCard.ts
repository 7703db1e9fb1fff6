/**
 * The job that has the issuer make a card.
 *
 * Killed at any line and run again it makes one: before the issuer is asked, the attempt and everything that goes into
 * the question are written, so that every try asks the same, and looks first for what an earlier one left.
 */
import {
  type CardIssue,
  findCardholderId,
  findCardIssue,
  insertCardholder,
  lockCardIssue,
  updateCardIssue,
} from "@cardkeep/db/queries/cards/issues";
import { deleteEnvelope, findPinEnvelope } from "@cardkeep/db/queries/cards/envelopes";
import { tokens } from "@cardkeep/chain/tokens";
import { CardkeepError, fail } from "@cardkeep/contract/core/errors";
import { findOrder, type Order } from "@cardkeep/db/queries/cards/orders";
import { findSafe } from "@cardkeep/db/queries/accounts/safes";
import { findUser, lockUser } from "@cardkeep/db/queries/users/users";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import type { IssuerControls } from "@cardkeep/providers/issuer/controls";
import type { Cardholder, CardRequest, IssuedCard } from "@cardkeep/providers/issuer/port";
import { addressOf, buildDetails, digestDetails } from "../../core/cardholders/buildDetails.ts";
import { discloseIdentity } from "../../core/records/discloseIdentity.ts";
import { enqueueCardholderSync, syncDetails } from "../../core/cardholders/syncCardholder.ts";
import { readIssuerControls, withoutControls } from "../issuerControls/readIssuerControls.ts";
import { readStoredControls, storeControls } from "../issuerControls/storeControls.ts";
import type { WorkerContext } from "../../core/context.ts";
import { openEnvelope } from "./openEnvelope.ts";
import { OrderMoved, recordCard } from "./recordCard.ts";

const pinPattern = /^\d{4}$/;

/** Makes the card of an issue, or refuses it finally, also where its person may have none by now. @throws ProviderUnavailable; the job is run again */
export async function issueCard(ctx: WorkerContext, { issueId }: { issueId: string }): Promise<void> {
  const issue = await findCardIssue(ctx.db, issueId);
  if (issue?.status !== "open") return;
  try {
    const card = (await findEarlier(ctx, issue)) ?? (await askForCard(ctx, issue));
    await recordCard(ctx, issue, card).catch((error: unknown) => {
      if (error instanceof OrderMoved) return giveUp(ctx, issue, card);
      throw error;
    });
  } catch (error) {
    if (!(error instanceof ProviderRefused) && !(error instanceof CardkeepError)) throw error;
    ctx.log.warn({ err: error, issueId }, "a card was refused");
    await refuse(ctx, issue, error instanceof UnreadablePin ? "pin" : error.message);
  }
}

/** The card that an earlier try made at the issuer. Its cardholder was recorded before the issuer was asked. */
async function findEarlier(
  ctx: WorkerContext,
  { id: reference, userId, attempts }: CardIssue,
): Promise<IssuedCard | null> {
  const cardholderId = attempts === 0 ? null : await findCardholderId(ctx.db, userId);
  return cardholderId === null ? null : ctx.issuer.findCard({ cardholderId, reference });
}

async function askForCard(ctx: WorkerContext, issue: CardIssue): Promise<IssuedCard> {
  const user = await findUser(ctx.db, issue.userId);
  if (!user) throw new Error(`Card issue ${issue.id} has no user`);
  // Both may have changed since the request.
  if (user.kycStatus !== "approved") fail("cards.kyc_required");
  if (user.sourceOfFundsRisk === "red") fail("cards.risk_incompatible");
  const order = issue.orderId === null ? null : await findOrder(ctx.db, issue.orderId);
  if (order && order.status !== "READY") fail("orders.wrong_status");
  const prepared = await prepareAttempt(ctx, issue);
  const details = buildDetails(user, await ctx.clock.now(ctx.db));
  const cardholderId = await saveCardholder(ctx, user.id, details);
  return ctx.issuer.createCard(await buildRequest(ctx, { issue, order, details, cardholderId, ...prepared }));
}

class UnreadablePin extends ProviderRefused {
  constructor() {
    super(422, "The PIN cannot be read");
  }
}

/**
 * Notes the attempt, and answers the PIN as the issuer reads it, and the controls by the rules in force.
 *
 * The PIN is encrypted once for all attempts, and the controls are read once: under one key the issuer takes one question, and
 * each encryption is another.
 */
async function prepareAttempt(
  ctx: WorkerContext,
  issue: CardIssue,
): Promise<{ sealedPin: string | null; controls: IssuerControls }> {
  const envelope = await findPinEnvelope(ctx.db, issue.id);
  const sealedPin = envelope ? await sealPin(ctx, envelope) : issue.sealedPin;
  const [wanted = withoutControls] =
    issue.issuerControls === null
      ? await readIssuerControls(ctx.db, [issue])
      : [readStoredControls(issue.issuerControls)];
  const issuerControls = storeControls(wanted);
  await ctx.commit(async ({ tx, now }) => {
    const change = { attempts: issue.attempts + 1, sealedPin, issuerControls, updatedAt: now };
    await updateCardIssue(tx, issue.id, change);
    if (envelope) await deleteEnvelope(tx, envelope.id);
  });
  return { sealedPin, controls: wanted.controls };
}

async function sealPin(
  ctx: WorkerContext,
  envelope: NonNullable<Awaited<ReturnType<typeof findPinEnvelope>>>,
): Promise<string> {
  const { encryptedKey, encryptedData, iv } = envelope;
  const isWhole = encryptedKey !== null && encryptedData !== null && iv !== null;
  const pin = isWhole ? openEnvelope(ctx.cardKeys, { encryptedKey, encryptedData, iv }) : null;
  if (pin === null || !pinPattern.test(pin)) throw new UnreadablePin();
  return ctx.issuer.sealPin(pin);
}

/**
 * The person at the issuer, with the details of our records, before anything is made for them.
 *
 * @throws ProviderUnavailable, also while another call about the person is under way; ProviderRefused
 */
async function saveCardholder(ctx: WorkerContext, userId: string, details: Cardholder): Promise<string> {
  const known = await findCardholderId(ctx.db, userId);
  if (known !== null) {
    if (await syncDetails(ctx, userId)) return known;
    throw new ProviderUnavailable("Another call to the card issuer is about the same person");
  }
  await discloseIdentity(ctx, userId, "issuer");
  const issuerId = await ctx.issuer.saveCardholder(details, null);
  const issuerDetails = digestDetails(details);
  await ctx.commit(async (work) => {
    const synced = { issuerDetails, issuerSyncedDetails: issuerDetails };
    await insertCardholder(work.tx, { userId, issuerId, ...synced, createdAt: work.now });
    await enqueueCardholderSync(work, userId);
  });
  return issuerId;
}

async function buildRequest(
  ctx: WorkerContext,
  input: {
    issue: CardIssue;
    order: Order | null;
    /** With the number that counts at the issuer: a newer one may be a thief's. */
    details: Cardholder;
    cardholderId: string;
    sealedPin: string | null;
    controls: IssuerControls;
  },
): Promise<CardRequest> {
  const { issue, order, details, cardholderId, sealedPin, controls } = input;
  const safe = await findSafe(ctx.db, issue.safeId);
  if (!safe?.tokenSymbol) throw new Error(`Card issue ${issue.id} has no Safe in service`);
  const name = `${details.firstName} ${details.lastName}`;
  return {
    reference: issue.id,
    orderId: issue.orderId,
    cardholderId,
    currency: tokens[safe.tokenSymbol].fiat,
    secondLine: order?.personalizationSource === "ENS" ? issue.embossedName : null,
    shipping: order && !issue.virtual ? { name, phone: details.phone, address: addressOf(order) } : null,
    sealedPin,
    controls,
  };
}

/** Ends the card of an order that was cancelled, or lost its payment, while the issuer made the card. */
async function giveUp(ctx: WorkerContext, issue: CardIssue, { cardToken }: IssuedCard): Promise<void> {
  await ctx.issuer.setCardStatus(cardToken, "canceled", null);
  await refuse(ctx, issue, "The order is not ready any more");
}

async function refuse(ctx: WorkerContext, { id, userId }: CardIssue, reason: string): Promise<void> {
  await ctx.commit(async ({ tx, now }) => {
    await lockUser(tx, userId);
    const issue = await lockCardIssue(tx, id);
    if (issue?.status !== "open") return;
    const envelope = await findPinEnvelope(tx, id);
    if (envelope) await deleteEnvelope(tx, envelope.id);
    await updateCardIssue(tx, id, { status: "refused", reason, sealedPin: null, updatedAt: now });
  });
}
