/** Rows that a role may try to write beside those that count. */
import { balancedOf } from "./temporaryObjects.ts";

/** What a transaction may try whose snapshot knows no sealed day, and the rule that has to refuse it. */
export const oldWrites = [
  ["a posting of a sealed day", balancedOf("old", "2026-01-02"), "book_period_open"],
  [
    "a day before the sealed ones",
    "insert into book_days (day, sealed_at, request_id) values ('2026-01-01', now(), 'r')",
    "book_days_seal",
  ],
] as const;

const first = "repeat('0', 64)";

const actionOf = (id: string, sequence: number, hash: string, previous = first) => `
  insert into operator_actions (id, sequence, at, operator_id, operator_name, via, proof, verb, subject_kind, subject_id, request_id,
      previous_hash, hash)
    values ('${id}', ${sequence}, now(), 'o', 'O', 'cli', 'machine', 'v', 'k', 's', 'r', ${previous}, '${hash}');`;

const advance = (hash: string) => `update operator_chain set sequence = sequence + 1, hash = '${hash}';`;

/** Actions that are not the one next of the log; the log has none. */
export const forgedActions = [
  ["one that the log's end does not name", actionOf("a", 1, "a")],
  ["one behind a gap", `${actionOf("a", 1, "a")} ${advance("a")} ${actionOf("c", 3, "c", "'a'")}`],
  ["one before the first", actionOf("a", 0, "a")],
  ["a second one of the same number", `${actionOf("a", 1, "a")} ${actionOf("b", 1, "b")} ${advance("a")}`],
  ["a later one of the same number", `${actionOf("a", 1, "a")} ${advance("a")} ${actionOf("b", 1, "b")}`],
] as const;
