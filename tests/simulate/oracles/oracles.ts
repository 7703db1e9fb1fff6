/** What must hold in a simulated world. Each oracle answers what is broken, in words. */
import { findBurnedGas, findLosses } from "../../lives/lossBound.ts";
import { findMissingCases } from "../../lives/missingCases.ts";
import { findWrongStatuses } from "../../lives/wrongStatuses.ts";
import type { Inhabitant } from "../people.ts";
import type { World } from "../world.ts";
import {
  findDebts,
  findDoubled,
  findGaps,
  findItems,
  findMiscounted,
  findReplaced,
  findSums,
  findUneven,
  findUnsent,
} from "./books.ts";
import { compareEverybody, findElsewhere, findMarked, findUnended, findUnpaid } from "./everybody.ts";
import { findFailedJobs, findGivenUp } from "./jobs.ts";
import { type OracleName, say } from "./names.ts";

export interface Reign {
  readonly world: World;
  readonly people: readonly Inhabitant[];
  /** What the settlement account had before anything was paid. */
  readonly arrived: bigint;
}

export type Oracle = (given: Reign) => Promise<string[]>;

/** What must hold at each quiet point, also while something is owed. */
export const always: Partial<Record<OracleName, Oracle>> = {
  "ledger sums": findSums,
  "ledger debts": findDebts,
  promises: findUnpaid,
  postings: findUneven,
  "ledger and books": findItems,
  "stuck transfers": findUnsent,
  "doubled transactions": findDoubled,
  "foreign nonces": findMiscounted,
  blocks: findReplaced,
  chain: findElsewhere,
  sequences: findGaps,
  "jobs given up": findGivenUp,
  "failed jobs": findFailedJobs,
};

/** What must hold in the end, once everything is paid and settled. */
export const atEnd: Partial<Record<OracleName, Oracle>> = {
  comparison: compareEverybody,
  "missing cases": ({ world }) => findMissingCases(world),
  statuses: ({ world }) => findWrongStatuses(world),
  losses: ({ world }) => findLosses(world),
  gas: ({ world }) => findBurnedGas(world),
  "honest marked": findMarked,
  withdrawals: findUnended,
};

/** Asks one oracle after the other. */
export async function findBroken(oracles: Partial<Record<OracleName, Oracle>>, given: Reign): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, oracle] of Object.entries(oracles))
    broken.push(...(await oracle(given)).map((text) => say(name as OracleName, text)));
  return broken;
}
