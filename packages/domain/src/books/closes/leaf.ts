import type { PostingWithLines } from "@cardkeep/db/queries/books/postings";

/** A posting as the leaf of its day's tree, and as a line of an export: these very bytes are hashed. Pure. */
export const formatLeaf = (posting: PostingWithLines): string =>
  JSON.stringify({
    id: String(posting.id),
    type: posting.type,
    externalId: posting.externalId,
    cause: posting.cause,
    effectiveOn: posting.effectiveOn,
    period: posting.period,
    bookedAt: posting.bookedAt.toISOString(),
    reverses: posting.reverses === null ? null : String(posting.reverses),
    lines: posting.lines.map(({ account, currency, amount, reference }) => ({
      account,
      currency,
      amount: String(amount),
      reference,
    })),
  });
