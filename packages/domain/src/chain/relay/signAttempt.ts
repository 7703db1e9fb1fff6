/** Attempts: the signed bytes of a relay transaction. */
import { SignerFailed } from "@cardkeep/chain/errors";
import { type Fees, type RelayerKey, suggestFees } from "@cardkeep/chain/relayer";
import { insertRelayAttempt, listRelayAttempts, type RelayAttempt } from "@cardkeep/db/queries/chain/relay/attempts";
import { lockOpenRelayTransaction, type RelayTransaction } from "@cardkeep/db/queries/chain/relay/transactions";
import type { WorkerContext } from "../../core/context.ts";

type Reserved = Pick<RelayTransaction, "id" | "nonce" | "to" | "value" | "data" | "gasLimit">;

type SenderKeys = Pick<
  WorkerContext,
  "relayers" | "spender" | "formerSpenders" | "topUpKey" | "settlementKey" | "treasuryKey"
>;

/**
 * Every key that sends our transactions: relayers, each spender for the calls that only it may make, and those of the top-up
 * account, the settlement account and the treasury.
 */
export function listSenders(held: SenderKeys): RelayerKey[] {
  const { relayers, spender, formerSpenders, topUpKey, settlementKey, treasuryKey } = held;
  const others = [topUpKey, settlementKey, treasuryKey].filter((key) => key !== null);
  const keys = [spender, ...formerSpenders, ...relayers, ...others];
  return [...new Map(keys.map((key) => [key.address, key])).values()];
}

/** Signs the call of a relay transaction with these fees. @throws SignerFailed, SignedWrongly */
export async function signAttempt(
  { policy }: Pick<WorkerContext, "policy">,
  relayer: RelayerKey,
  { id, nonce, to, value, data, gasLimit }: Reserved,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
) {
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  const { chainId } = policy;
  const { raw, hash } = await relayer.sign({ to, value, data, gasLimit, nonce: Number(nonce), chainId, ...fees });
  return { hash, relayTransactionId: id, raw, isCancellation: false, ...fees };
}

/**
 * Signs and writes the first attempt of a transaction whose nonce is reserved, with the fees of now; null if it is settled.
 *
 * No lock is held while the signer works. A process that dies before the commit leaves the transaction without attempt and
 * nothing is sent, so it is signed again. Two processes at once write one attempt.
 * @throws SignerFailed, SignedWrongly, ChainUnavailable
 */
export async function signReserved(ctx: WorkerContext, reserved: RelayTransaction): Promise<RelayAttempt | null> {
  const { id, relayer: address, purpose, nonce } = reserved;
  const relayer = listSenders(ctx).find((key) => key.address === address);
  if (!relayer)
    throw new SignerFailed(`No setting names the key of ${address}, which has reserved nonces: put it back`);
  const signed = await signAttempt(ctx, relayer, reserved, suggestFees(await ctx.chain.getBlock()));
  const attempt = await ctx.commit(async ({ tx, now }) => {
    if (!(await lockOpenRelayTransaction(tx, id))) return null;
    if ((await listRelayAttempts(tx, id)).length === 0) await insertRelayAttempt(tx, { ...signed, createdAt: now });
    const [first] = await listRelayAttempts(tx, id);
    return first ?? null;
  });
  const { requestId } = reserved;
  ctx.log.info({ requestId, relayTransactionId: id, purpose, nonce: Number(nonce), hash: attempt?.hash }, "signed");
  return attempt;
}
