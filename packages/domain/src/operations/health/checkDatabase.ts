/** The checks of the database and of the secrets in it. */
import { readPartitionState } from "@cardkeep/db/partitions";
import { listBackfills } from "@cardkeep/db/queries/operations/backfills";
import { listServiceRoles } from "@cardkeep/db/queries/core/connections";
import { readDatabaseTime, readServerVersion } from "@cardkeep/db/queries/operations/health";
import { listSealed, type SealedKind, sealedKinds, type SealedRow } from "@cardkeep/db/queries/core/sealed";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import type { Services } from "../../core/services.ts";
import type { Health, PartHealth } from "./checkHealth.ts";
import { type Finding, finding, reportPart } from "./finding.ts";

/** The oldest PostgreSQL that this program was tried on. */
const postgresMajorMin = 15;

/** The number of secrets that are named. */
const namedMax = 5;

const secretAdvice: Readonly<Record<SealedKind, (ownerId: string) => string>> = {
  partnerSecret: (id) =>
    `The webhook secret of partner ${id} cannot be opened, so its deliveries fail: put the key back into SECRETS_KEYS, or run \`bun run cardkeep partners rotate ${id} --overlap-hours 0\` and give the partner the new secret`,
  emoneyToken: (id) =>
    `The e-money token of user ${id} cannot be opened, so the IBAN waits: put the key back into SECRETS_KEYS, or have the user reset the IBAN`,
  operatorToken: (id) =>
    `The operator's session ${id} ends at its next refresh, for its token cannot be opened: put the key back into SECRETS_KEYS, or have the person sign in again`,
  disputeEvidence: (id) =>
    `Evidence of user ${id} for a dispute cannot be opened: put the key back into SECRETS_KEYS, or have the user give it again`,
  personKey: (id) =>
    `The key of user ${id} cannot be opened, so what the law keeps of this person is unreadable: put the key back into SECRETS_KEYS`,
  consentVerifier: (id) =>
    `The e-money consent of user ${id} cannot be finished: put the key back into SECRETS_KEYS, or have the user begin again`,
};

/** The database answers, has free connections, and is not older than the oldest version that was tried. */
export async function checkDatabase({ db }: Services, part: PartHealth): Promise<Finding> {
  if (part.status === "degraded") return finding("database", "warning", part.reason ?? part.status);
  const advice = "start it, or see DATABASE_URL";
  const answered = part.status === "ok" ? await readServerVersion(db).catch(() => null) : null;
  if (!answered || answered.major >= postgresMajorMin)
    return reportPart("database", part, `PostgreSQL ${answered?.version ?? ""} answers`, advice);
  const text = `PostgreSQL ${answered.version} is older than ${postgresMajorMin}, the oldest that was tried: move to a newer one`;
  return finding("database", "warning", text);
}

/** The roles of servers and workers read and write rows, and can change no table, trigger or function. */
export async function checkDatabaseRole({ db }: Pick<Services, "db">): Promise<Finding> {
  const roles = await listServiceRoles(db);
  const able = roles.filter(({ mayChange }) => mayChange).map(({ name }) => name);
  if (able.length > 0) {
    const text = `${able.join(" and ")} may change tables and triggers, the action log's too: migrate with DATABASE_SERVICE_ROLE, and give servers and workers that role`;
    return finding("database role", "warning", text);
  }
  const names = roles.map(({ name }) => name).join(" and ");
  const text = names === "" ? "No server or worker is connected" : `Servers and workers own nothing: ${names}`;
  return finding("database role", "ok", text);
}

/** No change of rows that a migration left to workers fails or is paused. */
export async function checkBackfills({ db }: Pick<Services, "db">): Promise<Finding> {
  const open = (await listBackfills(db)).filter(({ endedAt }) => endedAt === null);
  const failing = open.find(({ failure }) => failure !== null);
  const next = "see `cardkeep database backfills`";
  if (failing) return finding("backfills", "warning", `${failing.name} fails: ${failing.failure}; ${next}`);
  const paused = open.filter(({ isPaused }) => isPaused).map(({ name }) => name);
  if (paused.length > 0) return finding("backfills", "warning", `Paused: ${paused.join(", ")}; ${next}`);
  return finding("backfills", "ok", open.length === 0 ? "None is open" : `Workers run ${open.length}; ${next}`);
}

/** The partitions of this month and the next exist, and no row is outside of its month's. */
export async function checkPartitions({ db }: Services): Promise<Finding> {
  const { missing, inDefault } = await readPartitionState(db, await readDatabaseTime(db));
  if (missing.length > 0) {
    const text = `${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing: start a worker, or run \`bun run migrate\``;
    return finding("partitions", "warning", text);
  }
  if (inDefault.length === 0) return finding("partitions", "ok", "This month's and the next exist");
  const text = `The default partition of ${inDefault.join(", ")} holds rows, which work as before and cannot be archived`;
  return finding("partitions", "warning", text);
}

/** A database of a newer version still works. */
export function reportMigrations({ migrations }: Health["parts"]): Finding {
  if (migrations.status === "ok") return finding("migrations", "ok", "At this version");
  const severity = migrations.status === "down" ? "fault" : "warning";
  return finding("migrations", severity, migrations.reason ?? migrations.status);
}

/** Opens the secrets in use, up to 500 of each kind. */
export async function checkSecrets({ db, clock, secrets }: Services): Promise<Finding> {
  const now = await clock.now(db);
  const rows = (await Promise.all(sealedKinds.map((kind) => listSealed(db, { kind, after: "", now })))).flat();
  const faults: string[] = [];
  for (const row of rows) if (!(await isReadable(row))) faults.push(secretAdvice[row.kind](row.ownerId));
  if (faults.length > 0) {
    const rest = faults.length > namedMax ? [`and ${faults.length - namedMax} more`] : [];
    return { check: "secrets", severity: "fault", text: [...faults.slice(0, namedMax), ...rest].join("; ") };
  }
  const older = rows.filter(({ sealed }) => !sealed.startsWith(secrets.currentPrefix)).length;
  if (older === 0)
    return { check: "secrets", severity: "ok", text: "All are sealed with the first key of SECRETS_KEYS" };
  const text = `${older} are sealed with an older key: keep it in SECRETS_KEYS until the worker has sealed them anew, a minute after its start`;
  return { check: "secrets", severity: "warning", text };

  async function isReadable({ ownerId, sealed }: SealedRow): Promise<boolean> {
    try {
      await secrets.unseal(ownerId, sealed);
      return true;
    } catch (error) {
      if (error instanceof SecretUnreadable) return false;
      throw error;
    }
  }
}
