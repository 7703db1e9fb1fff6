/** The set-up of an account: one Safe transaction of many steps, signed by the Safe's creator. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import { populateAccountSetup } from "@gnosispay/account-kit";
import {
  concat,
  decodeFunctionData,
  encodeFunctionData,
  encodePacked,
  getAddress,
  hexToBigInt,
  hexToNumber,
  isAddressEqual,
  size,
  slice,
} from "viem";
import { multiSendAbi, safeAbi } from "./abis.ts";
import { type Call, operationCodes } from "./call.ts";
import { deployments } from "./deployments.ts";
import { parseHex } from "./hex.ts";
import { buildSafeTypedData, type SafeTypedData } from "./safeTransaction.ts";

/** The configuration of an account; every field except the limit is permanent. */
export interface AccountConfig {
  token: Address;
  /** The amount that the spender may move each period, in the token's base units. */
  dailyLimit: bigint;
  periodSeconds: number;
  /** Unix seconds from which the periods are counted; 0 means the time of the set-up. */
  allowanceStartsAt: number;
  cooldownSeconds: number;
  /**
   * At least 60. With 0 calls would never expire, and a call that cannot succeed would block the account permanently.
   */
  expirationSeconds: number;
  spender: Address;
  /** The only address that the spender can pay. */
  settlement: Address;
}

/** Bytes of a packed MultiSend step before its data: operation, to, value, length. */
const stepHeadBytes = 1 + 20 + 32 + 32;

/**
 * A Safe is set up by its very first transaction. An earlier transaction could have granted rights that no query
 * shows, such as token approvals.
 */
export const setUpNonce = 0;

/**
 * The message of the Safe's owner `creator` that sets the account up and hands it over to `owners`.
 *
 * The steps are the SDK's, without the deployment of existing parts.
 * @throws Error without owners
 */
export async function buildSetUp(input: {
  safe: Address;
  creator: Address;
  chainId: number;
  owners: readonly Address[];
  config: AccountConfig;
  present: { delay: boolean; roles: boolean; bouncer: boolean };
}): Promise<SafeTypedData> {
  const { safe, chainId, present } = input;
  // Otherwise the SDK would make the creator an owner.
  if (input.owners.length === 0) throw new Error("An account needs an owner");
  const steps = await listSteps(input);
  const missing = steps.filter((step) => !deploysPresent(step, present));
  const data = encodeFunctionData({ abi: multiSendAbi, functionName: "multiSend", args: [packSteps(missing)] });
  return buildSafeTypedData({
    safe,
    chainId,
    nonce: setUpNonce,
    to: deployments.multiSend,
    data,
    operation: "DELEGATECALL",
  });
}

async function listSteps(input: Parameters<typeof buildSetUp>[0]): Promise<Call[]> {
  const { config } = input;
  const { data } = await populateAccountSetup(
    {
      account: input.safe,
      owner: input.creator,
      chainId: input.chainId,
      nonce: setUpNonce,
      beneficiaries: [...input.owners],
    },
    {
      spender: config.spender,
      receiver: config.settlement,
      token: config.token,
      allowance: { refill: config.dailyLimit, period: config.periodSeconds, timestamp: config.allowanceStartsAt },
      delay: { cooldown: config.cooldownSeconds, expiration: config.expirationSeconds },
    },
    // Only the steps are needed: the signed message consists of the missing ones.
    async () => "0x",
  );
  const { args } = decodeFunctionData({ abi: safeAbi, data: parseHex(data) });
  const batch = decodeFunctionData({ abi: multiSendAbi, data: args[2] });
  return unpackSteps(batch.args[0]);
}

function deploysPresent(step: Call, present: { delay: boolean; roles: boolean; bouncer: boolean }): boolean {
  if (isAddressEqual(step.to, deployments.singletonFactory)) return present.bouncer;
  if (!isAddressEqual(step.to, deployments.moduleProxyFactory)) return false;
  // The first argument of `deployModule` is the mastercopy, in the last 20 bytes of its word.
  const mastercopy = slice(step.data, 4 + 12, 4 + 32);
  return isAddressEqual(mastercopy, deployments.delayMastercopy) ? present.delay : present.roles;
}

function packSteps(steps: readonly Call[]): Hex {
  const types = ["uint8", "address", "uint256", "uint256", "bytes"] as const;
  return concat(
    steps.map(({ to, value, data }) => encodePacked(types, [operationCodes.CALL, to, value, BigInt(size(data)), data])),
  );
}

/** The steps of a MultiSend batch of plain calls, in order. */
export function unpackSteps(packed: Hex): Call[] {
  const steps: Call[] = [];
  for (let at = 0; at < size(packed);) {
    const length = hexToNumber(slice(packed, at + 53, at + stepHeadBytes));
    const end = at + stepHeadBytes + length;
    steps.push({
      to: getAddress(slice(packed, at + 1, at + 21)),
      value: hexToBigInt(slice(packed, at + 21, at + 53)),
      data: length === 0 ? "0x" : slice(packed, at + stepHeadBytes, end),
    });
    at = end;
  }
  return steps;
}
