/**
 * Faults that this repository had once, or whose cause it mended, to be planted again: a simulation that does not find them finds no new
 * ones either. Those of `tests/mutants` are named by what they break.
 */
import type { Mutant } from "../mutants/mutant.ts";
import { mutants } from "../mutants/mutants.ts";
import type { Subject } from "./oracles/names.ts";

type Fault = Omit<Mutant, "killedBy">;

/** A fault with the invariants that it concerns: only a break of one of them counts as found. */
export interface Planted extends Fault {
  readonly about: readonly Subject[];
}

const payments = "packages/domain/src/spending/payments";

const own: readonly Fault[] = [
  {
    breaks: "a job that the queue did not take is lost",
    file: "packages/db/src/queue/enqueue.ts",
    from: "if (counts === undefined || counts.added >= counts.given) return;",
    to: "return;",
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
    from: "if (await ctx.chain.isMessageConsumed({ delay: roles, signer, messageHash })) {",
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
];

const ofMutants: readonly string[] = [
  "a capture holds its authorization again",
  "held money is spent twice",
  "held money does not count to the limit",
  "holds that were planned since are not counted",
  "a user who owes pays",
  "nothing is planned after a reorganisation",
  "a decision from before a reorganisation is written",
  "too much moved is not returned",
  "a failed spend is planned again at once",
  "what changed behind the lock is not seen",
  "one loss is recorded twice",
  "two jobs sign the same execution",
  "a reserved nonce is signed twice",
  "an approval the issuer has not recorded holds nothing",
  "a declined authorization holds money",
  "refunds do not lower what should leave the Safe",
  "a queued entry does not pause",
  "rows rest on a block that another one replaced",
  "a refund leaves the loss in the books",
  "a debt without a failed spend",
  "a lane falls behind the chain",
  "a lost transaction that was mined settles its subject",
  "an authorization given up is not reversed",
];

/** Those of what is sent, woken and ended, too; all are about money. A constraint that refuses what a fault began shows each of them. */
const aboutWork: readonly string[] = [
  "a job that the queue did not take is lost",
  "the next transfer of a payment is not begun",
  "a return that did not run is not sent again",
  "the operation behind an executed one is not woken",
  "a transaction without a receipt is looked for once",
  "nothing is planned after a reorganisation",
  "a lane falls behind the chain",
  "the hold of a refused spend stays",
  "what was planned behind a refused spend goes on",
  "a transfer that two jobs have is signed twice",
  "a spend that ran in another transaction fails",
  "an authorization given up is not reversed",
  "two jobs sign the same execution",
  "a reserved nonce is signed twice",
  "a lost transaction that was mined settles its subject",
];

/** Those of `tests/mutants` that a simulation is to find too. */
export const planted: readonly Planted[] = [...own, ...ofMutants.map((text) => findMutant(text, mutants))].map(
  (fault) => ({
    ...fault,
    about: aboutWork.includes(fault.breaks) ? ["work", "money", "people", "program"] : ["money", "people", "program"],
  }),
);

/** @throws Error where not exactly one has this text */
export function findMutant(text: string, among: readonly Fault[] = [...own, ...mutants]): Fault {
  const exact = among.filter(({ breaks }) => breaks === text);
  const [found, ...others] = exact.length > 0 ? exact : among.filter(({ breaks }) => breaks.includes(text));
  if (!found || others.length > 0) throw new Error(`${others.length + (found ? 1 : 0)} mutants break "${text}"`);
  return found;
}
