/** All mutants. A change of critical code adds its own. */
import { accessMutants } from "./access.ts";
import { integrityMutants } from "./integrity.ts";
import { moneyMutants } from "./money.ts";
import type { Mutant } from "./mutant.ts";
import { recordMutants } from "./records.ts";

export const mutants: readonly Mutant[] = [...moneyMutants, ...integrityMutants, ...accessMutants, ...recordMutants];
