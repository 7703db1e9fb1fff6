import type { Losses } from "./world.ts";

/** Every violation of the operator's invariants, in words; none is expected. */
export const findFaults = ({ surplus, lost, owed, bound, honestMarked, ...lists }: Losses): string[] => [
  ...lists.wrongStatuses,
  ...lists.beyondBound,
  ...lists.waiting,
  ...lists.losses,
  ...lists.burned,
  ...lists.redeemed,
  ...(surplus < 0n ? [`the ledger has ${-surplus} more than the settlement account`] : []),
  ...(lost > owed ? [`${lost} are lost and only ${owed} are owed`] : []),
  ...(lost > bound ? [`${lost} are lost, above the bound of ${bound}`] : []),
  ...(honestMarked > 0 ? [`${honestMarked} honest accounts are held for changed ones`] : []),
];
