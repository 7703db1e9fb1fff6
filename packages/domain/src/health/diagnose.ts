/** What is wrong, for the operator: the parts of `/readyz`, and the further checks of `doctor`. */
import { suggestFees } from "@cardkeep/chain/relayer";
import { toBaseUnits, tokens } from "@cardkeep/chain/tokens";
import { countLivingPools, findSurplus } from "@cardkeep/db/queue/liveness";
import { listChoreAges } from "@cardkeep/db/queries/chores";
import { listNewestDebtors, sumDebts } from "@cardkeep/db/queries/spending/debts";
import { readDatabaseTime, readServerVersion } from "@cardkeep/db/queries/health";
import { listChangedSafes } from "@cardkeep/db/queries/integrity";
import { countJobs } from "@cardkeep/db/queue/inspect";
import { ProviderRefused } from "@cardkeep/providers/http";
import { randomUUID } from "node:crypto";
import type { Services } from "../services.ts";
import { formatDebt } from "../wording.ts";
import { generateId } from "../generateId.ts";
import { checkHealth, describeSurplus, type Health, jobWaitSecondsMax, type PartHealth } from "./checkHealth.ts";
import { findSpenderFault, listContractFaults } from "./listContractFaults.ts";
import { checkRefunds, checkSecrets, type Finding, type Severity } from "./finding.ts";
import { describeFunds } from "../funds/compareFunds.ts";
import { listRelayers } from "./listRelayers.ts";

/** The oldest PostgreSQL that this program was tried on. */
const postgresMajorMin = 15;

/** More than network and block time explain. */
const skewSecondsMax = 60;

const finding = (check: string, severity: Severity, text: string): Finding => ({ check, severity, text });
const seconds = (ms: number): number => Math.round(Math.abs(ms) / 1000);

/** Looks at everything the service rests on; answers always, within the deadlines of database, chain and partners. */
export async function diagnose(ctx: Services): Promise<Finding[]> {
  const { parts } = await checkHealth(ctx);
  const onDatabase =
    parts.database.status !== "down" && parts.migrations.status !== "down" ? null : "the database comes first";
  const onChain = parts.chain.status === "ok" ? null : "the chain comes first";
  const onBoth = onDatabase ?? onChain;
  const look = async (check: string, obstacle: string | null, run: () => Promise<Finding>): Promise<Finding> => {
    if (obstacle !== null) return finding(check, "warning", `Not looked at: ${obstacle}`);
    return run().catch((error: unknown) => finding(check, "fault", `Cannot be looked at: ${formatCause(error)}`));
  };
  return Promise.all([
    checkDatabase(ctx, parts.database),
    look("migrations", parts.database.status === "down" ? onDatabase : null, async () => reportMigrations(parts)),
    look("secrets", onDatabase, () => checkSecrets(ctx)),
    look("worker", onDatabase, () => checkWorker(ctx, parts)),
    look("chores", onDatabase, () => checkChores(ctx, parts)),
    look("waiting jobs", onDatabase, () => checkWaitingJobs(ctx)),
    look("failed jobs", onDatabase, () => checkFailedJobs(ctx)),
    reportPart("chain", parts.chain, `On chain ${ctx.rules.chainId}`, "see RPC_URL and CHAIN_ID"),
    look("contracts", onChain, () => checkContracts(ctx)),
    look("spender", onChain, () => checkSpender(ctx)),
    look("card returns", onChain, () => checkReturns(ctx)),
    look("refunds", onDatabase, () => checkRefunds(ctx)),
    look("accounts", onDatabase, () => checkAccounts(ctx)),
    look("card debts", onDatabase, () => checkDebts(ctx)),
    look("spends", onDatabase, async () =>
      reportPart("spends", parts.spends, "All move in time", "see the worker's log"),
    ),
    look("settlement funds", onDatabase, async () =>
      reportPart("settlement funds", parts.funds, await describeFunds(ctx), "see Proof of funds in apps/cli/README.md"),
    ),
    look("relayers", onBoth, () => checkRelayers(ctx, parts)),
    look("database clock", onDatabase, () => checkDatabaseClock(ctx)),
    look("chain clock", onBoth, () => checkChainClock(ctx)),
    look("identity provider", null, () => checkIdentityProvider(ctx)),
    look("card issuer", null, () => checkCardIssuer(ctx)),
    look("e-money institution", null, () => checkEmoney(ctx)),
  ]);
}

/** The innermost words: a failed query's own quote its parameters, which are people's data. */
function formatCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

const reportPart = (check: string, { status, reason }: PartHealth, well: string, advice: string): Finding =>
  status === "ok" ? finding(check, "ok", well) : finding(check, "fault", `${reason ?? status}; ${advice}`);

async function checkDatabase({ db }: Services, part: PartHealth): Promise<Finding> {
  if (part.status === "degraded") return finding("database", "warning", part.reason ?? part.status);
  const advice = "start it, or see DATABASE_URL";
  const answered = part.status === "ok" ? await readServerVersion(db).catch(() => null) : null;
  if (!answered || answered.major >= postgresMajorMin)
    return reportPart("database", part, `PostgreSQL ${answered?.version ?? ""} answers`, advice);
  const text = `PostgreSQL ${answered.version} is older than ${postgresMajorMin}, the oldest that was tried: move to a newer one`;
  return finding("database", "warning", text);
}

/** A database that is newer serves on. */
function reportMigrations({ migrations }: Health["parts"]): Finding {
  if (migrations.status === "ok") return finding("migrations", "ok", "At this version");
  const severity = migrations.status === "down" ? "fault" : "warning";
  return finding("migrations", severity, migrations.reason ?? migrations.status);
}

/** Jobs that wait are another check's: here it counts whether anybody takes them. */
async function checkWorker({ db }: Services, { worker }: Health["parts"]): Promise<Finding> {
  const [count, surplus] = await Promise.all([countLivingPools(db), findSurplus(db)]);
  if (surplus !== null) return finding("worker", "warning", describeSurplus(surplus));
  return count > 0
    ? finding("worker", "ok", `${count} ${count === 1 ? "takes" : "take"} jobs`)
    : finding("worker", "fault", worker.reason ?? worker.status);
}

async function checkChores({ db }: Services, { chores }: Health["parts"]): Promise<Finding> {
  if (chores.status !== "ok") return finding("chores", "fault", chores.reason ?? chores.status);
  const ages = await listChoreAges(db);
  const oldestSeconds = Math.ceil(Math.max(0, ...ages.map(({ seconds }) => seconds)));
  return finding("chores", "ok", `None is overdue; the oldest last success is ${oldestSeconds} s ago`);
}

async function checkWaitingJobs({ db }: Services): Promise<Finding> {
  const waiting = (await countJobs(db)).filter(({ state }) => state === "waiting");
  const oldest = waiting.toSorted((a, b) => b.oldestSeconds - a.oldestSeconds)[0];
  if (!oldest) return finding("waiting jobs", "ok", "None waits");
  const text = `The oldest waits for ${Math.round(oldest.oldestSeconds)} s (${oldest.task})`;
  return oldest.oldestSeconds <= jobWaitSecondsMax
    ? finding("waiting jobs", "ok", text)
    : finding("waiting jobs", "warning", `${text}: run more workers, and see \`bun run cardkeep jobs list --waiting\``);
}

async function checkFailedJobs({ db }: Services): Promise<Finding> {
  const failed = (await countJobs(db)).filter(({ state }) => state === "failed");
  if (failed.length === 0) return finding("failed jobs", "ok", "None was given up");
  const tasks = failed.map(({ task, count }) => `${count} ${task}`).join(", ");
  const text = `Given up: ${tasks}; see \`bun run cardkeep jobs list --failed\`, then \`jobs retry\``;
  return finding("failed jobs", "fault", text);
}

async function checkContracts(ctx: Services): Promise<Finding> {
  const faults = await listContractFaults(ctx);
  return faults.length === 0
    ? finding("contracts", "ok", "All shared contracts hold the code that is known of them")
    : finding("contracts", "fault", faults.join("; "));
}

async function checkSpender(ctx: Services): Promise<Finding> {
  const fault = await findSpenderFault(ctx);
  return fault === null ? finding("spender", "ok", "It is a key, not a contract") : finding("spender", "fault", fault);
}

/** So many are named; the metric has their number. */
const namedMax = 5;

/** Accounts whose owners queued what changes them: their cards decline. */
async function checkAccounts({ db }: Services): Promise<Finding> {
  const changed = await listChangedSafes(db, namedMax);
  if (changed.length === 0) return finding("accounts", "ok", "All as they were set up");
  const text = `Not as they were set up, so their cards decline: ${changed.join(", ")}; see \`users show\` of each`;
  return finding("accounts", "warning", text);
}

async function checkDebts({ db }: Services): Promise<Finding> {
  const [debts, debtors] = await Promise.all([sumDebts(db, null), listNewestDebtors(db, namedMax)]);
  if (debts.length === 0) return finding("card debts", "ok", "None is open");
  const text = `${debts.map(formatDebt).join(", ")} did not leave the accounts of ${debtors.join(", ")}; see \`users list --owing\``;
  return finding("card debts", "warning", text);
}

/** One that cannot pay, or has a hole in its nonces, brings its Safes to a standstill; one that soon cannot is a warning. */
async function checkRelayers(ctx: Services, { relayers }: Health["parts"]): Promise<Finding> {
  const rows = await listRelayers(ctx);
  const isStuck = rows.some(({ operationsFunded, nonceGap }) => operationsFunded === 0n || nonceGap > 0n);
  if (relayers.status !== "ok")
    return finding("relayers", isStuck ? "fault" : "warning", relayers.reason ?? relayers.status);
  const poorest = rows.reduce((a, b) => (b.operationsFunded < a.operationsFunded ? b : a));
  return finding(
    "relayers",
    "ok",
    `${rows.length}, each with funds for ${poorest.operationsFunded} operations or more`,
  );
}

/** So many whole tokens have to be approved for refunds and reversals to go through a while. */
const approvalMin = 1_000;

/** Card money goes back from the settlement account, by the spender and within what that account lets it move. */
async function checkReturns({ chain, rules }: Services): Promise<Finding> {
  const { settlementAddress: owner, spenderAddress: spender } = rules;
  const all = Object.values(tokens);
  const approvals = await Promise.all(all.map(({ address: token }) => chain.getApproval({ token, owner, spender })));
  const short = all.filter((token, index) => (approvals[index] ?? 0n) < toBaseUnits(approvalMin, token));
  if (short.length > 0) {
    const symbols = short.map(({ symbol }) => symbol).join(", ");
    return finding("card returns", "fault", `No refund goes back in ${symbols}: ${owner} has to approve ${spender}`);
  }
  const { maxFeePerGas } = suggestFees(await chain.getBlock());
  const funded = (await chain.getNativeBalance(spender)) / (returnGas * maxFeePerGas);
  return funded >= returnsFundedMin
    ? finding("card returns", "ok", "The settlement account lets the spender give money back")
    : finding("card returns", "warning", `${spender}, the spender, is out of funds soon: send it native tokens`);
}

/** What a return takes at most, and for how many of them the spender should hold gas. */
const returnGas = 100_000n;
const returnsFundedMin = 100n;

async function checkDatabaseClock({ db }: Services): Promise<Finding> {
  const askedAt = Date.now();
  const answered = await readDatabaseTime(db);
  const skewMs = answered.getTime() - (askedAt + Date.now()) / 2;
  return reportSkew("database clock", skewMs, "this machine's: set both by one time service");
}

/** Against the service's time, which the sandbox may have moved ahead of this machine's together with the chain's. */
async function checkChainClock(ctx: Services): Promise<Finding> {
  const [{ timestamp }, now] = await Promise.all([ctx.chain.getBlock(), ctx.clock.now(ctx.db)]);
  const text = "the service's: see whether the node is at the newest block, and this machine's time right";
  return reportSkew("chain clock", timestamp * 1000 - now.getTime(), text);
}

function reportSkew(check: string, skewMs: number, advice: string): Finding {
  if (seconds(skewMs) <= skewSecondsMax) return finding(check, "ok", `Within ${seconds(skewMs) + 1} s`);
  return finding(check, "warning", `${seconds(skewMs)} s ${skewMs > 0 ? "ahead of" : "behind"} ${advice}`);
}

/** Asks for an unknown person: a provider that accepts our credentials answers that there is none. */
async function checkIdentityProvider({ kyc }: Services): Promise<Finding> {
  try {
    await kyc.findApplicant(generateId());
    return finding("identity provider", "ok", "Answers, and knows our credentials");
  } catch (error) {
    const text =
      error instanceof ProviderRefused
        ? `${error.message}: see KYC_APP_TOKEN and KYC_APP_SECRET`
        : "Does not answer, so no user can be verified: see KYC_URL, or start it";
    return finding("identity provider", "fault", text);
  }
}

/** Asks for an unknown card: an issuer that accepts our key answers that there is none. */
async function checkCardIssuer({ issuer }: Services): Promise<Finding> {
  const well = finding("card issuer", "ok", "Answers, and knows our key");
  try {
    await issuer.findCard({ cardholderId: "ich_none", reference: generateId() });
    return well;
  } catch (error) {
    if (error instanceof ProviderRefused) return well;
    return finding("card issuer", "fault", `${formatCause(error)}: see CARD_ISSUER_API_KEY and CARD_ISSUER_URL`);
  }
}

/** Asks for an unknown profile: an institution that accepts our credentials answers that there is none. */
async function checkEmoney({ emoney }: Services): Promise<Finding> {
  const well = finding("e-money institution", "ok", "Answers, and knows our credentials");
  try {
    await emoney.getProfileState({ profileId: randomUUID(), accessToken: null });
    return well;
  } catch (error) {
    if (error instanceof ProviderRefused && (error.status === 403 || error.status === 404)) return well;
    const text = `${formatCause(error)}: see EMONEY_CLIENT_ID, EMONEY_CLIENT_SECRET and EMONEY_URL`;
    return finding("e-money institution", "fault", text);
  }
}
