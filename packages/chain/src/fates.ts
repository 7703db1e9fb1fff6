/** Finds out how calls left a Delay module's queue. The module itself does not record it. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { encodeEventTopics, isAddressEqual } from "viem";
import { delayAbi } from "./abis.ts";
import { executionSuccessTopic, isExecutionSuccess, parseDelayEvent } from "./delayLogs.ts";
import type { ChainLog, LogTopics } from "./log.ts";

/** How a call left the queue; for an executed call, the transaction that executed it. */
export type Fate =
  | { kind: "executed"; transactionHash: Hex; blockNumber: bigint; blockHash: Hex }
  | { kind: "skipped" };

/** The settings that determine when a call may run and when it expires. */
export interface QueueSettings {
  cooldownSeconds: number;
  /** 0 is no expiration, as the contract has it. */
  expirationSeconds: number;
}

/** From when on a call may run, and until when, in unix seconds of the chain; null for ever. */
export interface CallTimes {
  readonly readyAt: number;
  readonly expiresAt: number | null;
}

/** The times of a call that was queued at `createdAt`. Nothing else may add an expiration to an instant. */
export function computeTimes(createdAt: number, { cooldownSeconds, expirationSeconds }: QueueSettings): CallTimes {
  const readyAt = createdAt + cooldownSeconds;
  return { readyAt, expiresAt: expirationSeconds === 0 ? null : readyAt + expirationSeconds };
}

/** Whether a call can never run again. */
export const isExpired = ({ expiresAt }: CallTimes, at: number): boolean => expiresAt !== null && at > expiresAt;

interface Waiting {
  queueNonce: bigint;
  createdAt: number;
}

const settingsEvents = ["TxCooldownSet", "TxExpirationSet"] as const;
const delayTopics = (["TransactionAdded", "TxNonceSet", ...settingsEvents] as const).map((eventName) => {
  const [signature] = encodeEventTopics({ abi: delayAbi, eventName });
  return signature;
});

/** Topics of the logs that `assignFates` reads. */
export const fateTopics: LogTopics = [[executionSuccessTopic, ...delayTopics]];

/** Whether a log concerns calls that leave a Delay module's queue; a Safe runs calls of other modules too. */
export const isFateLog = (log: ChainLog, { safe, delay }: { safe: Address; delay: Address }): boolean =>
  isAddressEqual(log.address, delay) || isExecutionSuccess(log, { safe, delay });

/** Whether a log of a Delay module shows a change of its settings. */
export function isSettingsChange(log: ChainLog, delay: Address): boolean {
  const event = isAddressEqual(log.address, delay) ? parseDelayEvent(log) : null;
  return settingsEvents.some((eventName) => eventName === event?.eventName);
}

/**
 * The fate of the calls with a `queueNonce` below `txNonce` that the logs show, and of later ones shown as executed. A call
 * that left the queue has none while it is neither shown as executed nor expired: the logs may be of a node that lags.
 *
 * Calls leave in queue order, and an expired call cannot run. So each success of the Safe belongs to the first
 * waiting call that had not expired, by the cooldown and expiration before that transaction.
 * @param input.logs all logs of Safe and Delay module since a block before which the queue was empty, in the chain's
 * order
 * @param input.settings the settings before those logs; absent for logs since the set-up, which contain them
 * @param input.timestamps unix seconds of every block that the logs are in
 * @param input.headAt unix seconds of the last block whose logs were asked for
 * @throws Error when a block's time is missing
 */
export function assignFates(input: {
  safe: Address;
  delay: Address;
  txNonce: bigint;
  logs: readonly ChainLog[];
  timestamps: ReadonlyMap<bigint, number>;
  headAt: number;
  settings?: QueueSettings;
}): Map<bigint, Fate> {
  const fates = new Map<bigint, Fate>();
  const waiting: Waiting[] = [];
  const skipWhile = (isGone: (head: Waiting) => boolean) => {
    for (let head = waiting[0]; head && isGone(head); head = waiting[0]) {
      fates.set(head.queueNonce, { kind: "skipped" });
      waiting.shift();
    }
  };
  let settings: QueueSettings = input.settings ?? { cooldownSeconds: 0, expirationSeconds: 0 };
  // A call may change the settings or the nonce. Its success is logged after the change, but it ran under the old
  // ones.
  let changes: { transactionHash: Hex; apply: () => void }[] = [];
  const applyChanges = () => {
    for (const { apply } of changes) apply();
    changes = [];
  };

  for (const log of input.logs) {
    if (changes.some(({ transactionHash }) => transactionHash !== log.transactionHash)) applyChanges();
    const { transactionHash, blockNumber, blockHash } = log;
    const at = input.timestamps.get(blockNumber);
    if (at === undefined) throw new Error(`No time is given for block ${blockNumber}`);
    if (isExecutionSuccess(log, input)) {
      skipWhile((head) => isExpired(computeTimes(head.createdAt, settings), at));
      const executed = waiting.shift();
      if (executed) fates.set(executed.queueNonce, { kind: "executed", transactionHash, blockNumber, blockHash });
      applyChanges();
      continue;
    }
    const event = isAddressEqual(log.address, input.delay) ? parseDelayEvent(log) : null;
    if (event?.eventName === "TransactionAdded") {
      waiting.push({ queueNonce: event.args.queueNonce, createdAt: at });
    } else if (event?.eventName === "TxCooldownSet") {
      const cooldownSeconds = Number(event.args.cooldown);
      changes.push({ transactionHash, apply: () => (settings = { ...settings, cooldownSeconds }) });
    } else if (event?.eventName === "TxExpirationSet") {
      const expirationSeconds = Number(event.args.expiration);
      changes.push({ transactionHash, apply: () => (settings = { ...settings, expirationSeconds }) });
    } else if (event?.eventName === "TxNonceSet") {
      const { nonce } = event.args;
      changes.push({ transactionHash, apply: () => skipWhile((head) => head.queueNonce < nonce) });
    }
  }
  applyChanges();
  skipWhile(
    (head) => head.queueNonce < input.txNonce && isExpired(computeTimes(head.createdAt, settings), input.headAt),
  );
  return fates;
}
