/** The funds of a retired relayer go to the treasury. */
import { suggestFees } from "@cardkeep/chain/relayer";
import { fail } from "@cardkeep/contract/core/errors";
import type { Address } from "@cardkeep/contract/core/primitives";
import { hasOpenRelayTransaction } from "@cardkeep/db/queries/chain/relay/bySubject";
import { readLaneState } from "@cardkeep/db/queries/chain/relay/laneStates";
import { enqueue } from "@cardkeep/db/queue/enqueue";
import type { OperatorContext, WorkerContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import { quoteRelay, signRelayTransaction } from "./signRelayTransaction.ts";

/** The fee is reserved this many times, because a stuck transaction is signed again with more. The rest stays behind. */
const feesReserved = 3n;

/** Has the worker send a retired relayer's funds to the treasury. @throws relayers.not_found, relayers.not_retired */
export async function requestSweep(
  ctx: OperatorContext,
  { address }: { address: Address },
): Promise<{ address: Address; treasury: Address }> {
  if (!ctx.policy.relayerAddresses.includes(address)) fail("relayers.not_found");
  if ((await readLaneState(ctx.db, address)) !== "RETIRED") fail("relayers.not_retired");
  const treasury = ctx.policy.treasuryAddress;
  return ctx.act("relayers.sweep", async ({ tx, requestId }) => {
    await enqueue(tx, "relayer.sweep", { relayer: address, requestId });
    const output = { address, treasury };
    return { output, subject: { kind: "relayer", id: address }, before: null, after: { treasury } };
  });
}

/** Signs the transfer of a retired relayer's funds, unless one is under way or too little is left to pay for it. */
export async function sweepRelayer(ctx: WorkerContext, input: { relayer: string }): Promise<void> {
  const relayer = ctx.relayers.find(({ address }) => address === input.relayer);
  if (!relayer)
    return ctx.log.error({ relayer: input.relayer }, "No setting names the key of this relayer. Put it back.");
  if (await hasOpenRelayTransaction(ctx.db, relayer.address, ["relayer.sweep"])) return;
  const [balance, block] = await Promise.all([ctx.chain.getNativeBalance(relayer.address), ctx.chain.getBlock()]);
  const call = { to: ctx.policy.treasuryAddress, data: "0x" } as const;
  const quote = await quoteRelay(ctx, relayer, { ...call, value: 1n });
  const value = balance - feesReserved * quote.gasLimit * suggestFees(block).maxFeePerGas;
  if (value <= 0n) return ctx.log.warn({ relayer: relayer.address }, "The relayer holds less than the transfer costs");
  await ctx.commit(async (work) => {
    const { requestId } = work;
    if ((await readLaneState(work.tx, relayer.address)) !== "RETIRED") return;
    if (await hasOpenRelayTransaction(work.tx, relayer.address, ["relayer.sweep"])) return;
    const subjectId = relayer.address;
    const input = { id: generateId(), purpose: "relayer.sweep", subjectId, requestId, relayer, quote } as const;
    await signRelayTransaction(ctx, work, { ...input, call: { ...call, value } });
  });
}
