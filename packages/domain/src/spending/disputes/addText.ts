import { keysOf } from "@cardkeep/contract/core/keysOf";
import type { EvidenceField } from "@cardkeep/contract/spending/disputeEvidence";
import { findEvidence, putEvidence } from "@cardkeep/db/queries/spending/disputeEvidence";
import type { Context, Work } from "../../core/context.ts";
import { readEvidenceText, type StoredText } from "./evidenceText.ts";

// The keys of a parsed text are those of its schema.
const listFields = (text: StoredText): EvidenceField[] => keysOf(text);

/** Adds fields to the text of a payment's dispute; given ones replace earlier ones. */
export async function addText(
  { secrets }: Pick<Context, "secrets">,
  { tx, now }: Pick<Work, "tx" | "now">,
  {
    paymentId,
    userId,
    given,
  }: { paymentId: string; userId: string; given: { [F in keyof StoredText]?: StoredText[F] | undefined } },
): Promise<void> {
  const before = await findEvidence(tx, { paymentId, slot: "text" });
  const known = before?.sealed ? readEvidenceText(await secrets.unseal(userId, before.sealed)) : {};
  const merged = { ...known, ...readEvidenceText(JSON.stringify(given)) };
  // The names of what the issuer has already stay, and its content was deleted here.
  const fields = [...new Set([...(before?.fields ?? []), ...listFields(merged)])];
  const sealed = await secrets.seal(userId, JSON.stringify(merged));
  const row = { paymentId, slot: "text", userId, sealed, fields, mediaType: null, size: null, createdAt: now } as const;
  await putEvidence(tx, row);
}
