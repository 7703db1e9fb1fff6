/** From planned to arrived: the steps of a move, each of which may run again after a crash. */
import { buildTaggedTransfer, nameTransfer } from "@cardkeep/chain/spending";
import { CallReverted } from "@cardkeep/chain/errors";
import type { RelayerKey } from "@cardkeep/chain/relayer";
import { buildApproval, tokens } from "@cardkeep/chain/tokens";
import type { Call } from "@cardkeep/chain/call";
import { changeMove, findMove, type TreasuryMove } from "@cardkeep/db/queries/treasury/moves";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { address } from "@cardkeep/contract/core/primitives";
import { findOwnTransfer } from "../../chain/guards/findOwnTransfer.ts";
import { requireNothingHeld, requireSettled } from "../../chain/guards/requireSettled.ts";
import { requireRows } from "../../chain/guards/restoreGuard.ts";
import { restOn } from "../../chain/guards/reorgGuard.ts";
import { quoteRelay, signRelayTransaction } from "../../chain/relay/signRelayTransaction.ts";
import type { WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { completeMove } from "./bookMove.ts";
import { carryOutRedeem } from "./carryOutRedeem.ts";
import { failMove, isAllowed, isHeld, isRevocation, waitWhileStopped } from "./holdMove.ts";

/** The tag of a move's transfer: it is found by it after a restore, and not made twice. */
const tagOf = ({ id }: Pick<TreasuryMove, "id">) => nameTransfer(`treasury:${id}`);

/** Takes one move further. */
export async function carryOutMove(ctx: WorkerContext, { moveId }: { moveId: string }): Promise<void> {
  const move = await findMove(ctx.db, moveId);
  if (!move) return;
  // The issuer is asked for it at once, and more often while it is under way.
  if (move.kind === "fund")
    return ctx.commit(({ tx, requestId }) =>
      enqueue(tx, "issuer.balance", { chainId: String(ctx.policy.chainId), requestId }),
    );
  if (move.kind === "redeem") return carryOutRedeem(ctx, move);
  if (move.status !== "PLANNED") return;
  await requireRows(ctx, "transactions");
  await requireSettled(ctx, move.id, "treasury.transfer");
  if (await waitWhileStopped(ctx, move)) return;
  const key = [ctx.settlementKey, ctx.treasuryKey].find((each) => each?.address === move.source) ?? null;
  if (key === null) return failMove(ctx, move, `No setting names the key of ${move.source}`);
  await requireNothingHeld(ctx, key.address);
  if (move.kind === "sweep" && !(await isAllowed(ctx, move)))
    return failMove(ctx, move, "The destination is not on the allow-list any more");
  // It was asked for before the spender's key was replaced, perhaps because it was stolen.
  if (move.kind === "approve" && !isRevocation(move) && move.destination !== ctx.policy.spenderAddress)
    return failMove(ctx, move, "The spender was replaced");
  return move.kind === "approve" ? approve(ctx, move, key) : transfer(ctx, move, key);
}

async function transfer(ctx: WorkerContext, move: TreasuryMove, key: RelayerKey): Promise<void> {
  const token = tokens[move.token].address;
  const to = address.parse(move.destination);
  const found = await findOwnTransfer(ctx, { token, from: key.address, to, amount: move.amount, tag: tagOf(move) });
  if (found)
    return ctx.commit(async (work) => {
      restOn(work, found.block);
      await completeMove(work, move.id, { hash: found.hash, blockNumber: found.block.blockNumber });
    });
  await sign(
    ctx,
    move,
    key,
    "treasury.transfer",
    buildTaggedTransfer({ token, to, amount: move.amount, tag: tagOf(move) }),
  );
}

const approve = (ctx: WorkerContext, move: TreasuryMove, key: RelayerKey): Promise<void> =>
  sign(
    ctx,
    move,
    key,
    "treasury.approve",
    buildApproval({ token: tokens[move.token].address, spender: address.parse(move.destination), amount: move.amount }),
  );

async function sign(
  ctx: WorkerContext,
  move: TreasuryMove,
  relayer: RelayerKey,
  purpose: "treasury.transfer" | "treasury.approve",
  call: Call,
): Promise<void> {
  try {
    const quote = await quoteRelay(ctx, relayer, call);
    await ctx.commit(async (work) => {
      if (!isRevocation(move) && (await isHeld(work.tx))) return;
      // The row's change holds its lock, and a second worker finds it signed.
      if (!(await changeMove(work.tx, move.id, { status: "SIGNED", updatedAt: work.now }))) return;
      const input = { id: generateId(), purpose, subjectId: move.id, requestId: move.requestId } as const;
      await signRelayTransaction(ctx, work, { ...input, relayer, call, quote });
    });
  } catch (error) {
    if (!(error instanceof CallReverted)) throw error;
    await failMove(ctx, move, `The chain refuses it: ${error.reason}`);
  }
}
