/**
 * The first half of a relay transaction: choose a lane, take its nonce, sign, persist.
 *
 * Nothing is sent here. What is sent is always in the database first, so a process may die at any line. A signer outside of
 * this process is asked later, by `relay.broadcast`: the lane is not locked meanwhile.
 */
import type { Call } from "@cardkeep/chain/call";
import { CallReverted } from "@cardkeep/chain/errors";
import { type Fees, type RelayerKey, suggestFees } from "@cardkeep/chain/relayer";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { insertRelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import { insertRelayTransaction, type RelaySubject } from "@cardkeep/db/queries/chain/relay/transactions";
import { countOpenRelayTransactions, takeNonce } from "@cardkeep/db/queries/chain/relay/lanes";
import type { RelayPurpose } from "@cardkeep/db/schema/chain/relayers";
import type { Work, WorkerContext } from "../../core/context.ts";
import { NodeBehind, readHead } from "../guards/readHead.ts";
import { countMined } from "./countMined.ts";
import { knownCodeGasMax } from "./gasLimits.ts";
import { signAttempt } from "./signAttempt.ts";

/** The chain's part of a relay transaction, read before the lane is locked. */
export interface RelayQuote {
  gasLimit: bigint;
  /** Mined transactions of the relayer: the lane never falls behind it. */
  chainNonce: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Nodes keep a limited number of pending transactions of one sender, and replacing the first delays all of them. */
export const laneDepthMax = 50;

/** The relayer has as many transactions under way as a node keeps of one sender. */
export class LaneFull extends Error {
  override name = "LaneFull";
}

/** The lane drains or is retired: it takes no new transaction. */
export class LaneClosed extends Error {
  override name = "LaneClosed";
}

/** An estimate on a pending block can fall short of the block that includes it. */
const gasMarginPercent = 130n;

/**
 * For calls that no other transaction can make dearer. A block has room for a transaction's whole gas limit or leaves it
 * out: with 30 % on top, blocks that are full of batches stay a sixth empty.
 */
export const steadyMarginPercent = 110n;

/**
 * Gas, fees and nonce floor for a call. The gas limit is never above `gasMax`, its margin included: no block has room for a
 * limit that called code chose, and the lane would stand still behind it. The refusal of a node that lags is no verdict: it
 * counts where the block that was read as the head refuses the call too.
 *
 * @throws CallReverted when the chain or `gasMax` refuses it, LaneFull, ChainUnavailable
 */
export async function quoteRelay(
  ctx: WorkerContext,
  relayer: RelayerKey,
  call: Call,
  {
    gasMax = knownCodeGasMax,
    blockTag,
    marginPercent = gasMarginPercent,
  }: { gasMax?: bigint; blockTag?: "latest"; marginPercent?: bigint } = {},
): Promise<RelayQuote> {
  if ((await countOpenRelayTransactions(ctx.db, relayer.address)) >= laneDepthMax) throw new LaneFull();
  const { head, isBehind } = await readHead(ctx);
  const fees = suggestFees(head);
  const asked = { from: relayer.address, call, ...(blockTag && { blockTag }) };
  const gas = await estimateWithin(ctx, asked, { fees, gasMax }).catch(async (error: unknown) => {
    if (!(error instanceof CallReverted)) throw error;
    if (!isBehind) await estimateAt(ctx, asked, { fees, gasMax, block: head.number });
    throw new NodeBehind(`A node that lags refuses: ${error.reason}`);
  });
  const chainNonce = await countMined(ctx, relayer.address);
  const withMargin = (gas * marginPercent) / 100n;
  return { gasLimit: withMargin < gasMax ? withMargin : gasMax, chainNonce, ...fees };
}

/** Gas of a call that needs at most `gasMax`. @throws CallReverted */
async function estimateWithin(...[ctx, asked, { fees, gasMax }]: Parameters<typeof estimate>): Promise<bigint> {
  const gas = await estimate(ctx, asked, { fees, gasMax });
  if (gas > gasMax) throw new CallReverted({ reason: "It needs more gas than is paid for" });
  return gas;
}

/** The same at a block, because a refusal may be of another node than the head. @throws CallReverted with the block */
async function estimateAt(
  ctx: WorkerContext,
  asked: Omit<Parameters<typeof estimate>[1], "blockTag">,
  { block, ...bounds }: Parameters<typeof estimate>[2] & { block: bigint },
): Promise<void> {
  await estimateWithin(ctx, { ...asked, blockTag: block }, bounds).catch((error: unknown) => {
    throw error instanceof CallReverted ? new CallReverted({ ...error, block }) : error;
  });
}

/** A node looks for the gas of a call that needs more than is paid for no further than this. Code that wastes gas takes its time. */
const gasRoom = 4n;

/**
 * Gas at the price that will be signed: a contract must not behave for an estimate alone.
 *
 * With a price a node also refuses what the sender cannot pay for. That is no verdict on the call, so without the money it
 * is the estimate without a price that counts. A sender that can pay for `gasMax` is refused for the call.
 */
async function estimate(
  { chain }: Pick<WorkerContext, "chain">,
  asked: Omit<Parameters<WorkerContext["chain"]["estimateGas"]>[0], "fees" | "gasMax">,
  { fees, gasMax }: { fees: Fees; gasMax: bigint },
): Promise<bigint> {
  try {
    return await chain.estimateGas({ ...asked, fees, gasMax });
  } catch (error) {
    const gas = await chain.estimateGas({ ...asked, gasMax: gasRoom * gasMax });
    if (gas > gasMax) return gas;
    const balance = await chain.getNativeBalance(asked.from);
    if (error instanceof CallReverted && balance >= asked.call.value + gasMax * fees.maxFeePerGas) throw error;
    return gas;
  }
}

/**
 * Takes the lane's next nonce, and writes transaction, attempt and the job that sends it, in the caller's commit.
 *
 * The lane stays locked until that commit, so nonces have neither gaps nor twins. With a remote signer the hash is null and
 * the job signs the attempt first.
 *
 * @throws LaneClosed when the lane was drained since it was picked: nothing is written
 */
export async function signRelayTransaction(
  ctx: WorkerContext,
  { tx, now }: Work,
  input: {
    id: string;
    purpose: RelayPurpose;
    subjectId: string;
    /** Further rows that the same call serves. */
    companions?: readonly RelaySubject[];
    /** The request that caused the subject. */
    requestId: string;
    relayer: RelayerKey;
    call: Call;
    quote: RelayQuote;
  },
): Promise<{ hash: Hex | null }> {
  const { relayer, call, quote, requestId, companions = [] } = input;
  const state = input.purpose === "relayer.sweep" ? "RETIRED" : "ACTIVE";
  const nonce = await takeNonce(tx, relayer.address, { chainNonce: quote.chainNonce, state, now });
  if (nonce === null) throw new LaneClosed(`${relayer.address} takes no transaction now`);
  const row = {
    id: input.id,
    purpose: input.purpose,
    subjectId: input.subjectId,
    requestId,
    relayer: relayer.address,
    nonce,
    ...call,
    gasLimit: quote.gasLimit,
    status: "SIGNED",
    createdAt: now,
    updatedAt: now,
  } as const;
  await insertRelayTransaction(tx, row, companions);
  const signed = relayer.isRemote ? null : await signAttempt(ctx, relayer, row, quote);
  if (signed) await insertRelayAttempt(tx, { ...signed, createdAt: now });
  const hash = signed?.hash ?? null;
  const logged = { relayTransactionId: input.id, purpose: input.purpose, nonce: Number(nonce), hash };
  const done = signed ? "signed" : "reserved a nonce";
  for (const served of [input, ...companions]) ctx.log.info({ requestId: served.requestId, ...logged }, done);
  await enqueue(tx, "relay.broadcast", { relayTransactionId: input.id, requestId });
  return { hash };
}
