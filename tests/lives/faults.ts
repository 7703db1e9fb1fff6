import type { Losses } from "./world.ts";

/** Every way in which the operator's invariants do not hold, in words; none is wanted. */
export const findFaults = ({ surplus, lost, owed, bound, honestMarked }: Losses): string[] => [
  ...(surplus < 0n ? [`the ledger has ${-surplus} more than the settlement account`] : []),
  ...(lost > owed ? [`${lost} are lost and only ${owed} are owed`] : []),
  ...(lost > bound ? [`${lost} are lost, above the bound of ${bound}`] : []),
  ...(honestMarked > 0 ? [`${honestMarked} honest accounts are held for changed ones`] : []),
];
