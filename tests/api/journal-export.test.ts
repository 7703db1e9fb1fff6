import { afterAll, beforeAll, expect, test } from "bun:test";
import { bookAccounts, bookLines, bookPostings, ibanOrders } from "@cardkeep/db/schema/tables";
import { beginExport } from "@cardkeep/domain/operations/exports/runExport";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { initSync, ParsedLedger } from "@rustledger/wasm";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { insertUser } from "../support/machineRows.ts";
import { operatorOf } from "../support/operator.ts";

let database: TestDatabase;
let runtime: Runtime;
beforeAll(async () => {
  database = await createTestDatabase();
  const env = { DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "silent" };
  runtime = await createRuntime(readSettings(env), "server");
  const module = await Bun.file(require.resolve("@rustledger/wasm/rustledger_wasm_bg.wasm")).arrayBuffer();
  initSync({ module });
});
afterAll(async () => {
  await runtime.close();
  await database.drop();
});

const read = async (given: object): Promise<string> => {
  const { pieces } = await beginExport(operatorOf(runtime), { name: "journal", ...given });
  return (await Array.fromAsync(pieces)).join("");
};

const day = "2026-01-31";
const [debit, credit] = ["settlement:EUR", "suspense:EUR"] as const;

/** Posts an amount of base units to the settlement account. */
async function post(externalId: string, amount: bigint, agoMs = 3_600_000): Promise<void> {
  const bookedAt = new Date(Date.now() - agoMs);
  await runtime.services.db.transaction(async (tx) => {
    const posted = { type: "deposit", externalId, cause: "c", effectiveOn: day, period: day, bookedAt };
    const [posting] = await tx.insert(bookPostings).values(posted).returning();
    const line = { postingId: posting?.id ?? 0n, currency: "EUR", period: day };
    await tx.insert(bookLines).values([
      { ...line, ordinal: 0, account: debit, amount },
      { ...line, ordinal: 1, account: credit, amount: -amount },
    ]);
  });
}

test("the journal has each line of a posting, goes on behind a posting, and is valid Beancount with the balances of the books", async () => {
  const accounts = [debit, credit].map((id) => ({
    id,
    kind: id.split(":")[0] ?? "",
    currency: "EUR",
    owner: "operator",
  }));
  await runtime.services.db
    .insert(bookAccounts)
    .values(accounts.map((account) => ({ ...account, createdAt: new Date() })))
    .onConflictDoNothing();
  await post('a "first"', 1_500_000_000_000_000_001n);
  await post("=second()", 2n * 10n ** 18n);
  const lines = (await read({ format: "jsonl" }))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ account, amount, cursor }) => [account, amount, cursor === null])).toEqual([
    [debit, "1.500000000000000001", true],
    [credit, "-1.500000000000000001", false],
    [debit, "2", true],
    [credit, "-2", false],
  ]);
  const whole = await read({ format: "csv" });
  expect(whole).toContain(",'=second(),");
  const rest = await read({ format: "csv", after: lines[1].cursor });
  expect([whole.endsWith(rest), rest.trimEnd().split("\r\n").length]).toEqual([true, 2]);
  expect(
    [await read({ from: "2026-02-01" }), await read({ to: "2026-01-30" })].map((text) => text.includes(debit)),
  ).toEqual([false, false]);
  const ledger = new ParsedLedger(await read({ format: "beancount" }));
  expect([ledger.isValid(), ledger.getErrors()]).toEqual([true, []]);
  const balances = JSON.stringify(ledger.balances());
  expect(balances).toContain('["Assets:Settlement",{"positions":[{"units":{"number":"3.500000000000000001"');
  expect(balances).toContain('["Liabilities:Suspense",{"positions":[{"units":{"number":"-3.500000000000000001"');
  await expect(beginExport(operatorOf(runtime), { name: "journal", after: "1;" })).rejects.toMatchObject({
    code: "request.invalid",
  });
});

test("the journal ends before the first posting that another may still come before, and goes on there", async () => {
  const last = (await read({ format: "jsonl" })).trimEnd().split("\n").at(-1) ?? "";
  const { cursor: after } = JSON.parse(last);
  await post("of a minute", 1n, 1_000);
  await post("by a clock behind", 1n);
  expect(await read({ format: "jsonl", after })).toBe("");
});

test("orders of the institution are exported also while their reports come", async () => {
  const { db } = runtime.services;
  const [placedAt, now] = [new Date(Date.now() - 86_400_000), new Date()];
  const counterpart = { details: {}, identifier: { standard: "iban", iban: "DE89370400440532013000" } } as const;
  const given = { institution: "monerium", kind: "issue", currency: "eur", amount: "8", state: "pending" } as const;
  const times = { placedAt, reportedAt: now, updatedAt: now };
  const address = `0x${"c".repeat(40)}` as const;
  await db
    .insert(ibanOrders)
    .values({ ...given, ...times, id: "reported-now", userId: await insertUser(db), address, counterpart });
  expect(await read({ name: "iban-orders" })).toContain("reported-now");
});
