import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listVerbsOf } from "@cardkeep/cli/commandVerbs";
import { nouns } from "@cardkeep/cli/nouns";
import { findPartner } from "@cardkeep/db/queries/partners";
import { operatorRoles, sandboxOperator } from "@cardkeep/domain/actor";
import { createOperatorContext, type OperatorContext } from "@cardkeep/domain/context";
import { createCoupon } from "@cardkeep/domain/coupons/createCoupon";
import { findVerbRow, type OperatorVerb, operatorVerbs } from "@cardkeep/domain/operators/verbs";
import { createPartner, newPartner } from "@cardkeep/domain/partners/createPartner";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { formRoutes, pageRoutes } from "@cardkeep/server/operator/routes";
import { sql } from "drizzle-orm";
import { createHash } from "node:crypto";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let runtime: Runtime;
beforeAll(async () => {
  database = await createTestDatabase();
  runtime = await createRuntime(
    readSettings({ DATABASE_URL: database.url, RPC_URL: "http://127.0.0.1:1", LOG_LEVEL: "warn" }),
    "server",
  );
});
afterAll(async () => {
  await runtime.close();
  await database.drop();
});

const verbs = Object.keys(operatorVerbs) as OperatorVerb[];

const actAs = (change: Partial<OperatorContext["actor"]>, reason: string | null = null): OperatorContext =>
  createOperatorContext(runtime.services, {
    log: runtime.log,
    requestId: "request-1",
    actor: { ...sandboxOperator, ...change },
    reason,
  });

/** The log as an auditor reads it, in its order. */
const readLog = async (): Promise<Record<string, unknown>[]> =>
  (
    await runtime.db.execute<{ row: Record<string, unknown> }>(sql`
      select jsonb_build_object(
        'sequence', sequence, 'at', to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'operatorId', operator_id, 'operatorName', operator_name, 'via', via, 'proof', proof, 'verb', verb,
        'subjectKind', subject_kind, 'subjectId', subject_id, 'before', before, 'after', after, 'reason', reason,
        'requestId', request_id, 'approvalId', approval_id, 'approverId', approver_id, 'approverName', approver_name,
        'previousHash', previous_hash, 'hash', hash) as row
      from operator_actions order by sequence`)
  ).map(({ row }) => row);

/** RFC 8785 for what the log holds, written anew from the rules that the log documents. */
const spell = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(spell).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${spell(field)}`).join(",")}}`;
};
const recompute = ({ hash: _, ...content }: Record<string, unknown>): string =>
  createHash("sha256").update(spell(content)).digest("hex");

describe("the table of verbs", () => {
  test("has a row for each command of the CLI", () => {
    const without = nouns.getAllEntries().flatMap(({ name, target }) => {
      const commands = "getAllEntries" in target ? target.getAllEntries() : [{ name, target }];
      return commands.flatMap((command) =>
        "getAllEntries" in command.target || listVerbsOf(command.target).length === 0
          ? [`${name.original} ${command.name.original}`]
          : [],
      );
    });
    expect(without).toEqual([]);
  });

  test("has a row for each page and form, and a form's row is a change or a search", () => {
    const rows = [...Object.values(pageRoutes), ...Object.values(formRoutes)].map(({ verb }) => verb);
    expect(rows.filter((verb) => !verbs.includes(verb))).toEqual([]);
    expect(Object.values(pageRoutes).filter(({ verb }) => findVerbRow(verb).isChange)).toEqual([]);
  });

  test("lets an admin do everything, and a viewer change nothing", () => {
    const of = (role: (typeof operatorRoles)[number]) => verbs.filter((verb) => findVerbRow(verb).roles.includes(role));
    expect(of("admin")).toEqual(verbs);
    expect(of("viewer").filter((verb) => findVerbRow(verb).isChange)).toEqual([]);
  });
});

describe("a change", () => {
  const everyChange = verbs.flatMap((verb) => (findVerbRow(verb).isChange ? [verb] : []));

  test("runs for the roles of its row, and is refused for each other role before anything is written", async () => {
    const before = (await readLog()).length;
    const refusals: string[] = [];
    for (const role of operatorRoles)
      for (const verb of everyChange) {
        const isAllowed = findVerbRow(verb).roles.includes(role);
        // @ts-expect-error the type lets only changes through; `everyChange` holds no other
        const run = actAs({ roles: [role] }).act(verb, () => Promise.reject(new Error("ran")));
        const error = await run.catch((thrown: unknown) => thrown);
        if (!(error instanceof Error) || (error.message === "ran") !== isAllowed) refusals.push(`${role} ${verb}`);
        if (!isAllowed) expect(error).toMatchObject({ code: "operators.forbidden", status: 403 });
      }
    expect(refusals).toEqual([]);
    expect(await readLog()).toHaveLength(before);
  });

  test("is recorded with operator, subject, reason and both states, under a hash that an auditor recomputes", async () => {
    const ctx = actAs(
      { id: "https://id.example|ada", name: "Ada ☂ \u2028", proof: "oidc", via: "page" },
      'She said "so"',
    );
    await createCoupon(ctx, { code: "log-1", percent: 25 });
    const rows = await readLog();
    expect(rows.at(-1)).toMatchObject({
      operatorId: "https://id.example|ada",
      operatorName: "Ada ☂ \u2028",
      via: "page",
      proof: "oidc",
      verb: "coupons.create",
      subjectKind: "coupon",
      subjectId: "LOG-1",
      before: null,
      after: { percent: 25, amountEur: null },
      reason: 'She said "so"',
      requestId: "request-1",
    });
    for (const [index, row] of rows.entries()) {
      expect(row).toMatchObject({ sequence: index + 1, hash: recompute(row) });
      expect(row["previousHash"]).toBe(rows[index - 1]?.["hash"] ?? "0".repeat(64));
    }
  });

  test("and its record are one commit: what fails after the change leaves neither", async () => {
    const before = (await readLog()).length;
    const ctx = actAs({});
    const work = ctx.act("partners.create", async ({ tx, now }) => {
      await tx.execute(
        sql`insert into partners (id, name, status, created_at) values ('lost', 'Lost', 'ACTIVE', ${now})`,
      );
      // A lone surrogate has no place in jsonb, so the record fails after the change.
      return { output: null, subject: { kind: "partner", id: "lost" }, before: null, after: { text: "\ud800" } };
    });
    expect(await work.catch(() => "failed")).toBe("failed");
    expect(await findPartner(runtime.db, "lost")).toBeNull();
    expect(await readLog()).toHaveLength(before);
  });

  test("of thirty operators at once makes one chain without a gap", async () => {
    const before = (await readLog()).length;
    const create = (index: number) => createPartner(actAs({ id: `o-${index}` }), newPartner.parse({ name: "At once" }));
    await Promise.all(Array.from({ length: 30 }, (_, index) => create(index)));
    const rows = await readLog();
    expect(rows.map((row) => row["sequence"])).toEqual(rows.map((_, index) => index + 1));
    expect(rows).toHaveLength(before + 30);
    expect(rows.every((row, index) => row["previousHash"] === (rows[index - 1]?.["hash"] ?? "0".repeat(64)))).toBe(
      true,
    );
    expect(new Set(rows.slice(-30).map((row) => row["operatorId"])).size).toBe(30);
  });
});

describe("a recorded action", () => {
  const statements = [
    "update operator_actions set reason = 'another'",
    "delete from operator_actions where sequence = 1",
    "truncate operator_actions",
    "update operator_chain set sequence = sequence - 1",
    "update operator_chain set sequence = sequence + 1",
    "update operator_chain set hash = repeat('1', 64)",
    "delete from operator_chain",
    "truncate operator_chain",
  ];
  for (const statement of statements)
    test(`stays: the database refuses \`${statement}\``, async () => {
      const before = await readLog();
      await expect(runtime.db.execute(sql.raw(statement)).then(() => "done")).rejects.toMatchObject({
        cause: { code: "23514" },
      });
      expect(await readLog()).toEqual(before);
    });
});
