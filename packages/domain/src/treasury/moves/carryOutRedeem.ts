/** A redeem, from planned to arrived: sign and keep, place under our own name, ask until it has ended. */
import { hasTransfer } from "@cardkeep/chain/spending";
import { toDecimal, tokens } from "@cardkeep/chain/tokens";
import { dayMs, hourMs } from "@cardkeep/contract/core/durations";
import { address, type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import { ibanCurrencies } from "@cardkeep/contract/users/ibanOrders";
import { ProviderRefused } from "@cardkeep/providers/http";
import { findUsableDestination } from "@cardkeep/db/queries/treasury/destinations";
import { changeMove, insertMove, type TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { signMessage } from "@cardkeep/chain/signer";
import type { WorkerContext, WriteStep } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { spaceLooks } from "../../core/spaceLooks.ts";
import { findFinalInstant } from "../../chain/guards/findBlockSince.ts";
import { findBurn } from "./findBurn.ts";
import { failMove, isAllowed, isHeld, waitWhileStopped } from "./holdMove.ts";

const askAgainMs = 2_000;
/** The institution takes a signature for five minutes by its clock. */
const signatureMsMax = 240_000;
/** The institution's refusal of an order itself. Source: docs.monerium.com, `POST /orders`. */
const refusedOrder = 400;
/** Any other refusal may be a gateway's, or be about our settings: the order is placed again for so long. */
const refusedMsMax = dayMs;
/** A burn that the chain does not show, named or not, is waited for so long after it was processed. */
const burnMsMax = dayMs;

/** Takes one redeem further. */
export async function carryOutRedeem(ctx: WorkerContext, move: TreasuryMove): Promise<void> {
  if (move.status === "PLANNED") return signOrder(ctx, move);
  if (move.status === "SIGNED") return placeOrder(ctx, move);
  if (move.status === "SENT") return followOrder(ctx, move);
}

const isPlaced = async ({ emoney }: WorkerContext, { id }: TreasuryMove): Promise<boolean> =>
  (await emoney.findRedeem({ id })) !== null;

const orderOf = ({ token, amount, destination: iban }: TreasuryMove) => {
  const fiat = tokens[token].fiat.toLowerCase();
  const currency = ibanCurrencies.find((each) => each === fiat) ?? "eur";
  return { currency, amount: toDecimal(amount, tokens[token]), iban };
};

const lookAgain = (ctx: WorkerContext, { id: moveId, requestId }: TreasuryMove, delayMs = 0): Promise<void> =>
  ctx.commit(({ tx }) => enqueue(tx, "treasury.move", { moveId, requestId }, delayMs));

/** Signs what the institution wants to see, and keeps it before anything is sent. */
async function signOrder(ctx: WorkerContext, move: TreasuryMove): Promise<void> {
  if (await waitWhileStopped(ctx, move)) return;
  const { treasuryKey: key } = ctx;
  const failure =
    key?.address !== move.source
      ? `No setting names the key of ${move.source}`
      : (await isAllowed(ctx, move))
        ? null
        : "The IBAN is not on the allow-list any more";
  // An earlier try may have placed it, and a gateway denied that. Such an order is signed again to be followed.
  if (failure !== null && !(await isPlaced(ctx, move))) return failMove(ctx, move, failure);
  if (key === null) return lookAgain(ctx, move, askAgainMs);
  const signedAt = await ctx.clock.now(ctx.db);
  const message = ctx.emoney.describeRedeem(orderOf(move), signedAt);
  const signature = await signMessage(key, message);
  const { id: moveId, requestId } = move;
  await ctx.commit(async ({ tx, now }) => {
    const change = { message, signature, signedAt, updatedAt: now };
    if (await isHeld(tx)) return enqueue(tx, "treasury.move", { moveId, requestId }, askAgainMs);
    if (await changeMove(tx, moveId, { status: "SIGNED", ...change }))
      await enqueue(tx, "treasury.move", { moveId, requestId });
  });
}

/**
 * Places the order under the move's id: the institution takes one of a name, however often it is placed.
 *
 * @throws ProviderUnavailable, ProviderRefused; the job is run again
 */
async function placeOrder(ctx: WorkerContext, move: TreasuryMove): Promise<void> {
  const { id, message, signature, signedAt, documentId } = move;
  const { treasuryKey: key } = ctx;
  if (await isPlaced(ctx, move)) return recordPlaced(ctx, move);
  const now = await ctx.clock.now(ctx.db);
  const isOld = signedAt === null || now.getTime() - signedAt.getTime() > signatureMsMax;
  // It is signed anew, under the same name.
  if (isOld || message === null || signature === null) return signAnew(ctx, move);
  const listed = await findUsableDestination(ctx.db, move.destination, now);
  // It may be placed already. Once its signature is too old, it fails as an order that is not signed.
  if (listed === null || key === null) return lookAgain(ctx, move, askAgainMs);
  const order = { id, address: key.address, memo: id, message, signature, documentId, name: listed.label };
  try {
    await ctx.emoney.placeRedeem({ ...orderOf(move), ...order });
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    const isFinal = error.status === refusedOrder || now.getTime() - move.createdAt.getTime() > refusedMsMax;
    if (!isFinal) throw error;
    // An earlier try took its money perhaps, for which this one is refused.
    if (await isPlaced(ctx, move)) return recordPlaced(ctx, move);
    return failMove(ctx, move, `The institution refuses it: ${error.message}`);
  }
  return (await isPlaced(ctx, move)) ? recordPlaced(ctx, move) : lookAgain(ctx, move, askAgainMs);
}

const signAnew = (ctx: WorkerContext, { id, requestId }: TreasuryMove): Promise<void> =>
  ctx.commit(async ({ tx, now }) => {
    const change = { message: null, signature: null, signedAt: null, updatedAt: now };
    if (await changeMove(tx, id, { status: "PLANNED", ...change }))
      await enqueue(tx, "treasury.move", { moveId: id, requestId }, askAgainMs);
  });

const recordPlaced = (ctx: WorkerContext, { id, requestId }: TreasuryMove): Promise<void> =>
  ctx.commit(async ({ tx, now }) => {
    if (await changeMove(tx, id, { status: "SENT", externalId: id, updatedAt: now }))
      await enqueue(tx, "treasury.move", { moveId: id, requestId }, askAgainMs);
  });

/** The first transaction that the institution names, is final and burned what the order is about: it may name others too. */
async function findNamedBurn(
  ctx: WorkerContext,
  { token, amount, source }: TreasuryMove,
  hashes: readonly Hex[],
): Promise<Hex | null> {
  const burn = { token: tokens[token].address, from: address.parse(source), to: nativeToken, amount };
  for (const hash of hashes) {
    const receipt = await ctx.chain.findReceipt(hash);
    if (receipt && hasTransfer(receipt.logs, burn) && (await findFinalInstant(ctx, receipt)) !== null) return hash;
  }
  return null;
}

async function followOrder(ctx: WorkerContext, move: TreasuryMove): Promise<void> {
  const found = await ctx.emoney.findRedeem({ id: move.id });
  if (found?.state === "rejected")
    return failMove(ctx, move, `The institution rejected it: ${found.rejectedReason ?? "it gives no reason"}`);
  if (found?.state !== "processed") return lookAgain(ctx, move, askAgainMs);
  const named = await findNamedBurn(ctx, move, found.txHashes);
  const hash = named ?? (await findBurn(ctx, move));
  const ageMs = (await ctx.clock.now(ctx.db)).getTime() - (found.processedAt ?? move.updatedAt).getTime();
  // Under another name than its transaction's, the books would have the burn twice.
  if (hash === null && ageMs < burnMsMax)
    return lookAgain(ctx, move, spaceLooks(ageMs, { minMs: askAgainMs, maxMs: hourMs }));
  const account = await ctx.issuer.findFundingAccount(tokens[move.token].fiat);
  await ctx.commit(recordRedeemed(move, hash, account?.iban === move.destination));
}

/** The money has left the institution. Where it goes to the issuer, it has to arrive there: that is a move of its own. */
const recordRedeemed =
  (move: TreasuryMove, hash: Hex | null, isForIssuer: boolean): WriteStep =>
  async ({ tx, now, requestId }) => {
    if (!(await changeMove(tx, move.id, { status: "DONE", hash, updatedAt: now })) || !isForIssuer) return;
    const { token, amount, destination, askedBy, approvedBy, note } = move;
    const row = { kind: "fund", status: "SENT", token, amount, destination, askedBy, approvedBy, note } as const;
    const { id: moveId } = await insertMove(tx, {
      id: generateId(),
      ...row,
      causeId: move.id,
      requestId,
      // It may have arrived since the order was signed first, and signing it anew forgets when that was.
      createdAt: move.createdAt,
    });
    await enqueue(tx, "treasury.move", { moveId, requestId });
  };
