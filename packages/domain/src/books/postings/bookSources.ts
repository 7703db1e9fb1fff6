/**
 * What the books are posted from: tables and witnesses, in the order in which they are read. What a source waits for comes
 * before it.
 */
import { dayMs, hourMs, secondMs } from "@cardkeep/contract/core/durations";
import { endedStatuses } from "../../cards/orders/orderReturns.ts";
import {
  listCreditsToPost,
  listDisputesToPost,
  listUnpostedClearings,
  listUnpostedEntries,
} from "@cardkeep/db/queries/books/cardSources";
import {
  listUnpostedIbanOrders,
  listUnpostedMoves,
  listUnpostedOrders,
  listUnpostedReturns,
  listUnpostedTopUps,
  listUnusedPayments,
} from "@cardkeep/db/queries/books/sources";
import { type SourceSpan } from "@cardkeep/db/queries/books/spans";
import { listExplained, listLostPayments } from "@cardkeep/db/queries/books/reversedPostings";
import { listRests, listUnexplainedEntries } from "@cardkeep/db/queries/books/witnessSources";
import type { CommitContext } from "../../core/context.ts";
import type { Policy } from "../../core/policy.ts";
import {
  type Posting,
  postClearing,
  postCredit,
  postDispute,
  postEntry,
  postExplained,
  postGas,
  postIbanOrder,
  postLostPayment,
  postMove,
  postOrder,
  postReturn,
  postUnused,
} from "./rules.ts";
import { postRest, postWitnessEntry } from "./witnessRules.ts";

type On = CommitContext["db"];

export interface BookSource {
  /** A span that is read at once. */
  readonly stepMs: number;
  /** Rows of so long before are read again: their commit, or what they wait for, may have been late. */
  readonly overlapMs: number;
  /** Younger rows wait. */
  readonly lagMs: (policy: Policy) => number;
  /** The rows without a posting, oldest first, and what each books. */
  readonly read: (on: On, span: SourceSpan, policy: Policy) => Promise<Read[]>;
}

interface Read {
  readonly position: Date;
  readonly posting: Posting | null;
}

/** Rows with what a rule makes of each. */
const apply = <R extends { readonly position: Date }>(rows: readonly R[], rule: (row: R) => Posting | null): Read[] =>
  rows.map((row) => ({ position: row.position, posting: rule(row) }));

/** Blocks come every 5 s on Gnosis Chain: an entry rests on final ones by then. */
const finalMs = ({ confirmations }: Policy): number => (confirmations - 1) * 6 * secondMs;
const noLag = (): number => 0;

/** Of dense tables. */
const dense = { stepMs: hourMs, overlapMs: 600 * secondMs };
/** Of tables with few rows, some of which wait for a partner. */
const sparse = { stepMs: 30 * dayMs, overlapMs: 3 * dayMs, lagMs: noLag };

/** Kinds of the issuer's entries that clearings and disputes explain. */
const explained = ["issuing_transaction", "issuing_dispute"] as const;
/** What moved is explained by a posting within this time as a rule; a later one ends its suspense. */
const explainedWithinMs = hourMs;
const beforeOf = ({ to }: Pick<SourceSpan, "to">): Date => new Date(to.getTime() - explainedWithinMs);

/** By the name of its cursor. Another name reads all again, such as what an earlier version passed over. */
export const bookSources: Readonly<Record<string, BookSource>> = {
  entries: {
    ...dense,
    lagMs: finalMs,
    read: async (on, span) => apply(await listUnpostedEntries(on, span), postEntry),
  },
  clearings: {
    ...dense,
    lagMs: noLag,
    read: async (on, span) => apply(await listUnpostedClearings(on, span), postClearing),
  },
  // Before orders, which may be paid again.
  lostPayments: {
    ...sparse,
    read: async (on, span) => apply(await listLostPayments(on, span), postLostPayment),
  },
  orders: {
    ...sparse,
    lagMs: finalMs,
    read: async (on, span, policy) =>
      apply(await listUnpostedOrders(on, { ...span, ended: endedStatuses }), (row) =>
        postOrder(row, policy.orderTaxPercent),
      ),
  },
  // Before returns, which pay first what is payable.
  unusedPayments: {
    ...sparse,
    read: async (on, span) => apply(await listUnusedPayments(on, { ...span, ended: endedStatuses }), postUnused),
  },
  returns: {
    ...sparse,
    read: async (on, span, policy) =>
      apply(await listUnpostedReturns(on, span), (row) => postReturn(row, policy.orderTaxPercent)),
  },
  credits: {
    ...sparse,
    lagMs: finalMs,
    read: async (on, span) => apply(await listCreditsToPost(on, span), postCredit),
  },
  disputes: { ...sparse, read: async (on, span) => apply(await listDisputesToPost(on, span), postDispute) },
  topUps: { ...sparse, read: async (on, span) => apply(await listUnpostedTopUps(on, span), postGas) },
  emoneyOrders: { ...sparse, read: async (on, span) => apply(await listUnpostedIbanOrders(on, span), postIbanOrder) },
  treasuryMoves: {
    ...sparse,
    lagMs: finalMs,
    read: async (on, span) => apply(await listUnpostedMoves(on, span), postMove),
  },
  issuer: {
    ...sparse,
    read: async (on, span) =>
      apply(
        await listUnexplainedEntries(on, { ...span, witness: "issuer", explained, before: beforeOf(span) }),
        postWitnessEntry,
      ),
  },
  chain: {
    ...sparse,
    read: async (on, span) =>
      apply(
        await listUnexplainedEntries(on, { ...span, witness: "chain", explained: [], before: beforeOf(span) }),
        postWitnessEntry,
      ),
  },
  suspenseEnds: { ...sparse, read: async (on, span) => apply(await listExplained(on, span), postExplained) },
  // Behind what ends: a rest is of what is booked by then.
  rests: {
    stepMs: dayMs,
    overlapMs: dayMs,
    lagMs: noLag,
    read: async (on, span) => apply(await listRests(on, { ...span, before: beforeOf(span) }), postRest),
  },
};
