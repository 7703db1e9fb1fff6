/**
 * The integrity of an account: the calls of account-kit's `accountQuery`, and its status.
 *
 * account-kit takes 15 ms to build its request and as long to read the answer. A whole account and a Safe that does not
 * exist yet are recognised by the text of the answers. Only another account is given to account-kit, which names the fault.
 */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { encodeFunctionData, encodeFunctionResult, size } from "viem";
import { multicallAbi, safeViewAbi } from "../abis.ts";
import { loadAccountKit } from "../accountKit.ts";
import type { AccountAddresses } from "../predictAccount.ts";
import { deployments, sentinelAddress } from "../deployments.ts";
import type { AccountIntegrity, IntegrityStatus } from "../accountState.ts";
import type { Question, Result } from "./encodeQuestions.ts";
import { parseAnswer, readBigInt, readNumber } from "./parseAnswer.ts";
import { isWhole, readAllowance, stateCalldata } from "./spending.ts";

/** account-kit asks for so many modules; an account has two. */
const modulesMax = 10n;
const modulesCalldata = encodeFunctionData({
  abi: safeViewAbi,
  functionName: "getModulesPaginated",
  args: [sentinelAddress, modulesMax],
});

/** How many results `readAccountIntegrity` reads. */
export const integrityQuestionsCount = 10;

/** The calls of account-kit's one request about an account, in its order. */
export function buildIntegrityQuestions({ safe, delay, roles }: Omit<AccountAddresses, "bouncer">): Question[] {
  const ask = (target: Question["target"], callData: Hex): Question => ({ target, callData, allowFailure: true });
  return [
    ask(safe, stateCalldata.owners),
    ask(safe, stateCalldata.threshold),
    ask(safe, modulesCalldata),
    ask(roles, stateCalldata.owner),
    ask(roles, stateCalldata.allowance),
    ask(delay, stateCalldata.owner),
    ask(delay, stateCalldata.cooldown),
    ask(delay, stateCalldata.txNonce),
    ask(delay, stateCalldata.queueNonce),
    { ...ask(deployments.multicall, stateCalldata.timestamp), allowFailure: false },
  ];
}

interface Account {
  addresses: AccountAddresses;
  cooldownSeconds: number;
}

/**
 * Derives an account's integrity from the results of `buildIntegrityQuestions`.
 * @throws ChainUnavailable
 */
export async function readAccountIntegrity(account: Account, results: readonly Result[]): Promise<AccountIntegrity> {
  const status = recogniseStatus(account, results) ?? (await askSdk(account, results));
  const [, , , , allowance, , , txNonce, queueNonce, timestamp] = results;
  return parseAnswer("accountQuery", () => ({
    status,
    allowance: readAllowance(allowance),
    timestamp: readNumber(timestamp?.returnData),
    txNonce: readCounter(txNonce),
    queueNonce: readCounter(queueNonce),
  }));
}

/** A counter of a module that may not exist. */
export const readCounter = (result: Result | undefined): bigint =>
  result?.success && result.returnData !== "0x" ? readBigInt(result.returnData) : 0n;

/** The status of a whole account or of a missing Safe; null for every other account. */
export function recogniseStatus({ addresses, cooldownSeconds }: Account, results: readonly Result[]): 0 | 1 | 7 | null {
  const [owners, threshold, modules, rolesOwner, allowance, delayOwner, cooldown, txNonce, queueNonce] = results;
  if ([owners, threshold, modules].every((result) => result?.success && result.returnData === "0x")) return 1;
  const parts = [owners, threshold, modules, rolesOwner, delayOwner, cooldown];
  if (!isWhole(parts, addresses, cooldownSeconds)) return null;
  if (readAllowance(allowance) === null || !txNonce?.success || !queueNonce?.success) return null;
  return txNonce.returnData === queueNonce.returnData ? 0 : 7;
}

/** Longer than a Safe's answer about one owner, its threshold or ten modules. */
const answerBytesMax = 4_096;

/**
 * The status that account-kit finds. It would decode thousands of owners or modules for seconds, in which nothing else runs;
 * a Safe of its owner's own code may name as many. Such a Safe is misconfigured.
 */
export async function askSdk(
  { addresses, cooldownSeconds }: Account,
  results: readonly Result[],
): Promise<IntegrityStatus> {
  const ofSafe = results.slice(0, 3);
  if (ofSafe.every(({ success }) => success) && ofSafe.some(({ returnData }) => size(returnData) > answerBytesMax))
    return 2;
  const answer = encodeFunctionResult({ abi: multicallAbi, functionName: "aggregate3", result: [...results] });
  const { status } = await loadAccountKit().accountQuery(
    { account: addresses.safe, cooldown: cooldownSeconds },
    async () => answer,
  );
  return refineStatus(status, results);
}

/** A call to an address without code succeeds with empty data, which account-kit reports as unexpected. */
function refineStatus(status: number, [owners, , , rolesOwner, , delayOwner]: readonly Result[]): IntegrityStatus {
  const isMissing = (result: Result | undefined) => result?.returnData === "0x";
  if (status === 8 && isMissing(owners)) return 1;
  if (status === 8 && isMissing(rolesOwner)) return 3;
  if (status === 8 && isMissing(delayOwner)) return 5;
  return statuses.find((known) => known === status) ?? 8;
}

const statuses: readonly IntegrityStatus[] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
