/** An operation's place in the queue of its Safe's Delay module, as its row knows it. */
import { delayMachine } from "@cardkeep/contract/accounts/delays";
import { listFinalStates } from "@cardkeep/contract/core/machine";
import type { DelayTransaction } from "@cardkeep/db/queries/accounts/delays/delays";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import { describeOperation, type OperationEffect, summariseEffect } from "./describeOperation.ts";

/** One operation of the queue; each instant is null before it, or where it never came. */
export interface QueuedOperation extends Pick<DelayTransaction, "id" | "status" | "queueNonce" | "reason"> {
  effect: OperationEffect;
  /** The effect in a few words. */
  label: string;
  acceptedAt: Date;
  /** Its enqueue is mined, and the cooldown begins. */
  queuedAt: Date | null;
  /** The cooldown is over. */
  readyAt: Date | null;
  /** By then it must be executed. */
  expiresAt: Date | null;
  endedAt: Date | null;
  isExecuted: boolean;
  /** The contract executes no other one before it. */
  isHead: boolean;
}

export const isFinal = ({ status }: DelayTransaction): boolean => listFinalStates(delayMachine).includes(status);

/** The id of the operation that the contract executes first, among all open ones of a Safe; null where none is queued. */
export function findFirstQueued(rows: readonly DelayTransaction[]): string | null {
  const queued = rows.filter((row) => row.queueNonce !== null && !isFinal(row));
  const [first] = queued.toSorted((a, b) => Number((a.queueNonce ?? 0n) - (b.queueNonce ?? 0n)));
  return first?.id ?? null;
}

/** Reads an operation's place out of its row; a limit is in its Safe's token. */
export function describePlace(
  row: DelayTransaction,
  { tokenSymbol, cooldownSeconds }: Pick<Safe, "tokenSymbol" | "cooldownSeconds">,
  isHead: boolean,
): QueuedOperation {
  const { id, status, queueNonce, reason, readyAt, expiresAt } = row;
  const effect = describeOperation(row, tokenSymbol);
  return {
    id,
    status,
    queueNonce,
    reason,
    effect,
    label: summariseEffect(effect),
    acceptedAt: row.createdAt,
    queuedAt: readyAt && new Date(readyAt.getTime() - cooldownSeconds * 1000),
    readyAt,
    expiresAt,
    endedAt: isFinal(row) ? row.updatedAt : null,
    isExecuted: status === "EXECUTED",
    isHead,
  };
}
