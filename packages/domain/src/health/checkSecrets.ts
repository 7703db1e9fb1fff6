/** What doctor says about the secrets in the database. */
import { listSealed, type SealedKind, sealedKinds, type SealedRow } from "@cardkeep/db/queries/sealed";
import type { Services } from "../services.ts";
import { SecretUnreadable } from "../secrets/secrets.ts";
import type { Finding } from "./finding.ts";

const check = "secrets";
/** So many are named. */
const namedMax = 5;

const advice: Readonly<Record<SealedKind, (ownerId: string) => string>> = {
  partnerSecret: (id) =>
    `The webhook secret of partner ${id} cannot be opened, so its deliveries fail: put the key back into SECRETS_KEYS, or run \`bun run cardkeep partners rotate ${id} --overlap-hours 0\` and give the partner the new secret`,
  emoneyToken: (id) =>
    `The e-money token of user ${id} cannot be opened, so the IBAN waits: put the key back into SECRETS_KEYS, or have the user reset the IBAN`,
  consentVerifier: (id) =>
    `The e-money consent of user ${id} cannot be finished: put the key back into SECRETS_KEYS, or have the user begin again`,
};

/** Opens the secrets in use, up to 500 of each kind. */
export async function checkSecrets({ db, clock, secrets }: Services): Promise<Finding> {
  const now = await clock.now(db);
  const rows = (await Promise.all(sealedKinds.map((kind) => listSealed(db, { kind, after: "", now })))).flat();
  const faults: string[] = [];
  for (const row of rows) if (!(await isReadable(row))) faults.push(advice[row.kind](row.ownerId));
  if (faults.length > 0) {
    const rest = faults.length > namedMax ? [`and ${faults.length - namedMax} more`] : [];
    return { check, severity: "fault", text: [...faults.slice(0, namedMax), ...rest].join("; ") };
  }
  const older = rows.filter(({ sealed }) => !sealed.startsWith(secrets.currentPrefix)).length;
  if (older === 0) return { check, severity: "ok", text: "All are sealed with the first key of SECRETS_KEYS" };
  const text = `${older} are sealed with an older key: keep it in SECRETS_KEYS until the worker has sealed them anew, a minute after its start`;
  return { check, severity: "warning", text };

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
