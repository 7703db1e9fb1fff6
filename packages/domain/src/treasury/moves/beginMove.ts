/** What every verb of the treasury that begins a move has in common. */
import { fail } from "@cardkeep/contract/core/errors";
import type { TreasuryMoveKind } from "@cardkeep/contract/treasury/treasuryMoves";
import type { SettlementToken } from "@cardkeep/db/schema/chain/settlementFunds";
import {
  changeMove,
  insertMove,
  isEndedMove,
  listMoves,
  listOpenMoves,
  lockTreasury,
  type TreasuryMove,
} from "@cardkeep/db/queries/treasury/moves";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { OperatorContext, Work } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import type { TwoPersonVerb } from "../../core/operators/verbs.ts";
import { refuseStopped } from "../../operators/stops/refuseStopped.ts";
import { isRevocation } from "./holdMove.ts";
import { type ShownMove, showMove } from "./showMove.ts";

export interface NewMove
  extends
    Pick<TreasuryMove, "kind" | "token" | "amount" | "source" | "destination">,
    Partial<Pick<TreasuryMove, "documentId" | "status">> {}

/** The names of the persons who asked for a move and approved it. */
const nameOperators = ({ actor, approval }: OperatorContext) => ({
  askedBy: actor.name,
  approvedBy: approval?.approver.name ?? null,
});

/**
 * Writes a move and the job that carries it out, one of a kind and token at a time: an order that is given twice is one.
 * `check` runs behind the lock that all verbs of the treasury take.
 *
 * @param readAt when the balances were read: a move of the same money that ended since then may be missing in them
 * @throws treasury.stopped, treasury.busy, and what `check` throws
 */
export function beginMove(
  ctx: OperatorContext,
  verb: TwoPersonVerb,
  { move, readAt, check }: { move: NewMove; readAt: Date; check: (work: Work) => Promise<void> },
): Promise<ShownMove> {
  return ctx.act(verb, async (work) => {
    const { tx, now, requestId } = work;
    if (!isRevocation(move)) await refuseStopped(tx, "treasury");
    await lockTreasury(tx);
    // An approval that a stop holds up would keep off its own revocation.
    if (!isRevocation(move)) await refuseSecond(work, move, readAt);
    await check(work);
    if (isRevocation(move)) await withdrawWaiting(work, move);
    const named = { ...nameOperators(ctx), note: ctx.reason ?? "" };
    const row = await insertMove(tx, { id: generateId(), ...move, ...named, requestId, createdAt: now });
    if (!isEndedMove(row)) await enqueue(tx, "treasury.move", { moveId: row.id, requestId });
    const output = showMove(row);
    const after = { kind: row.kind, amount: output.amount, token: row.token, destination: row.destination };
    return { output, subject: { kind: "treasury", id: row.id }, before: null, after };
  });
}

/** An approval that was not signed before its revocation would undo it. A worker that signs one at this moment has the nonce before. */
async function withdrawWaiting({ tx, now }: Work, { token, source, destination }: NewMove): Promise<void> {
  const failed = { status: "FAILED", failure: "A later order withdrew it", updatedAt: now } as const;
  for (const other of await listOpenMoves(tx)) {
    const isSame = other.token === token && other.source === source && other.destination === destination;
    if (other.kind === "approve" && isSame && !isRevocation(other)) await changeMove(tx, other.id, failed, "PLANNED");
  }
}

/** What another move of the same money would change of the balances that were read. */
async function refuseSecond(
  { tx }: Work,
  { kind, token }: { kind: TreasuryMoveKind; token: SettlementToken },
  readAt: Date,
) {
  // Announced top-ups may be several: each is a transfer of its own at a bank.
  if (kind === "fund") return;
  const open = (await listOpenMoves(tx)).find((other) => other.kind === kind && other.token === token);
  if (open) fail("treasury.busy", { text: `A ${kind} of ${token} is under way: ${open.id}. Wait until it has ended` });
  const [newest] = await listMoves(tx, { kind, status: null, after: null, limit: 1 });
  if (newest && newest.updatedAt >= readAt) fail("treasury.busy");
}
