/** The one transaction that creates an account. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { getAddress } from "viem";
import { loadAccountKit } from "./accountKit.ts";
import type { Call } from "./call.ts";
import { buildMulticall } from "./multicall.ts";
import { parseHex } from "./hex.ts";
import { predictAccount } from "./predictAccount.ts";
import { buildSafeExecution } from "./safeTransaction.ts";
import type { AccountConfig } from "./accountConfig.ts";
import { buildSetUp } from "./setup.ts";
import { type Signer, signTypedData } from "./signer.ts";

/**
 * The call that creates a Safe with `creator` as its only owner. Every account may send it; a second time it reverts.
 */
export function buildCreation(input: { creator: Address; saltNonce: bigint }): Call {
  const { to, data } = loadAccountKit().populateAccountCreation({
    owner: input.creator,
    creationNonce: input.saltNonce,
  });
  return { to: getAddress(to), value: 0n, data: parseHex(data) };
}

/**
 * The call that creates an account which only its owners can move. Every account may send it.
 *
 * It is atomic: the Safe is created for the operator and handed over in the same transaction. A second time it
 * reverts. `present` names the parts that already have code, because deploying them again would revert. A part's
 * address commits to its set-up, so a part that a stranger deployed is harmless.
 * @throws Error without owners; SignerFailed, SignedWrongly
 */
export async function buildDeployment(input: {
  operator: Signer;
  chainId: number;
  saltNonce: bigint;
  owners: readonly Address[];
  config: AccountConfig;
  present: { safe: boolean; delay: boolean; roles: boolean; bouncer: boolean };
}): Promise<Call> {
  const creator = input.operator.address;
  const { safe } = predictAccount({ creator, saltNonce: input.saltNonce });
  const typed = await buildSetUp({ ...input, safe, creator });
  const setUp = buildSafeExecution(typed, await signTypedData(input.operator, typed));
  if (input.present.safe) return setUp;
  return buildMulticall([buildCreation({ creator, saltNonce: input.saltNonce }), setUp]);
}
