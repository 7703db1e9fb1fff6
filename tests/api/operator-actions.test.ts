import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listVerbsOf } from "@cardkeep/cli/commandVerbs";
import { nouns } from "@cardkeep/cli/nouns";
import { findPartner } from "@cardkeep/db/queries/partners/partners";
import { operatorRoles, sandboxOperator } from "@cardkeep/domain/core/actor";
import { createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import { createCoupon } from "@cardkeep/domain/cards/coupons/createCoupon";
import { createHeadReport } from "@cardkeep/domain/core/operators/reportHead";
import { findVerbRow, type OperatorVerb, operatorVerbs } from "@cardkeep/domain/core/operators/verbs";
import { type ActionVerification, verifyActions } from "@cardkeep/domain/core/operators/verifyActions";
import { createPartner, newPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { formRoutes, pageRoutes } from "@cardkeep/server/operator/routes";
import { sql } from "drizzle-orm";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { runCliOn } from "../support/cli.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { filled } from "../support/filled.ts";

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
        'id', id, 'sequence', sequence, 'at', to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
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

  test("lets an admin do everything, and a viewer change nothing but sign in", () => {
    const of = (role: (typeof operatorRoles)[number]) => verbs.filter((verb) => findVerbRow(verb).roles.includes(role));
    expect(of("admin")).toEqual(verbs);
    expect(of("viewer").filter((verb) => findVerbRow(verb).isChange)).toEqual(["operators.sign-in"]);
  });
});

describe("a change", () => {
  const everyChange = verbs.flatMap((verb) => (findVerbRow(verb).isChange ? [verb] : []));

  test("runs for the roles of its row, and is refused for each other role before anything is written", async () => {
    const before = (await readLog()).length;
    const refusals: string[] = [];
    for (const role of operatorRoles)
      for (const verb of filled(everyChange)) {
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
    for (const [index, row] of filled(rows.entries())) {
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
    "truncate operator_actions_default",
    `truncate operator_actions_${new Date().toISOString().slice(0, 7).replace("-", "_")}`,
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

describe("verification", () => {
  /** What verification says of a log that was changed by a person who may do everything on the database; then restores it. */
  async function tamper(...statements: string[]): Promise<{ texts: string[]; code: number }> {
    const client = postgres(database.url, { max: 1, onnotice: () => {} });
    try {
      await client`set session_replication_role = replica`;
      await client`create temp table kept_actions as select * from operator_actions`;
      await client`create temp table kept_chain as select * from operator_chain`;
      for (const statement of statements) await client.unsafe(statement);
      const { code, out } = await runCliOn(runtime, "actions", "verify", "--json");
      await client`delete from operator_actions`;
      await client`delete from operator_chain`;
      await client`insert into operator_actions select * from kept_actions`;
      await client`insert into operator_chain select * from kept_chain`;
      const faults: ActionVerification["faults"] = JSON.parse(out).faults;
      return { code, texts: faults.map(({ sequence, text }) => `${sequence} ${text}`) };
    } finally {
      await client.end();
    }
  }

  test("finds nothing in a whole log, and says where it ends", async () => {
    const rows = await readLog();
    expect(await verifyActions(runtime.services)).toEqual({
      verified: rows.length,
      from: 1,
      head: { sequence: rows.length, hash: String(rows.at(-1)?.["hash"]) },
      faults: [],
    });
    expect(await verifyActions(runtime.services, { newest: 5 })).toMatchObject({ verified: 5, faults: [] });
    expect(await verifyActions(runtime.services, { head: String(rows[3]?.["hash"]) })).toMatchObject({ faults: [] });
  });

  const cases: Record<string, [string[], RegExp[]]> = {
    "a changed reason": [["update operator_actions set reason = 'none' where sequence = 3"], [/^3 It was changed/]],
    "a changed fact": [
      [`update operator_actions set after = '{"percent": 99}' where sequence = 1`],
      [/^1 It was changed/],
    ],
    "a removed row": [["delete from operator_actions where sequence = 4"], [/^5 4 is missing before it/]],
    "two moved rows": [
      [
        "update operator_actions set sequence = 1000 where sequence = 5",
        "update operator_actions set sequence = 5 where sequence = 6",
        "update operator_actions set sequence = 6 where sequence = 1000",
      ],
      [
        /^5 It does not follow/,
        /^5 It was changed/,
        /^6 It does not follow/,
        /^6 It was changed/,
        /^7 It does not follow/,
      ],
    ],
    "a row in the place of another, with a hash of its own": [
      [
        "delete from operator_actions where sequence = 7",
        `insert into operator_actions select id, 7, at, operator_id, operator_name, via, proof, verb, subject_kind, subject_id,
          before, after, reason, request_id, null, null, null, previous_hash, hash from operator_actions where sequence = 8`,
      ],
      [/^7 It does not follow/, /^7 It was changed/],
    ],
    "a removed end": [
      ["delete from operator_actions where sequence > 20"],
      [/^\d+ The end is missing: the last row is 20/],
    ],
    "a row behind the end": [
      [
        `insert into operator_actions select id, 1 + (select max(sequence) from operator_actions), at, operator_id, operator_name, via,
          proof, verb, subject_kind, subject_id, before, after, reason, request_id, null, null, null, hash, hash
          from operator_actions order by sequence desc limit 1`,
      ],
      [/It was changed/, /were inserted behind the end/],
    ],
    "a row before the first": [
      [
        "insert into operator_actions select id, 0, at, operator_id, operator_name, via, proof, verb, subject_kind, subject_id, before, after, reason, request_id, null, null, null, previous_hash, hash from operator_actions where sequence = 1",
      ],
      [/^0 It stands before the first/, /^0 It was changed/, /^1 It does not follow/],
    ],
    "a head that was set back with its rows": [
      [
        "delete from operator_actions where sequence > 20",
        "update operator_chain set sequence = 20, hash = repeat('0', 64)",
      ],
      [/^20 The last row is not the one/],
    ],
  };
  for (const [name, [statements, faults]] of Object.entries(cases))
    test(`finds ${name}, with exit code 1`, async () => {
      const { code, texts } = await tamper(...statements);
      expect(code).toBe(1);
      for (const fault of filled(faults)) expect(texts).toContainEqual(expect.stringMatching(fault));
    });

  test("finds a second row of a sequence wherever a batch of rows ends", async () => {
    const rows = await readLog();
    const last = rows.length;
    const added = [];
    for (let [sequence, previous] = [last + 1, rows.at(-1)]; sequence <= 1_001; sequence += 1) {
      const content = { ...previous, sequence, previousHash: previous?.["hash"] };
      previous = { ...content, hash: recompute(content) };
      added.push({ sequence, previous_hash: previous["previousHash"], hash: previous["hash"] });
    }
    const insert = (id: string, operator: string, from: number, values: object[]) => `
      insert into operator_actions select ${id}, v.sequence, at, ${operator}, operator_name, via, proof, verb, subject_kind, subject_id,
        before, after, reason, request_id, null, null, null, v.previous_hash, v.hash
      from operator_actions, json_to_recordset('${JSON.stringify(values)}') v (sequence bigint, previous_hash text, hash text)
      where operator_actions.sequence = ${from}`;
    const statements = [
      insert("id", "operator_id", last, added),
      `update operator_chain set sequence = 1001, hash = '${added.at(-1)?.hash}'`,
    ];
    expect(await tamper(...statements)).toEqual({ code: 0, texts: [] });
    const twin = insert("id || 'f'", "'forged'", 1_000, [{ ...added.at(-2), hash: "f".repeat(64) }]);
    expect((await tamper(...statements, twin)).texts).toEqual([
      expect.stringMatching(/^1000 It has the number of the row before it/),
      expect.stringMatching(/^1000 It was changed/),
      expect.stringMatching(/^1001 It does not follow/),
    ]);
  });

  test("finds a log that was cut together with its head by a hash from before", async () => {
    const rows = await readLog();
    const last = String(rows.at(-1)?.["hash"]);
    expect(await verifyActions(runtime.services, { head: last })).toMatchObject({ faults: [] });
    const cut = await verifyActions(runtime.services, {
      head: last.replace(/^./, (digit) => (digit === "0" ? "1" : "0")),
    });
    expect(cut.faults).toEqual([
      { sequence: rows.length, text: expect.stringContaining("the log was cut or rewritten") },
    ]);
  });

  test("the worker logs each end of the log once, so that a hash of before is outside of the database", async () => {
    const lines: object[] = [];
    const log = { ...runtime.log, info: (fields: object) => void lines.push(fields) };
    const report = createHeadReport();
    await report({ db: runtime.db, log });
    await report({ db: runtime.db, log });
    const [before] = (await readLog()).slice(-1);
    expect(lines).toEqual([{ sequence: before?.["sequence"], hash: before?.["hash"] }]);
    await createCoupon(actAs({}), { code: "log-2", percent: 5 });
    await report({ db: runtime.db, log });
    expect(lines).toHaveLength(2);
  });

  test("an export has a line for each action, whose hash an auditor recomputes, and overwrites no file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cardkeep-actions-"));
    const file = join(folder, "actions.jsonl");
    expect(await runCliOn(runtime, "actions", "export", "--out", file)).toMatchObject({ code: 0, err: "" });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const rows: Record<string, unknown>[] = lines.map((line) => JSON.parse(line));
    expect(rows).toEqual(await readLog());
    expect(rows.map(recompute)).toEqual(rows.map((row) => String(row["hash"])));
    expect((await runCliOn(runtime, "actions", "export", "--out", file)).code).toBe(1);
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toEqual(lines);
    rmSync(folder, { recursive: true });
  });

  test("the list is filtered by operator, verb and subject, and one action shows both states", async () => {
    const list = async (...words: string[]) => {
      const { out } = await runCliOn(runtime, "actions", "list", "--json", "--limit", "1000", ...words);
      return (JSON.parse(out) as { sequence: number }[]).map(({ sequence }) => sequence);
    };
    const of = async (name: string, value: string) =>
      (await readLog())
        .filter((row) => row[name] === value)
        .map((row) => Number(row["sequence"]))
        .toReversed();
    expect(await list("--operator", "o-7")).toEqual(await of("operatorId", "o-7"));
    expect(await list("--verb", "coupons.create")).toEqual(await of("verb", "coupons.create"));
    expect(await list("--subject", "LOG-1")).toEqual(await of("subjectId", "LOG-1"));
    const [sequence] = await list("--subject", "LOG-1");
    expect((await runCliOn(runtime, "actions", "show", String(sequence))).out).toMatch(/percent +- -> 25/);
    expect(await runCliOn(runtime, "actions", "show", "999999")).toMatchObject({
      code: 1,
      err: expect.stringContaining("no such action"),
    });
  });
});
