/** The state of an account as the chain has it now, and whether it can be relied upon. */
import { classifyEntry } from "@cardkeep/chain/entryPolicy";
import type { AccountIntegrity } from "@cardkeep/chain/accountState";
import { countCheckedEntries, listViolations } from "@cardkeep/db/queries/accounts/integrity";
import type { Safe } from "@cardkeep/db/queries/accounts/safes";
import type { Services } from "../../core/services.ts";
import { getSnapshot } from "../../core/safeAccount.ts";
import { readUncheckedEntries } from "./checkSafe.ts";
import { policyOf } from "./readEntries.ts";

/** `AccountIntegrityStatus` of account-kit. */
export const integrityStatuses = { ok: 0, safeNotDeployed: 1, safeMisconfigured: 2, queueNotEmpty: 7 } as const;

export interface AccountState extends AccountIntegrity {
  /** An entry of no known kind waits or has run, or a spend moved nothing: the account's cards decline. */
  isChanged: boolean;
}

/**
 * What the chain and the checked entries say of an account.
 *
 * The status is 2 once a violation may have run, because a changed account can give any answer about itself: from the moment on in
 * which it left the queue, until its end is known. A request does not look for that end, which takes the account's whole history.
 */
export async function readAccountState(ctx: Services, safe: Safe): Promise<AccountState> {
  const [integrity, { checked, violations }] = await Promise.all([
    getSnapshot(ctx, safe).then((snapshot) => snapshot.readIntegrity()),
    readRecords(ctx, safe),
  ]);
  const queued = violations.flatMap(({ status, queueNonce }) => (status === "QUEUED" ? (queueNonce ?? []) : []));
  if (integrity.queueNonce > checked) queued.push(...(await listUncheckedViolations(ctx, safe, checked)));
  const mayHaveRun =
    violations.some(({ status }) => status === "EXECUTED") ||
    queued.some((queueNonce) => queueNonce < integrity.txNonce);
  const status = mayHaveRun ? integrityStatuses.safeMisconfigured : integrity.status;
  return { ...integrity, status, isChanged: mayHaveRun || queued.length > 0 };
}

/** In this order: an entry that counts as checked has its violation by the time that violations are read. */
async function readRecords({ db }: Services, safe: Safe) {
  const checked = await countCheckedEntries(db, safe.delayAddress);
  return { checked, violations: await listViolations(db, safe.id) };
}

/** Violations in the newest blocks, before the follower of the chain has recorded them. */
async function listUncheckedViolations(ctx: Services, safe: Safe, checked: bigint): Promise<bigint[]> {
  const { entries } = await readUncheckedEntries(ctx, safe);
  const policy = policyOf(ctx, safe);
  return entries
    .filter((entry) => entry.queueNonce >= checked && classifyEntry(entry, entry.operation, policy) === null)
    .map(({ queueNonce }) => queueNonce);
}
