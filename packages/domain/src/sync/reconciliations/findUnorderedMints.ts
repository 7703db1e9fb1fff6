/** Mints of the e-money institution to accounts with an IBAN that no order of it explains: each is a case. */
import { dayMs } from "@cardkeep/contract/core/durations";
import { type Token, tokens } from "@cardkeep/chain/tokens";
import { listTransfersOf, mintTopics } from "@cardkeep/chain/transfers";
import { type Address, type Hex, nativeToken } from "@cardkeep/contract/core/primitives";
import { findPreviousStart, type Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { listIbanHolders } from "@cardkeep/db/queries/users/ibans";
import { listOrdersOfMints } from "@cardkeep/db/queries/users/ibanOrders";
import { findBlockSince } from "../../chain/guards/findBlockSince.ts";
import type { WorkerContext } from "../../core/context.ts";
import { baseUnitsToCents } from "../../core/money.ts";
import { openCase } from "../../core/openCase.ts";

/** The institution reports an order before it mints; its callbacks, and our reading of it, may be a day late. */
const graceMs = dayMs;
/** Before the first reconciliation. */
const lookBackMs = 2 * dayMs;

const minted: Readonly<Record<string, Token>> = { EUR: tokens.EURe, GBP: tokens.GBPe };

interface Mint {
  hash: Hex;
  /** Its place among the logs of the receipt. */
  index: number;
  to: Address;
  amount: bigint;
}

/** Runs behind the comparison of orders, so that lost callbacks are known by now. Mints of the last day are left to the next one. */
export async function findUnorderedMints(ctx: WorkerContext, { id, startedAt }: Reconciliation): Promise<void> {
  const before = (await findPreviousStart(ctx.db, id)) ?? new Date(startedAt.getTime() - lookBackMs);
  const { fromBlock, head } = await findBlockSince(ctx, new Date(before.getTime() - graceMs));
  const until = startedAt.getTime() - graceMs;
  for (const [currency, token] of Object.entries(minted)) {
    const logs = await ctx.chain.getLogs({
      addresses: [token.address],
      topics: mintTopics,
      fromBlock,
      toBlock: head.number,
    });
    const found = listTransfersOf(logs);
    const holders = await listIbanHolders(ctx.db, [...new Set(found.map(({ to }) => to))]);
    const ours = found.filter(({ to }) => holders.has(to));
    for (const hash of new Set(ours.map(({ log }) => log.transactionHash))) {
      for (const mint of await listUnordered(ctx, hash, { token, holders, until })) {
        const userId = holders.get(mint.to);
        const amountCents = baseUnitsToCents(mint.amount, token);
        // An order is of a cent at least.
        if (userId === undefined || amountCents === 0n) continue;
        await ctx.commit((work) =>
          openCase(work, {
            kind: "iban_mint_unordered",
            userId,
            mintId: `${mint.hash}:${mint.index}`,
            amountCents,
            currency,
            note: "The institution minted this to the account, and no order of it here says why. Ask the institution whose money it is.",
          }),
        );
      }
    }
  }
}

/** The mints of a transaction that no order is tied to, without as many as there are orders that name it and wait: a rejected one does not. */
async function listUnordered(
  ctx: WorkerContext,
  hash: Hex,
  { token, holders, until }: { token: Token; holders: ReadonlyMap<Address, string>; until: number },
): Promise<Mint[]> {
  const receipt = await ctx.chain.findReceipt(hash);
  const block = receipt && (await ctx.chain.getBlockAt(receipt.blockNumber));
  if (!receipt || !block || block.timestamp * 1000 > until) return [];
  const mints = listTransfersOf(receipt.logs).flatMap(({ from, to, amount, log }) =>
    log.address === token.address && from === nativeToken && holders.has(to)
      ? [{ hash, index: receipt.logs.indexOf(log), to, amount }]
      : [],
  );
  const userIds = [...new Set(mints.flatMap(({ to }) => holders.get(to) ?? []))];
  const orders = await listOrdersOfMints(ctx.db, hash, userIds);
  const tied = new Set(orders.map(({ mintHash, mintIndex }) => (mintHash === hash ? mintIndex : null)));
  const waiting = orders.filter(({ state, mintIndex }) => mintIndex === null && state !== "rejected").length;
  return mints.filter(({ index }) => !tied.has(index)).slice(waiting);
}
