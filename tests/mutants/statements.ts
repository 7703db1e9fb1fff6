/** Mutants of what a statement says of an account. */
import { mutantsOf } from "./mutant.ts";

const killers = ["tests/long/statements.test.ts"];

export const statementMutants = [
  ...mutantsOf(
    "packages/domain/src/operations/exports/runExport.ts",
    ["tests/long/statements.test.ts"],
    [["an export goes on although records came before its cursor", "!(await isComplete(ctx, input))", "false"]],
  ),
  ...mutantsOf(
    "packages/domain/src/operations/exports/runExport.ts",
    ["tests/api/journal-export.test.ts"],
    [["a journal that goes on misses a posting", "kind.isNumbered ? records.findIndex(isYoung) : -1", "-1"]],
  ),
  ...mutantsOf("packages/domain/src/spending/statements/readStatementEntries.ts", killers, [
    ["an entry does not change the balance", "balance += amount;", "balance += 0n;"],
    ["sums of a day are left out", "...sums.map(buildSum)]", "]"],
    ["strangers' small transfers stand alone", `summed === "none" ? [] :`, `summed !== "all" ? [] :`],
  ]),
  ...mutantsOf("packages/domain/src/spending/statements/volumes.ts", killers, [
    ["a volume has the lines of those before", "const from = last?.endsAt ?? whole.from;", "const from = whole.from;"],
    ["a volume has no bound", "const place = Math.ceil(linesMax / 2);", "const place = linesMax * 1_000;"],
    ["a long month is one document", "return entries + cardItems;", "return 0;"],
  ]),
  ...mutantsOf("apps/server/src/statements/camt.ts", killers, [
    ["two entries of a transaction have one reference", "counts.set(hash, count);", ""],
    ["the sums of all days have one reference", "sum-${statedAt}", "sum"],
    [
      "a reference depends on what is left out",
      "entry, index) => entryElement(entry",
      "entry, index) => entryElement({ ...entry, reference: String(index) }",
    ],
  ]),
  ...mutantsOf("apps/server/src/statements/rounded.ts", killers, [
    ["a month that is not over closes in the future", ", Date.parse(createdAt));", ");"],
  ]),
  ...mutantsOf("packages/db/src/queries/spending/statedMovements.ts", killers, [
    ["a sum has the acts of the person", "sql`named.hash is null`,", "sql`true`,"],
    ["a page is before the one that it follows", "${safeId}) > (", "${safeId}) < ("],
  ]),
  ...mutantsOf(
    "packages/providers/src/issuer/stripeAmounts.ts",
    ["tests/unit/card-money.test.ts"],
    [
      ["an amount in króna is 100 times too great", "return amount / 100n;", "return amount;"],
      ["an amount in ariary is 100 times too small", "amount * 100n : amount", "amount : amount"],
    ],
  ),
];
