/** What is stored sealed although it is the person's own: the person's copy has it opened, as the column `content`. */
import type { Tx } from "@cardkeep/db/client";
import type { HeldRows } from "@cardkeep/db/queries/core/personalData/personalData";
import { type EvidenceRow, findEvidence } from "@cardkeep/db/queries/spending/disputeEvidence";
import { listIdentityVersions } from "@cardkeep/db/queries/users/records";
import { findPersonSecrets } from "../../core/records/personKey.ts";
import type { Services } from "../../core/services.ts";

type Row = HeldRows["rows"][number];
type Opener = (ctx: Pick<Services, "secrets">, tx: Tx, userId: string) => Promise<(row: Row) => Promise<unknown>>;

const openers: Readonly<Record<string, Opener>> = {
  identity_versions: async (ctx, tx, userId) => {
    const sealedById = new Map((await listIdentityVersions(tx, userId)).map(({ id, sealed }) => [id, sealed]));
    const key = sealedById.size === 0 ? null : await findPersonSecrets(ctx, tx, userId);
    return async ({ id }) => {
      const sealed = sealedById.get(String(id));
      if (sealed === undefined || key === null) throw new Error("A version of an identity has no key of its person");
      return JSON.parse(await key.unseal(userId, sealed));
    };
  },
  dispute_evidence:
    async ({ secrets }, tx, userId) =>
    async (row) => {
      // The row is one of this table. A piece may be a whole file, so they are read one by one.
      const key = { paymentId: row["paymentId"], slot: row["slot"] } as Pick<EvidenceRow, "paymentId" | "slot">;
      const sealed = (await findEvidence(tx, key))?.sealed ?? null;
      if (sealed === null) return null;
      const content = await secrets.unseal(userId, sealed);
      return key.slot === "text" ? JSON.parse(content) : content;
    },
};

/**
 * Adds the opened content of verified identities, as JSON, and of evidence: fields of a text, a file in base64. It is null
 * where the issuer has the evidence, and this service has it no more.
 *
 * @throws SecretUnreadable
 */
export async function openOwnContent(
  ctx: Pick<Services, "secrets">,
  { tx, userId, tables }: { tx: Tx; userId: string; tables: readonly HeldRows[] },
): Promise<HeldRows[]> {
  const opened: HeldRows[] = [];
  for (const { table, rows } of tables) {
    const open = rows.length === 0 ? undefined : await openers[table]?.(ctx, tx, userId);
    const complete: Row[] = [];
    for (const row of rows) complete.push(open ? { ...row, content: await open(row) } : row);
    opened.push({ table, rows: complete });
  }
  return opened;
}
