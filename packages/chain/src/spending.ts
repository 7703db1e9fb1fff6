/**
 * Card money on chain. All pure.
 *
 * A spend is a message that the spender signs for the Safe's Roles module. Every account may send it, and it runs
 * once, even if our records are lost. A return is the settlement account's own transfer, moved by the spender within an
 * approval. A tag after its arguments identifies it; the token ignores the tag.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { LRUCache } from "lru-cache";
import {
  concat,
  encodeEventTopics,
  encodeFunctionData,
  erc20Abi,
  isAddressEqual,
  keccak256,
  pad,
  size,
  slice,
  toHex,
} from "viem";
import { rolesAbi } from "./abis.ts";
import { type Call, operationCodes } from "./call.ts";
import { buildEnqueue, buildModuleTypedData, hashModuleMessage, type ModuleTypedData, parseEnqueue } from "./delay.ts";
import { parseDelayEvent } from "./delayLogs.ts";
import { spendingRoleKey } from "./deployments.ts";
import { encodeNumber, parseHex, wordDigits } from "./hex.ts";
import type { ChainLog, LogTopics } from "./log.ts";
import { buildTransfer } from "./tokens.ts";
import { listTransfers } from "./transfers.ts";

/** A spend before its signature: the signed data, and the hash by which the Roles module records that it ran. */
export interface Spend {
  roles: Address;
  data: Hex;
  salt: Hex;
  messageHash: Hex;
}

/** 32 bytes for one transfer. The same name always gives the same bytes. */
export const nameTransfer = (name: string): Hex => keccak256(toHex(`cardkeep:${name}`));

/**
 * The spend of `amount` base units to the settlement account. The Roles module runs it once per salt and amount. It
 * reverts as a whole if allowance, receiver or balance do not permit it. Source: zodiac Roles v2, `SignatureChecker`.
 */
export function buildSpend(input: {
  roles: Address;
  chainId: number;
  token: Address;
  settlement: Address;
  amount: bigint;
  salt: Hex;
}): Spend {
  const { roles, chainId, token, settlement, amount, salt } = input;
  const { before, after } = findSpendTemplate(token, settlement);
  const data: Hex = `${before}${encodeNumber(amount)}${after}`;
  return { roles, data, salt, messageHash: hashModuleMessage({ delay: roles, chainId, data, salt }) };
}

/** The calldata of a spend around its amount. */
interface SpendTemplate {
  before: Hex;
  after: string;
}

/** The spends of a token differ in their amount alone; the general encoder takes longer than all the rest of a spend. */
const templates = new LRUCache<string, SpendTemplate>({ max: 16 });
/** Four bytes of selector and two words of arguments are padded to whole words. */
const paddingDigits = 56;

function findSpendTemplate(token: Address, settlement: Address): SpendTemplate {
  const key = `${token} ${settlement}`;
  const known = templates.get(key);
  if (known) return known;
  const transfer = buildTransfer({ token, to: settlement, amount: 0n });
  const data = encodeFunctionData({
    abi: rolesAbi,
    functionName: "execTransactionWithRole",
    args: [transfer.to, transfer.value, transfer.data, operationCodes.CALL, spendingRoleKey, true],
  });
  const amountEnd = data.length - paddingDigits;
  const template = { before: parseHex(data.slice(0, amountEnd - wordDigits)), after: data.slice(amountEnd) };
  templates.set(key, template);
  return template;
}

/** The typed data for the spender; both modules of a Safe use the same form. */
export const buildSpendTypedData = (
  { roles, data, salt }: Omit<Spend, "messageHash">,
  chainId: number,
): ModuleTypedData => buildModuleTypedData({ delay: roles, chainId, data, salt });

/** The call that runs a signed spend. Every account may send it. */
export const buildSignedSpend = ({ roles, data, salt }: Omit<Spend, "messageHash">, signature: Hex): Call =>
  buildEnqueue({ delay: roles, data, salt, signature });

/** The Roles module's log about a signed spend that ran; null if the logs do not contain it. */
export const findSpendLog = (
  logs: readonly ChainLog[],
  { roles, messageHash }: Pick<Spend, "roles" | "messageHash">,
): ChainLog | null =>
  logs.find((log) => {
    if (!isAddressEqual(log.address, roles)) return false;
    const event = parseDelayEvent(log);
    return event?.eventName === "HashExecuted" && event.args.hash === messageHash.toLowerCase();
  }) ?? null;

/**
 * What a receipt proves about a signed spend. `absent`: it did not run in it. `unmoved`: it ran, but moved no money.
 * `moved`: the token sent `amount` from the Safe to the settlement account.
 *
 * The token's log counts between this spend's own log and the next spend's of the same module. Several signed spends
 * can run in one transaction, and one transfer must not prove two of them.
 * @param logs all logs of one receipt, in the chain's order
 */
export function proveSpend(
  logs: readonly ChainLog[],
  spend: Pick<Spend, "roles" | "messageHash"> & { token: Address; safe: Address; settlement: Address; amount: bigint },
): "absent" | "unmoved" | "moved" {
  const { roles, token, safe, settlement, amount } = spend;
  const begin = findSpendLog(logs, spend);
  if (!begin) return "absent";
  const rest = logs.slice(logs.indexOf(begin) + 1);
  const next = rest.findIndex(
    (log) => isAddressEqual(log.address, roles) && parseDelayEvent(log)?.eventName === "HashExecuted",
  );
  const own = next === -1 ? rest : rest.slice(0, next);
  return hasTransfer(own, { token, from: safe, to: settlement, amount }) ? "moved" : "unmoved";
}

const tagBytes = 32;

/** The spender's call that moves `amount` base units from an account that approved it; `tag` is 32 bytes. */
export function buildReturn(input: { token: Address; from: Address; to: Address; amount: bigint; tag: Hex }): Call {
  const args = [input.from, input.to, input.amount] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args });
  return { to: input.token, value: 0n, data: concat([data, input.tag]) };
}

/** A transfer of the sender's own tokens with a tag behind it, by which it is found again. */
export function buildTaggedTransfer(input: { token: Address; to: Address; amount: bigint; tag: Hex }): Call {
  const call = buildTransfer(input);
  return { ...call, data: concat([call.data, input.tag]) };
}

/** The tag at the end of a return's calldata. */
export const findReturnTag = (data: Hex): Hex | null =>
  size(data) < tagBytes ? null : slice(data, size(data) - tagBytes);

/** The salt of a signed spend's calldata; null for any other calldata. */
export const findSpendSalt = (data: Hex): Hex | null => parseEnqueue(data)?.salt ?? null;

/** Topics of a token's transfers to the settlement account, by spends, or from it, by returns. */
export const buildSettlementTopics = (settlement: Address, direction: "spend" | "return"): LogTopics =>
  direction === "spend" ? [transferTopic, null, pad(settlement)] : [transferTopic, pad(settlement)];

/** Whether the logs contain a transfer of this amount between two accounts. */
export const hasTransfer = (
  logs: readonly ChainLog[],
  { token, from, to, amount }: { token: Address; from: Address; to: Address; amount: bigint },
): boolean =>
  listTransfers(logs, { token, to }).some(
    (transfer) => isAddressEqual(transfer.from, from) && transfer.amount === amount,
  );

const [transferTopic = "0x"] = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer" });

/** Topics of a token's transfers from one account to another. */
export const buildTransferTopics = ({ from, to }: { from: Address; to: Address }): LogTopics => [
  transferTopic,
  pad(from),
  pad(to),
];
