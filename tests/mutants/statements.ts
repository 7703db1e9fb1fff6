/** Mutants of what a statement says of an account. */
import { mutantsOf } from "./mutant.ts";

const killers = ["tests/api/statements.test.ts"];

export const statementMutants = [
  ...mutantsOf("packages/domain/src/spending/statements/readEntries.ts", killers, [
    ["an entry does not change the balance", "balance += amount;", "balance += 0n;"],
    ["sums of a day are left out", "...sums.map(buildSum)]", "]"],
    ["strangers' small transfers stand alone", `summed === "none" ? [] :`, `summed !== "all" ? [] :`],
  ]),
  ...mutantsOf("packages/db/src/queries/spending/statedMovements.ts", killers, [
    ["a sum has the acts of the person", "sql`named.hash is null`,", "sql`true`,"],
    ["a page is before the one that it follows", "${safeId}) > (", "${safeId}) < ("],
  ]),
];
