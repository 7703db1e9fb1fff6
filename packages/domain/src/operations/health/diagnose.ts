/** What is wrong, for the operator: the parts of `/readyz`, and the further checks of `doctor`. */
import { describeFunds } from "../../chain/funds/compareFunds.ts";
import type { Services } from "../../core/services.ts";
import { countSigners } from "../../chain/signers/describeSigners.ts";
import { checkBooks } from "./checkBooks.ts";
import { checkCardholders } from "./checkCardholders.ts";
import { checkCases } from "./checkCases.ts";
import { checkChainClock, checkDatabaseClock } from "./checkClocks.ts";
import { checkConnections, checkLostMachines, checkStatementTimeout } from "./checkConnections.ts";
import { checkContracts, checkRelayers, checkSpender } from "./checkContracts.ts";
import {
  checkBackfills,
  checkDatabase,
  checkDatabaseRole,
  checkPartitions,
  checkSecrets,
  reportMigrations,
} from "./checkDatabase.ts";
import { checkHealth, type Health } from "./checkHealth.ts";
import { checkKeys } from "./checkKeys.ts";
import { checkLateCards } from "./checkLateCards.ts";
import {
  checkCardIssuer,
  checkEmoney,
  checkIdentityProvider,
  checkIssuerBalance,
  checkOpenid,
} from "./checkProviders.ts";
import { checkQueuing, checkRevertedGas } from "./checkOperations.ts";
import { checkLostEvents, checkReconciliation } from "./checkReconciliation.ts";
import { checkAccounts, checkDebts, checkRefunds, checkReturns, checkThreads } from "./checkRefunds.ts";
import { checkChores, checkFailedJobs, checkWaitingJobs, checkWorker } from "./checkWorker.ts";
import { checkChainKeys } from "./listChainKeys.ts";
import { checkCover, checkTreasuryGas } from "./checkTreasury.ts";
import { checkTopUps } from "./checkTopUps.ts";
import { type Finding, finding, formatCause, reportPart } from "./finding.ts";

/** A stopped part is no fault: an operator wants it so. */
const reportStops = ({ stops: { reason } }: Health["parts"]): Finding =>
  reason === undefined
    ? finding("stop switches", "ok", "Nothing is stopped")
    : finding("stop switches", "warning", `${reason}; \`cardkeep stops set <name> off --reason <why>\` resumes`);

/**
 * Runs every check. It always answers, within the time limits of database, chain and providers. Without `asksProviders` no
 * request goes to a provider, and its check is missing. `onProgress` gets the number of checks that ended, of how many began.
 */
export async function diagnose(
  ctx: Services,
  {
    asksProviders = true,
    onProgress = () => {},
  }: { asksProviders?: boolean; onProgress?: (ended: number, began: number) => void } = {},
): Promise<Finding[]> {
  const { parts } = await checkHealth(ctx);
  const onDatabase =
    parts.database.status !== "down" && parts.migrations.status !== "down" ? null : "the database comes first";
  const onChain = parts.chain.status === "ok" ? null : "the chain comes first";
  const onBoth = onDatabase ?? onChain;
  const counts = { began: 0, ended: 0 };
  const look = async (
    check: string,
    obstacle: string | null,
    run: () => Promise<Finding | Finding[]>,
  ): Promise<Finding | Finding[]> => {
    if (obstacle !== null) return finding(check, "warning", `Not looked at: ${obstacle}`);
    counts.began += 1;
    return run()
      .catch((error: unknown) => finding(check, "fault", `Cannot be looked at: ${formatCause(error)}`))
      .finally(() => onProgress((counts.ended += 1), counts.began));
  };
  const findings = await Promise.all([
    checkDatabase(ctx, parts.database),
    look("connections", parts.database.status === "down" ? onDatabase : null, () => checkConnections(ctx)),
    look("statement timeout", parts.database.status === "down" ? onDatabase : null, () => checkStatementTimeout(ctx)),
    look("lost machines", parts.database.status === "down" ? onDatabase : null, () => checkLostMachines(ctx)),
    look("migrations", parts.database.status === "down" ? onDatabase : null, async () => reportMigrations(parts)),
    look("database role", onDatabase, () => checkDatabaseRole(ctx)),
    look("partitions", onDatabase, () => checkPartitions(ctx)),
    look("backfills", onDatabase, () => checkBackfills(ctx)),
    look("secrets", onDatabase, () => checkSecrets(ctx)),
    look("keys", onDatabase, () => checkKeys(ctx)),
    look("worker", onDatabase, () => checkWorker(ctx, parts)),
    look("chores", onDatabase, () => checkChores(ctx, parts)),
    look("waiting jobs", onDatabase, () => checkWaitingJobs(ctx)),
    look("failed jobs", onDatabase, () => checkFailedJobs(ctx)),
    reportPart("chain", parts.chain, `On chain ${ctx.policy.chainId}`, "see RPC_URL and CHAIN_ID"),
    look("contracts", onChain, () => checkContracts(ctx)),
    look("spender", onChain, () => checkSpender(ctx)),
    look("chain keys", onDatabase, () => checkChainKeys(ctx)),
    look("card returns", onBoth, () => checkReturns(ctx)),
    look("refunds", onDatabase, () => checkRefunds(ctx)),
    look("unbooked threads", onDatabase, () => checkThreads(ctx)),
    look("accounts", onDatabase, () => checkAccounts(ctx)),
    look("card debts", onDatabase, () => checkDebts(ctx)),
    look("people at the issuer", onDatabase, () => checkCardholders(ctx)),
    look("cards at the issuer", onDatabase, () => checkLateCards(ctx)),
    look("cases", onDatabase, () => checkCases(ctx)),
    look("spends", onDatabase, async () =>
      reportPart("spends", parts.spends, "All move in time", "see the worker's log"),
    ),
    look("settlement funds", onDatabase, async () =>
      reportPart("settlement funds", parts.funds, await describeFunds(ctx), "see Proof of funds in apps/cli/README.md"),
    ),
    look("cover at the issuer", onDatabase, () => checkCover(ctx)),
    look("treasury gas", onBoth, () => checkTreasuryGas(ctx)),
    look("stop switches", onDatabase, async () => reportStops(parts)),
    look("reconciliation", onDatabase, () => checkReconciliation(ctx)),
    look("books", onDatabase, () => checkBooks(ctx)),
    look("events", onDatabase, () => checkLostEvents(ctx)),
    look("signers", onDatabase, async () =>
      reportPart("signers", parts.signers, await countSigners(ctx), "see Signers in apps/cli/README.md"),
    ),
    look("operations", onDatabase, () => checkQueuing(ctx)),
    look("reverted gas", onDatabase, () => checkRevertedGas(ctx)),
    look("relayers", onBoth, () => checkRelayers(ctx, parts)),
    look("top-ups", onBoth, () => checkTopUps(ctx)),
    look("database clock", onDatabase, () => checkDatabaseClock(ctx)),
    look("chain clock", onBoth, () => checkChainClock(ctx)),
    ...(asksProviders
      ? [
          look("identity provider", null, () => checkIdentityProvider(ctx)),
          look("card issuer", null, () => checkCardIssuer(ctx)),
          look("balance at the issuer", null, () => checkIssuerBalance(ctx)),
          look("e-money institution", null, () => checkEmoney(ctx)),
          look("OpenID provider", null, () => checkOpenid(ctx)),
        ]
      : []),
  ]);
  return findings.flat();
}
