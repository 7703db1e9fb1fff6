/** The keys that the running processes hold, and whether each may go. */
import { formatAge } from "@cardkeep/contract/core/durations";
import { type KeyAge, listKeyAges } from "@cardkeep/db/queries/core/keys";
import { countSealed } from "@cardkeep/db/queries/core/sealed";
import { buildPrefix } from "../../core/secrets/secrets.ts";
import type { Services } from "../../core/services.ts";
import { heldSecondsMax, isRuled, keyRules } from "./keyRules.ts";

/** A process records its keys every 20 s and takes up a changed file within 30 s. */
const freshSeconds = 90;

export interface KeyState {
  setting: string;
  keyId: string;
  /** When a process held it for the first time. */
  firstSeenAt: Date;
  ageSeconds: number;
  /** Which running processes that use the setting hold it. */
  held: "everywhere" | "somewhere" | "nowhere";
  /** Rows that only it opens. */
  sealedRows: number;
  /** What depends on the key; null for nothing. */
  hangs: string | null;
  /** Whether it may be removed: its setting has another key, and nothing depends on this one. */
  mayGo: boolean;
}

/** The number of rows in use that only this key of `SECRETS_KEYS` opens. */
export async function countSealedBy({ db, clock }: Pick<Services, "db" | "clock">, keyId: string): Promise<number> {
  return countSealed(db, { now: await clock.now(db), prefix: buildPrefix(keyId) });
}

const addSeconds = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000);

/** Lists the keys by setting, the oldest first. */
export async function listKeys({ db, clock }: Pick<Services, "db" | "clock">): Promise<KeyState[]> {
  const [ages, offsetSeconds] = [await listKeyAges(db, heldSecondsMax), await clock.getOffsetSeconds(db)];
  const rows = new Map<string, number>();
  for (const { setting, keyId } of ages)
    if (setting === "SECRETS_KEYS") rows.set(keyId, await countSealedBy({ db, clock }, keyId));
  const settings = Map.groupBy(ages, ({ setting }) => setting);
  const states = [...settings].flatMap(([setting, of]) =>
    deriveKeyStates(of, setting === "SECRETS_KEYS" ? rows : new Map()),
  );
  // Ages are counted by the database's clock, which an advance does not move.
  return states.map((state) => ({ ...state, firstSeenAt: addSeconds(state.firstSeenAt, offsetSeconds) }));
}

/** A key in a few words: what depends on it, and whether processes lack it. */
export const describeKey = ({ hangs, mayGo, held }: KeyState): string =>
  [
    ...(hangs === null && !mayGo ? [] : [hangs ?? "may go"]),
    ...(held === "somewhere" ? ["not every process is known to hold it yet"] : []),
    ...(held === "nowhere" ? ["no process holds it"] : []),
  ].join(", ");

/** Judges the keys of one setting; `rows` are the rows that each of them alone opens, by its name. */
export function deriveKeyStates(ages: readonly KeyAge[], rows: ReadonlyMap<string, number>): KeyState[] {
  const newestUse = Math.min(...ages.map(({ usedSeconds }) => usedSeconds ?? Infinity));
  return ages.map((age) => {
    const { setting, keyId, firstSeenAt, firstSeenSeconds } = age;
    const sealedRows = rows.get(keyId) ?? 0;
    const hangs = describeHold(age, { sealedRows, isNewest: age.usedSeconds === newestUse });
    return {
      setting,
      keyId,
      firstSeenAt,
      ageSeconds: firstSeenSeconds,
      held: describeHolders(age),
      sealedRows,
      hangs,
      mayGo: isRuled(setting) && ages.length > 1 && hangs === null,
    };
  });
}

function describeHolders({ firstSeenSeconds, heldSeconds, lackedSeconds }: KeyAge): KeyState["held"] {
  if (heldSeconds > freshSeconds) return "nowhere";
  const isLacked = lackedSeconds !== null && lackedSeconds < freshSeconds;
  return isLacked || firstSeenSeconds < freshSeconds ? "somewhere" : "everywhere";
}

function describeHold(
  { setting, usedSeconds }: KeyAge,
  { sealedRows, isNewest }: { sealedRows: number; isNewest: boolean },
): string | null {
  if (!isRuled(setting)) return null;
  const { kind, what, holdSeconds } = keyRules[setting];
  if (kind === "maker" && isNewest) return `makes new ${what}`;
  if (sealedRows > 0) return `sealed rows: ${sealedRows}`;
  if (usedSeconds === null || usedSeconds > holdSeconds) return null;
  const rest = formatAge(holdSeconds - usedSeconds);
  return kind === "maker"
    ? `${what} of it for ${rest} more`
    : `${what} with it ${formatAge(usedSeconds)} ago; may go after ${rest} without`;
}
