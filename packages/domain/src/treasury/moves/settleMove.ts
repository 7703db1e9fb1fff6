import { hasTransfer } from "@cardkeep/chain/spending";
import { tokens } from "@cardkeep/chain/tokens";
import { address } from "@cardkeep/contract/core/primitives";
import { changeMove, findMove } from "@cardkeep/db/queries/treasury/moves";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { Settler } from "../../chain/relay/settler.ts";
import { writeNothing } from "../../core/context.ts";
import { completeMove } from "./bookMove.ts";

const againMs = 15_000;

/** Settles a mined move: a transfer by the token's own log, an approval by the receipt. Otherwise it is signed anew. */
export const settleMove: Settler = async (ctx, { subjectId }, { logs, status, transactionHash: hash, blockNumber }) => {
  const move = await findMove(ctx.db, subjectId);
  if (move?.status !== "SIGNED") return writeNothing;
  const { id: moveId, requestId, kind, amount } = move;
  const hasArrived =
    status === "success" &&
    (kind === "approve" ||
      hasTransfer(logs, {
        token: tokens[move.token].address,
        from: address.parse(move.source),
        to: address.parse(move.destination),
        amount,
      }));
  if (hasArrived) return (work) => completeMove(work, moveId, { hash, blockNumber });
  ctx.log.error({ moveId, kind, hash }, "a move of the treasury ran in vain");
  return async ({ tx, now }) => {
    if (await changeMove(tx, moveId, { status: "PLANNED", hash: null, updatedAt: now }))
      await enqueue(tx, "treasury.move", { moveId, requestId }, againMs);
  };
};
