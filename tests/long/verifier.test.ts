/** The program of `tests/verifier`, which was written from the guide Books alone, against closes and proofs of the product. */
import { describe, expect, test } from "bun:test";
import { buildProof } from "@cardkeep/domain/books/closes/proof";
import { join } from "node:path";
import { type ClosedDay, closeDays, createRandom } from "../support/bookYears.ts";
import { filled } from "../support/filled.ts";

const program = join(import.meta.dir, "../verifier/verify.py");
const python = Bun.which("python3");
const tamperings = 1_000;

type Task = { close: [string, string][] } | { proof: string; roots: Record<string, string> };

/** Answers of the verifier, one for each task: `ok`, or what is wrong. */
async function verify(tasks: readonly Task[]): Promise<string[]> {
  const child = Bun.spawn([python ?? "python3", program, "batch"], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  await child.stdin.write(tasks.map((task) => `${JSON.stringify(task)}\n`).join(""));
  await child.stdin.end();
  const text = await new Response(child.stdout).text();
  return text.trimEnd().split("\n");
}

const toTask = (days: readonly Pick<ClosedDay, "close" | "postings">[]): Task => ({
  close: days.map(({ close, postings }) => [close, postings]),
});

/** A text with one character changed: a digit becomes another digit, a letter another letter. */
function change(text: string, random: (bound: number) => number): string {
  for (;;) {
    const index = random(text.length);
    const found = text[index] ?? "";
    const set = /\d/.test(found) ? "0123456789" : /[a-z]/.test(found) ? "abcdefghijklmnopqrstuvwxyz" : null;
    const other = set?.[random(set.length)];
    if (other !== undefined && other !== found) return text.slice(0, index) + other + text.slice(index + 1);
  }
}

const drop = <T>(list: readonly T[], index: number): T[] => list.filter((_, each) => each !== index);
const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Days of which one file, line, number or day is another than it was. */
function tamper(
  days: readonly ClosedDay[],
  random: (bound: number) => number,
): Pick<ClosedDay, "close" | "postings">[] {
  // The last day's own digest is published; a change of its document shows there.
  const index = random(days.length - 1);
  const day = days[index];
  if (!day) return [];
  const with_ = (other: Partial<ClosedDay>) =>
    days.map((each, place) => (place === index ? { ...each, ...other } : each));
  const lines = day.leaves;
  const line = random(Math.max(lines.length, 1));
  switch (lines.length < 2 ? 0 : random(6)) {
    case 1:
      return with_({ postings: change(day.postings, random) });
    case 2:
      return with_({ postings: joinLines(drop(lines, line)) });
    case 3:
      return with_({ postings: joinLines([...lines, lines[line] ?? ""]) });
    case 4:
      return with_({ postings: joinLines([...drop(lines, line), lines[line] ?? ""].toReversed()) });
    case 5:
      return index === 0 ? with_({ close: change(day.close, random) }) : drop(days, index);
    default:
      return with_({ close: change(day.close, random) });
  }
}

const card = { merchant: {}, threadId: "iauth_1" };

/** A statement whose entries are explained by the spends and clearings of some days. */
function stateDays(days: readonly ClosedDay[]) {
  const entries: Record<string, unknown>[] = [];
  const cardItems: Record<string, unknown>[] = [];
  let balance = 0n;
  const show = (units: bigint) => {
    const digits = (units < 0n ? -units : units).toString().padStart(19, "0");
    return `${units < 0n ? "-" : ""}${digits.slice(0, -18)}.${digits.slice(-18, -16)}`;
  };
  let total = 0n;
  for (const leaf of days.flatMap(({ leaves }) => leaves)) {
    const { type, lines } = JSON.parse(leaf);
    const line = lines.find(({ account }: { account: string }) => /^(settlement|prefund):/.test(account));
    if (["spend", "return"].includes(type)) {
      balance -= BigInt(line.amount);
      const amounts = { amount: show(-BigInt(line.amount)), balance: show(balance) };
      entries.push({ kind: "card_payment", hash: line.reference, card, ...amounts });
    } else if (["capture", "refund"].includes(type)) {
      total += BigInt(line.amount);
      cardItems.push({ id: line.reference, amount: show(BigInt(line.amount)) });
    }
  }
  const closingBalance = show(balance);
  return { currency: "EUR", openingBalance: "0.00", closingBalance, cardTotal: show(total), entries, cardItems };
}

describe.skipIf(python === null)("a verifier that knows the guide alone", () => {
  const { closed } = closeDays(7, 8);

  test("agrees with what is closed, and finds 1,000 of 1,000 random changes of closes and postings", async () => {
    expect(await verify([toTask(closed), toTask(closed.slice(2, 6))])).toEqual(["ok", "ok"]);
    const random = createRandom(11);
    const tasks = Array.from({ length: tamperings }, () => toTask(tamper(closed, random)));
    const answers = await verify(tasks);
    expect(answers).toHaveLength(tamperings);
    expect(filled(answers).filter((answer) => answer === "ok")).toEqual([]);
  }, 60_000);

  test("finds a person's statement in the closes, and every change of an amount, a hash, a balance, a leaf or a path", async () => {
    const roots = Object.fromEntries(closed.map(({ document }) => [document.day, document.root]));
    const statement = stateDays(closed);
    const proofs = closed.flatMap(({ document: { day, root }, leaves }) =>
      buildProof(
        { day, root, leaves },
        leaves.flatMap((leaf, index) => (/"type":"order"/.test(leaf) ? [] : [index])),
      ),
    );
    const proof = JSON.stringify({ statement, proofs });
    expect(await verify([{ proof, roots }])).toEqual(["ok"]);
    const random = createRandom(13);
    const parts = ["amount", "hash", "balance", "leaf", "path", "id", "root", "index"];
    const tasks = Array.from({ length: 200 }, (): Task => {
      const copy = JSON.parse(proof);
      const part = parts[random(parts.length)] ?? "";
      const rows =
        part === "id"
          ? copy.statement.cardItems
          : "amount hash balance".includes(part)
            ? copy.statement.entries
            : copy.proofs;
      const row = rows[random(rows.length)];
      if (part === "index") row.index += 1;
      else if (part === "path")
        row.path = row.path.length === 0 ? [roots[row.day]] : row.path.with(0, change(row.path[0], random));
      else row[part] = change(row[part], random);
      return { proof: JSON.stringify(copy), roots };
    });
    expect(filled(await verify(tasks)).filter((answer) => answer === "ok")).toEqual([]);
    const missing = JSON.stringify({ statement, proofs: drop(proofs, 1) });
    expect((await verify([{ proof: missing, roots }]))[0]).toContain("has no posting");
  }, 60_000);
});

test.skipIf(python !== null)("no python3 is on this machine: the verifier was not run", () => {});
