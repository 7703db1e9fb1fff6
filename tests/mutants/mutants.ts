/** All mutants. A change of critical code adds its own. */
import { accessMutants } from "./access.ts";
import { bookMutants } from "./books.ts";
import { chainMutants } from "./chain.ts";
import { gasMutants } from "./gas.ts";
import { integrityMutants } from "./integrity.ts";
import { moneyMutants } from "./money.ts";
import type { Mutant } from "./mutant.ts";
import { recordMutants } from "./records.ts";
import { relayMutants } from "./relay.ts";
import { signMutants } from "./signs.ts";
import { statementMutants } from "./statements.ts";
import { treasuryMutants } from "./treasury.ts";
import { vanishMutants } from "./vanish.ts";

export const mutants: readonly Mutant[] = [
  ...moneyMutants,
  ...bookMutants,
  ...treasuryMutants,
  ...statementMutants,
  ...gasMutants,
  ...integrityMutants,
  ...accessMutants,
  ...recordMutants,
  ...relayMutants,
  ...chainMutants,
  ...signMutants,
  ...vanishMutants,
];
