import { predictAccount } from "@cardkeep/chain/predictAccount";
import { creationTopics, findCreatedSafe, listCreationNonces } from "@cardkeep/chain/creation";
import type { ChainLog } from "@cardkeep/chain/log";
import { insertDiscrepancies, type Reconciliation } from "@cardkeep/db/queries/sync/reconciliations";
import { findSafeByAddress } from "@cardkeep/db/queries/accounts/safes";
import { findLoggedCall } from "../../chain/guards/findLoggedCall.ts";
import type { WorkerContext } from "../../core/context.ts";
import { findFromBlock } from "./reconcileEntries.ts";

/**
 * Records the Safes that this service deployed and that no row names. Their people are unknown, or their Safe is: the first
 * wallet of those that own a Safe gets it back when it asks for an account.
 */
export async function reconcileSafes(ctx: WorkerContext, reconciliation: Reconciliation): Promise<void> {
  const fromBlock = reconciliation.reason === "daily" ? null : await findFromBlock(ctx, reconciliation);
  if (fromBlock === null) return;
  const { number: toBlock } = await ctx.chain.getBlock();
  const { operatorAddress, formerOperatorAddresses } = ctx.policy;
  const operators = [operatorAddress, ...formerOperatorAddresses];
  const createdBy = (log: ChainLog) => operators.find((operator) => findCreatedSafe(log, operator) !== null);
  const logs: ChainLog[] = [];
  // A Safe that no row names has no address to ask by.
  const listAddresses = async () => [];
  for await (const part of ctx.chain.readAllLogs({ topics: creationTopics, fromBlock, toBlock, listAddresses })) {
    logs.push(...part.filter((log) => createdBy(log) !== undefined));
  }
  for (const log of logs) {
    const creator = createdBy(log);
    const address = creator === undefined ? null : findCreatedSafe(log, creator);
    if (creator === undefined || address === null || (await findSafeByAddress(ctx.db, address))) continue;
    const call = await findLoggedCall(ctx, log.transactionHash);
    const accounts = listCreationNonces(call?.data ?? "0x").map((saltNonce) => ({
      saltNonce,
      ...predictAccount({ creator, saltNonce }),
    }));
    const account = accounts.find(({ safe }) => safe === address);
    // Anybody may create a Safe for the operator's key; without its modules nothing can set it up but the operator.
    if (!account || (await ctx.chain.hasCode([account.delay, account.roles])).includes(false)) continue;
    const owners = await ctx.chain.listOwners(account.delay);
    const [spender] = await ctx.chain.listOwners(account.roles);
    const [periods] = await ctx.chain.listDelayPeriods([account.delay]);
    if (owners.length === 0 || !spender || !periods) continue;
    const named = owners.join(" and ");
    const text = `The chain has Safe ${address} of wallet ${named}; its person signs up, or asks for the account, again`;
    const details = {
      owners: owners.join(" "),
      creator,
      spender,
      saltNonce: String(account.saltNonce),
      cooldownSeconds: String(periods.cooldownSeconds),
      expirationSeconds: String(periods.expirationSeconds),
    };
    ctx.log.warn({ safe: address, owners }, "the chain has a Safe that no row names");
    await ctx.commit(({ tx, now }) => insertDiscrepancies(tx, [{ kind: "safe", name: address, text, details }], now));
  }
}
