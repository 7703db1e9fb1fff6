/** The documents in an applicant's record at Sumsub. Source: docs.sumsub.com, "Document types". */
import { z } from "zod";

const text = z.string().nullish();
export const documentsOfRecord = z.array(z.object({ idDocType: text, validUntil: text })).nullish();
type Documents = NonNullable<z.output<typeof documentsOfRecord>>;

/** A record also lists proofs of address and bank cards, which say nothing about who the person is. */
const identityTypes: readonly (string | null | undefined)[] = ["PASSPORT", "ID_CARD", "RESIDENCE_PERMIT", "DRIVERS"];

/**
 * The day until which one of the identity documents is valid; null where one of them names no end. Documents of other
 * types count only in a record without an identity document, and only those that name an end.
 */
export function lastDayOf(documents: Documents): string | null {
  const ofIdentity = documents.filter(({ idDocType }) => identityTypes.includes(idDocType));
  if (ofIdentity.some(({ validUntil }) => !validUntil)) return null;
  const days = (ofIdentity.length > 0 ? ofIdentity : documents).flatMap(({ validUntil }) => validUntil || []);
  return days.toSorted().at(-1) ?? null;
}
