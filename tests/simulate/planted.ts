/**
 * Faults that this repository had once, or whose cause it mended, to be planted again: a simulation that does not find them finds no new
 * ones either. Those of `tests/mutants` are named by what they break.
 */
import { mutants } from "../mutants/mutants.ts";
import type { Subject } from "./oracles/names.ts";
import { type Fault, ownFaults } from "./ownFaults.ts";

/** A fault with the invariants that it concerns: only a break of one of them counts as found. */
export interface Planted extends Fault {
  readonly about: readonly Subject[];
}

const ofMutants: readonly string[] = [
  "a refusal ends a spend that another job signed",
  "a capture holds its authorization again",
  "held money is spent twice",
  "held money does not count to the limit",
  "holds that were planned since are not counted",
  "a user who owes pays",
  "nothing is planned after a reorganisation",
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
  "a refund leaves the loss in the books",
  "a debt without a failed spend",
  "a lane falls behind the chain",
  "a lost transaction that was mined settles its subject",
  "an authorization given up is not reversed",
  "a failed spend that a stranger runs later is not noticed",
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
  "a refusal ends a spend that another job signed",
  "a queue whose job ran twice stands still",
  "two looks at one reorganisation wait for each other",
  "a spend that ran in another transaction fails",
  "an authorization given up is not reversed",
  "two jobs sign the same execution",
  "a reserved nonce is signed twice",
  "a lost transaction that was mined settles its subject",
];

/** Those of `tests/mutants` that a simulation is to find too. */
export const planted: readonly Planted[] = [...ownFaults, ...ofMutants.map((text) => findMutant(text, mutants))].map(
  (fault) => ({
    ...fault,
    about: aboutWork.includes(fault.breaks) ? ["work", "money", "people", "program"] : ["money", "people", "program"],
  }),
);

/** @throws Error where not exactly one has this text */
export function findMutant(text: string, among: readonly Fault[] = [...ownFaults, ...mutants]): Fault {
  const exact = among.filter(({ breaks }) => breaks === text);
  const [found, ...others] = exact.length > 0 ? exact : among.filter(({ breaks }) => breaks.includes(text));
  if (!found || others.length > 0) throw new Error(`${others.length + (found ? 1 : 0)} mutants break "${text}"`);
  return found;
}
