import { listUnmatchedThreads, measureWaitingReturns, type UnmatchedThread } from "@cardkeep/db/queries/refunds";
import { listSealed, type SealedKind, sealedKinds, type SealedRow } from "@cardkeep/db/queries/sealed";
import { SecretUnreadable } from "../secrets/secrets.ts";
import type { Services } from "../services.ts";

/** Warning: it works, and is not as it should be. Fault: something does not work. */
export type Severity = "ok" | "warning" | "fault";

export interface Finding {
  check: string;
  severity: Severity;
  /** What was found and, unless all is well, what to do. */
  text: string;
}

const shownMax = 3;

const reasons: Readonly<Record<UnmatchedThread["reason"], string>> = {
  currency: "another currency than the account's",
  card: "another card than it was decided on",
};

const describe = ({ threadId, reason, currency, amountMinor }: UnmatchedThread): string =>
  `${threadId} (${amountMinor} minor units of ${currency}, ${reasons[reason]})`;

/** Names the refunds that wait for money and the threads that cannot be booked, with what to do. */
export async function checkRefunds({ db, clock, rules }: Services): Promise<Finding> {
  const now = await clock.now(db);
  const [waiting, unmatched] = await Promise.all([
    measureWaitingReturns(db, now),
    listUnmatchedThreads(db, shownMax + 1),
  ]);
  const faults = [
    ...(waiting.count === 0
      ? []
      : [
          `${waiting.count} wait for ${Math.round(waiting.oldestSeconds)} s: fund ${rules.settlementAddress} or approve ${rules.spenderAddress}`,
        ]),
    ...(unmatched.length === 0
      ? []
      : [
          `Cannot be booked: ${unmatched.slice(0, shownMax).map(describe).join(", ")}${unmatched.length > shownMax ? " and more" : ""}; settle them with the card issuer`,
        ]),
  ];
  return faults.length === 0
    ? { check: "refunds", severity: "ok", text: "None waits" }
    : { check: "refunds", severity: "fault", text: faults.join(". ") };
}

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
