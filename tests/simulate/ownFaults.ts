/** Faults that this repository had, or one line away from them, as replacements of its text. */
import type { Mutant } from "../mutants/mutant.ts";

/** One place of a file and what stands there instead. */
export type Edit = Pick<Mutant, "file" | "from" | "to">;

export interface Fault extends Omit<Mutant, "killedBy"> {
  /** Further places that the fault changes: each alone is made good by the others. */
  readonly also?: readonly Edit[];
}

const payments = "packages/domain/src/spending/payments";

/** Each was mended once, with a test of its own. */
export const ownFaults: readonly Fault[] = [
  {
    breaks: "a job that the queue did not take is lost",
    file: "packages/db/src/queue/insertJobs.ts",
    from: "if (counts === undefined || counts.added >= counts.given) return;",
    to: "return;",
  },
  {
    breaks: "what a reorganisation made wrong is written",
    file: "packages/domain/src/chain/guards/reorgGuard.ts",
    from: "(await holdReorganisations(work.tx, { chainId, isAlone })) !== begun",
    to: "false",
    also: [
      {
        file: "packages/domain/src/core/commitEnd.ts",
        from: "!(await insertSeenBlocks(tx, [...blocks.values()], oldest))",
        to: "(await insertSeenBlocks(tx, [...blocks.values()], oldest)) === null",
      },
    ],
  },
  {
    breaks: "an older answer of the issuer is booked over a newer one",
    file: `${payments}/settleThread.ts`,
    from: "if (fresh?.version !== known?.version) {",
    to: "if (fresh === undefined) {",
  },
  {
    breaks: "two decisions at once see the same money",
    file: "packages/domain/src/spending/decision/readBehind.ts",
    from: "lockDecision(work.tx, { safeId, userId: countsByUser(pending) ? userId : null }),",
    to: "Promise.resolve(),",
  },
  {
    breaks: "the hold of a refused spend stays",
    file: `${payments}/endTransfer.ts`,
    from: "await book(work, failed, { held: -failed.amount, safe: failed.amount });",
    to: "",
  },
  {
    breaks: "what was planned behind a refused spend goes on",
    file: `${payments}/endTransfer.ts`,
    from: "for (const next of behind) {",
    to: "for (const next of behind.slice(0, 0)) {",
  },
  {
    breaks: "the debt of a refused spend is forgotten",
    file: `${payments}/endTransfer.ts`,
    from: "await recordDebt(work, paymentOf(failed), failed.disputeId);",
    to: "",
  },
  {
    breaks: "the next transfer of a payment is not begun",
    file: `${payments}/endTransfer.ts`,
    from: `if (next) await enqueue(tx, "card.transfer", { transferId: next.id, requestId: next.requestId });`,
    to: "",
  },
  {
    breaks: "a collection takes what is held for others",
    file: `${payments}/collectDebts.ts`,
    from: "most - sumHeld(holds, hasRun, await listHolds(tx, safe.id, last))",
    to: "most",
  },
  {
    breaks: "a transfer that two jobs have is signed twice",
    file: `${payments}/carryOutTransfer.ts`,
    from: "if (!(await lockPlannedTransfer(work.tx, transfer))) return;",
    to: "",
  },
  {
    breaks: "a spend that ran in another transaction fails",
    file: `${payments}/settleSpend.ts`,
    from: "if (await ctx.chain.isMessageConsumed({ delay: roles, signer, messageHash }, refusedAt.number)) {",
    to: "if (await Promise.resolve(false)) {",
  },
  {
    breaks: "a return that did not run is not sent again",
    file: `${payments}/settleReturn.ts`,
    from: `await enqueue(tx, "card.transfer", { transferId, requestId }, hasRun ? returnAgainMs : 0);`,
    to: "",
  },
  {
    breaks: "the operation behind an executed one is not woken",
    file: "packages/domain/src/accounts/delays/settleExecution.ts",
    from: "await wakeNext(work, executed);",
    to: "",
  },
  {
    breaks: "a transaction without a receipt is looked for once",
    file: "packages/domain/src/chain/relay/confirm.ts",
    from: `await enqueueIfNone(ctx.db, "relay.confirm", payload, lookAgainMs);`,
    to: "",
  },
  {
    breaks: "a mined transaction is settled by each job that sees it",
    file: "packages/domain/src/chain/relay/confirm.ts",
    from: "if (!(await lockOpenRelayTransaction(work.tx, transaction.id))) return;",
    to: "",
  },
  {
    breaks: "a queue whose job ran twice stands still",
    file: "packages/domain/src/operations/housekeeping/recoverJobs.ts",
    from: "await freeIdleQueues(db);",
    to: "0;",
  },
  {
    breaks: "two looks at one reorganisation wait for each other",
    file: "packages/domain/src/sync/chainSync/follow.ts",
    from: "await ctx.commit(guard(write, fork !== null));",
    to: "await ctx.commit(guard(write));",
  },
  {
    breaks: "a decline that opens a thread fails the job of its report",
    file: `${payments}/settleThread.ts`,
    from: "if (!payment) {",
    to: `if (!payment) {
      throw new Error("A thread was opened twice under one lock");`,
  },
];
