/**
 * Renews what the spender may return of the settlement account and the treasury, and ends what former spenders may. A stop
 * of the treasury holds up the renewals alone.
 *
 * The standing approval and those of the last 24 hours are counted: a stolen spender key takes `SPENDER_APPROVALS_PER_DAY`
 * approvals of an account and token at most. Nothing is renewed while money has left the settlement account unannounced, nor by
 * what a node answers that lags: it may lack the block of the last renewal.
 */
import { type Token, tokenList } from "@cardkeep/chain/tokens";
import type { RelayerKey } from "@cardkeep/chain/relayer";
import type { Address } from "@cardkeep/contract/core/primitives";
import { insertMove, listOpenMoves, lockTreasury } from "@cardkeep/db/queries/treasury/moves";
import { isStopped } from "@cardkeep/db/queries/operators/stops";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import { approvalOf, readApprovalBudget } from "../../chain/funds/approvalBudget.ts";
import { readHead } from "../../chain/guards/readHead.ts";
import { mayLackRows } from "../../chain/guards/restoreGuard.ts";
import type { Work, WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";

const everyMs = 15_000;

/** Renews each approval of which less than half is left; runs again 15 s later. */
export async function renewApprovals(ctx: WorkerContext): Promise<void> {
  const payload = { chainId: String(ctx.policy.chainId) };
  const stopped = await isStopped(ctx.db, "treasury");
  if (!(await mayLackRows(ctx, "transactions")))
    for (const key of [ctx.settlementKey, ctx.treasuryKey].filter((each) => each !== null))
      for (const token of tokenList) {
        const { head, isBehind } = await readHead(ctx);
        if (isBehind) continue;
        // At this block, because the next call may reach another node.
        const look = { key, token, block: head.number };
        if (!stopped) await renew(ctx, look);
        for (const former of ctx.policy.formerSpenderAddresses) await revoke(ctx, look, former);
      }
  await ctx.commit(({ tx, requestId }) => enqueue(tx, "treasury.approvals", { ...payload, requestId }, everyMs));
}

interface Look {
  key: RelayerKey;
  token: Token;
  block: bigint;
}

const readLeft = ({ chain }: WorkerContext, { key, token, block }: Look, spender: Address) =>
  chain.getApproval({ token: token.address, owner: key.address, spender }, block);

async function renew(ctx: WorkerContext, look: Look): Promise<void> {
  const { key, token } = look;
  const spender = ctx.policy.spenderAddress;
  const full = approvalOf(ctx.policy, token);
  if ((await readLeft(ctx, look, spender)) >= full / 2n) return;
  const budget = await ctx.commit(async (work) => {
    await lockTreasury(work.tx);
    const asked = { token: token.symbol, account: key.address, now: work.now };
    const found = await readApprovalBudget(ctx.policy, work.tx, asked);
    if (found === "free") await begin(work, { key, token, spender, amount: full, note: "Less than half was left" });
    return found;
  });
  const fields = { account: key.address, tokenSymbol: token.symbol };
  if (budget === "free") ctx.log.info(fields, "the spender's approval is renewed");
  if (budget === "used")
    ctx.log.warn(fields, "The spender's approval is not renewed by itself any more today: see `treasury approve`.");
}

/** A key that was replaced, perhaps because it was stolen, returns nothing more. */
async function revoke(ctx: WorkerContext, look: Look, former: Address): Promise<void> {
  const { key, token } = look;
  if ((await readLeft(ctx, look, former)) === 0n) return;
  await ctx.commit(async (work) => {
    await lockTreasury(work.tx);
    const isOpen = (await listOpenMoves(work.tx)).some(
      (move) =>
        move.kind === "approve" &&
        move.amount === 0n &&
        move.token === token.symbol &&
        move.source === key.address &&
        move.destination === former,
    );
    const note = "The spender was replaced";
    if (!isOpen) await begin(work, { key, token, spender: former, amount: 0n, note });
  });
}

async function begin(
  { tx, now, requestId }: Work,
  {
    key,
    token,
    spender,
    amount,
    note,
  }: { key: RelayerKey; token: Token; spender: Address; amount: bigint; note: string },
): Promise<void> {
  const id = generateId();
  const [source, destination] = [key.address, spender];
  const row = { id, kind: "approve", token: token.symbol, amount, source, destination, note } as const;
  await insertMove(tx, { ...row, askedBy: "Cardkeep", requestId, createdAt: now });
  await enqueue(tx, "treasury.move", { moveId: id, requestId });
}
