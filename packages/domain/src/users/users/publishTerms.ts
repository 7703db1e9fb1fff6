import { fail } from "@cardkeep/contract/core/errors";
import type { TermsType } from "@cardkeep/contract/users/users";
import { insertTermsVersion } from "@cardkeep/db/queries/users/terms";
import type { OperatorContext } from "../../core/context.ts";
import { readCurrentVersions } from "./terms.ts";

/**
 * Puts another version of a document in force. Everybody is asked to accept it, and gets no further card before. A version
 * never comes back: what was accepted under its name stays what it was.
 *
 * @throws terms.published
 */
export async function publishTerms(
  ctx: OperatorContext,
  { type, version }: { type: TermsType; version: string },
): Promise<{ type: TermsType; version: string }> {
  return ctx.act("terms.publish", async ({ tx, now }) => {
    const before = (await readCurrentVersions(tx))(type);
    if (before === version || !(await insertTermsVersion(tx, { type, version, publishedAt: now })))
      fail("terms.published");
    const output = { type, version };
    return { output, subject: { kind: "terms", id: type }, before: { version: before }, after: { version } };
  });
}
