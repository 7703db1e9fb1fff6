import { listSealed, replaceSealed, type SealedKind, sealedKinds } from "@cardkeep/db/queries/core/sealed";
import { SecretUnreadable } from "../../core/secrets/secrets.ts";
import type { Services } from "../../core/services.ts";
import type { ChoreContext } from "./runEach.ts";

/** Reseals secrets of older keys. @throws SecretUnreadable after the last secret, where any cannot be opened */
export async function resealSecrets(
  ctx: Pick<ChoreContext, "db" | "clock" | "secrets" | "log" | "stopping">,
): Promise<void> {
  const count = await resealAll(ctx, () => ctx.stopping.aborted);
  if (count > 0) ctx.log.info({ count }, "sealed secrets with the first key of SECRETS_KEYS");
}

/**
 * Seals anew every secret in use that the first key of `SECRETS_KEYS` did not seal; answers how many it sealed.
 *
 * Several processes may do so at once, and one that dies is continued by the next turn. After it older keys can go.
 *
 * @param isStopped ends the work between two secrets; a later call goes on
 * @throws SecretUnreadable once all others are sealed, where a secret cannot be opened
 */
export async function resealAll(
  ctx: Pick<Services, "db" | "clock" | "secrets">,
  isStopped: () => boolean = () => false,
): Promise<number> {
  let resealed = 0;
  let unreadable = 0;
  for (const kind of sealedKinds) {
    const counts = await resealKind(ctx, kind, isStopped);
    resealed += counts.resealed;
    unreadable += counts.unreadable;
  }
  if (unreadable === 0) return resealed;
  throw new SecretUnreadable(`${unreadable} secrets cannot be opened: see \`bun run cardkeep doctor\``);
}

async function resealKind(
  { db, clock, secrets }: Pick<Services, "db" | "clock" | "secrets">,
  kind: SealedKind,
  isStopped: () => boolean,
): Promise<{ resealed: number; unreadable: number }> {
  const [now, counts] = [await clock.now(db), { resealed: 0, unreadable: 0 }];
  for (let after = ""; ;) {
    const rows = await listSealed(db, { kind, after, now, prefix: secrets.currentPrefix });
    const last = rows.at(-1);
    if (last === undefined) return counts;
    for (const row of rows) {
      if (isStopped()) return counts;
      try {
        const fresh = await secrets.seal(row.ownerId, await secrets.unseal(row.ownerId, row.sealed));
        if (await replaceSealed(db, row, fresh)) counts.resealed += 1;
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        counts.unreadable += 1;
      }
    }
    after = last.id;
  }
}
