import { describe, expect, test } from "bun:test";
import { type OperatorRole, sandboxOperator } from "@cardkeep/domain/core/actor";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { fail } from "@cardkeep/contract/core/errors";
import { defineNoun } from "@cardkeep/desk/defineNoun";
import { code } from "@cardkeep/desk/value";
import { buildMovedChart, listDailyBalances } from "@cardkeep/server/operator/money/balanceChart";
import { renderSparkline } from "@cardkeep/html/pictures/line";
import { roundUpScale } from "@cardkeep/html/pictures/picture";
import { buildBars, buildLine, buildStates } from "@cardkeep/server/operator/page/charts";
import { formatRecord } from "@cardkeep/domain/core/csv";
import { readReason, reasonLengthMax } from "@cardkeep/domain/core/operators/reason";
import { renderConfirm, renderConfirmForm } from "@cardkeep/server/operator/page/confirm";
import { describeWait } from "@cardkeep/html/pictures/queueRows";
import { buildQueueChart } from "@cardkeep/server/operator/operations/queueChart";
import type { UserOverview } from "@cardkeep/domain/operations/people/getUserOverview";
import type { QueuedOperation } from "@cardkeep/domain/accounts/delays/queuedOperation";
import type { Table, Visit } from "@cardkeep/server/operator/page/page";
import { renderOffers } from "@cardkeep/server/operator/deskForms";
import { users } from "@cardkeep/desk/nouns/users";
import type { UserRow } from "@cardkeep/desk/nouns/userRow";
import { buildList, buildTable, csvRowsMax } from "@cardkeep/server/operator/page/table";

const visitOf = (query = ""): Omit<Visit, "ctx"> & { ctx: OperatorContext } => ({
  // Tables read nothing else of it.
  ctx: Object.assign(Object.create(null), { actor: sandboxOperator }) as OperatorContext,
  path: "/operator/things",
  query: new URLSearchParams(query),
  params: {},
});

interface Thing {
  id: string;
  note: string | null;
}

const listThings = (count: number): Thing[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(1_000_000 - index), note: null }));

const columns = [
  { name: "Id", text: ({ id }: Thing) => id },
  { name: "Note", text: ({ note }: Thing) => note },
];

const listOf = (query: string, things: readonly Thing[], reads: number[] = []): Promise<Table> =>
  buildList(visitOf(query), {
    name: "things",
    none: "There are no things.",
    columns,
    keyOf: ({ id }) => id,
    read: async ({ after, limit }) => {
      reads.push(limit);
      const from = after === null ? 0 : things.findIndex(({ id }) => id === after) + 1;
      return things.slice(from, from + limit);
    },
  });

async function readCsv(table: Table): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of table.listRecords()) texts.push(text);
  return texts.join("").split("\r\n").slice(0, -1);
}

describe("a CSV record", () => {
  test("quotes commas, quotes, line breaks and outer spaces as RFC 4180 does", () => {
    expect(formatRecord(["a", "b,c", 'say "x"', "two\nlines", " outer", null])).toBe(
      'a,"b,c","say ""x""","two\nlines"," outer",\r\n',
    );
  });

  test("runs no formula in a spreadsheet, and leaves numbers as they are", () => {
    for (const attack of ["=1+1", "+49", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1", '=HYPERLINK("x")']) {
      const cell = formatRecord([attack]).trim();
      expect([attack, cell.replace(/^"/, "").startsWith("'")]).toEqual([attack, true]);
    }
    // Spreadsheets that separate cells by semicolons begin one inside a text.
    expect(formatRecord(["a;=1+1", "b; @SUM(A1)", "c;d; e"])).toBe("a;'=1+1,b; '@SUM(A1),c;d; e\r\n");
    expect(formatRecord(['a;"=1+1"', "=1"])).toBe(`"a;""'=1+1""",'=1\r\n`);
    expect(formatRecord([-5, -5n, "-0.25", new Date(0), false])).toBe("-5,-5,-0.25,1970-01-01T00:00:00.000Z,false\r\n");
  });
});

describe("a list", () => {
  test("goes on and back page by page, and its CSV holds the rows of all pages once and in order", async () => {
    const things = listThings(1_120);
    const seen: string[] = [];
    const firstIds: string[] = [];
    let query: string | undefined = "";
    let page: Table | undefined;
    while (query !== undefined) {
      page = await listOf(query, things);
      const ids = [...page.html.matchAll(/data-label="Id"><div>(\d+)/g)].map(([, id = ""]) => id);
      seen.push(...ids);
      firstIds.push(ids[0] ?? "");
      query = /rel="next" href="\/operator\/things\?([^"]*)"/.exec(page.html)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(seen).toEqual(things.map(({ id }) => id));
    const newer = /rel="prev" href="\/operator\/things\?([^"]*)"/.exec(page?.html ?? "")?.[1]?.replaceAll("&amp;", "&");
    expect((await listOf(newer ?? "", things)).html).toContain(`<div>${firstIds.at(-2)}</div>`);
    const reads: number[] = [];
    const csv = await readCsv(await listOf("format=csv&after=3", things, reads));
    expect(csv).toEqual(["Id,Note", ...things.map(({ id }) => `${id},`)]);
    expect(Math.max(...reads)).toBeLessThanOrEqual(501);
  });

  test("says so where its CSV is cut, and has a header without rows", async () => {
    const csv = await readCsv(await listOf("format=csv", listThings(csvRowsMax + 1)));
    expect(csv).toHaveLength(csvRowsMax + 2);
    expect(csv.at(-1)).toStartWith(`Cut after ${csvRowsMax} rows.`);
    expect(await readCsv(await listOf("format=csv", listThings(csvRowsMax)))).toHaveLength(csvRowsMax + 1);
    expect(await readCsv(await listOf("format=csv", []))).toEqual(["Id,Note"]);
    expect((await listOf("", [])).html).toContain("There are no things.");
  });

  test("escapes texts on the page, and keeps its filter in every link", async () => {
    const things = [{ id: "1", note: "<b>" }, ...listThings(60)];
    const { html } = await listOf("status=open&done=retried&count=2", things);
    expect(html).toContain("&lt;b&gt;");
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, link = ""]) => link.includes("status=open"))).toEqual([
      true,
      true,
    ]);
    expect(html).not.toContain("retried");
  });
});

test("a table that shows the first rows alone says so at the end of its CSV", async () => {
  const build = (count: number) =>
    buildTable(visitOf(), {
      name: "newest",
      none: "None.",
      columns: [
        { name: "Id", text: ({ id }) => id },
        { name: "Note", text: ({ note }) => note },
      ],
      rows: listThings(count),
      rowsMax: 2,
    });
  expect(build(3).html).not.toContain(`<div>${listThings(3)[2]?.id}</div>`);
  expect((await readCsv(build(3))).slice(3)).toEqual(["Cut after 2 rows. The list has the others.,"]);
  expect(await readCsv(build(2))).toHaveLength(3);
});

describe("a chart", () => {
  const picture = { name: "decisions", title: "Decisions", summary: "3 approved, 1 declined." };

  test("has a title, a summary and a table with its numbers, and no style of its own", async () => {
    const series = [
      { name: "approved", tone: "good" as const },
      { name: "declined", tone: "bad" as const },
    ];
    const bars = buildBars(visitOf(), { ...picture, series, bars: [{ label: "14:00", values: [3, 1] }] });
    const line = buildLine(visitOf(), {
      ...picture,
      unit: "ms",
      points: [
        { label: "14:00", value: 7 },
        { label: "15:00", value: null },
      ],
    });
    const states = buildStates(visitOf(), {
      ...picture,
      states: [{ name: "WAITING", count: 2, tone: "waiting", link: "/operator/delays" }],
    });
    for (const { html } of [bars, line, states]) {
      expect(html).toMatch(/<svg role="img" aria-labelledby="decisions-title decisions-desc"/);
      expect(html).toContain("<table>");
      expect(html).not.toContain("style=");
    }
    expect(await readCsv(bars)).toEqual(["Time,approved,declined", "14:00,3,1"]);
    expect(await readCsv(line)).toEqual(["Time,ms", "14:00,7", "15:00,"]);
    expect(bars.html.match(/<rect/g)).toHaveLength(2);
  });

  test("is drawn without values, and stays within its picture", () => {
    const empty = buildBars(visitOf(), { ...picture, series: [], bars: [] });
    expect(empty.html).not.toContain("NaN");
    expect(buildStates(visitOf(), { ...picture, states: [] }).html).not.toContain("NaN");
    expect(renderSparkline("Success", []).html).toContain("Success: no values");
    expect(renderSparkline("Success", [1, 0.5]).html).toContain("lowest 0.5, highest 1");
    expect([0, 1, 3, 11, 99, 100, 0.03].map(roundUpScale)).toEqual([1, 1, 5, 20, 100, 100, 0.05]);
  });
});

describe("the picture of a queue", () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
  const now = at(300);
  const queued = (id: string, change: Partial<QueuedOperation> = {}): QueuedOperation => ({
    id,
    status: "WAITING",
    queueNonce: 1n,
    reason: null,
    effect: { kind: "owner.add", owner: null },
    label: "add ?",
    isExecuted: change.status === "EXECUTED",
    acceptedAt: at(0),
    queuedAt: at(60),
    readyAt: at(240),
    expiresAt: at(2_040),
    endedAt: null,
    isHead: false,
    ...change,
  });

  test("says what each operation waits for, and how long", () => {
    const [unqueued, ended] = [{ queuedAt: null, readyAt: null, expiresAt: null }, { endedAt: at(290) }];
    for (const [change, words] of [
      [{ isHead: true }, "first in the queue, is to be executed; expires in 29 min"],
      [{}, "ready, waits for those before it; expires in 29 min"],
      [{ readyAt: at(375) }, "cools down for 1 min 15 s more"],
      [{ readyAt: at(8_000) }, "cools down for 2 h 8 min more"],
      [unqueued, "its enqueue is being sent"],
      [{ ...ended, status: "EXECUTED" }, "executed"],
      [{ ...ended, status: "FAILED", reason: "It expired" }, "It expired"],
    ] as const)
      expect(describeWait(queued("1", change), now)).toBe(words);
  });

  test("draws each phase within the picture, marks the end, and names the operation of the page", async () => {
    const operations = [
      queued("first", { status: "EXECUTED", endedAt: at(290) }),
      queued("second", { isHead: true, readyAt: at(400) }),
      queued("third", { queueNonce: null, queuedAt: null, readyAt: null, expiresAt: null }),
    ];
    const { html, ...chart } = buildQueueChart(visitOf(), { now, operations, shownId: "second" });
    expect(html).toContain("2 open. This one: cools down for 1 min 40 s more.");
    expect(html).toContain("▶ head </tspan>#1 add ? · this one");
    expect(html.match(/<rect class="tone-(\w+)"/g)).toHaveLength(3 + 2 + 1);
    expect(html.match(/<circle class="tone-good"/g)).toHaveLength(1);
    const ends = [...html.matchAll(/x="([\d.]+)%" width="([\d.]+)%"/g)].map(
      ([, x, width]) => Number(x) + Number(width),
    );
    expect(Math.max(...ends)).toBeLessThanOrEqual(100);
    expect(await readCsv({ html, ...chart })).toHaveLength(4);
  });

  test("is drawn for one operation of one instant", () => {
    const operations = [queued("1", { status: "FAILED", queuedAt: null, readyAt: null, endedAt: at(0) })];
    expect(buildQueueChart(visitOf(), { now, operations, shownId: "1" }).html).not.toContain("NaN");
  });
});

describe("a confirmation", () => {
  test("says what happens, needs a reason, and escapes what it shows", () => {
    const { html } = renderConfirm({
      action: "/operator/users/1/deactivate",
      label: "Deactivate",
      consequence: "Cards <stop> at once.",
      fields: "A field",
      hidden: { from: '"' },
    });
    expect(html).toContain("<details");
    expect(html).toContain("Cards &lt;stop&gt; at once.");
    expect(html).toMatch(/<textarea [^>]*name="reason"[^>]*required/);
    expect(html).toContain('value="&quot;"');
    expect(renderConfirm({ action: "/x", label: "Retry", consequence: "", reason: "none" }).html).not.toContain(
      "reason",
    );
  });

  test("is a form of its own on a page that asks for nothing else", () => {
    expect(renderConfirmForm({ action: "/x", label: "Resend", consequence: "" }).html).toStartWith("<form");
  });

  test("reads a reason without outer spaces and within its bound", () => {
    expect(readReason("jobs.retry", "  asked by phone ")).toBe("asked by phone");
    expect(readReason("jobs.retry", " ")).toBeNull();
    expect(readReason("jobs.retry", null)).toBeNull();
    expect(() => readReason("users.erase", " ")).toThrow("needs a reason");
    expect(() => readReason("jobs.retry", "x".repeat(reasonLengthMax + 1))).toThrow("at most");
  });
});

test("a day's balance is the last one before its end, and none before the first is known", () => {
  const at = (text: string, total: bigint) => ({ at: new Date(text), total });
  const history = [at("2026-03-02T10:00:00Z", 5n), at("2026-03-02T23:59:59Z", 7n), at("2026-03-04T00:00:00Z", 1n)];
  expect(listDailyBalances(history, new Date("2026-03-04T12:00:00Z"), 4)).toEqual([
    { day: "03-01", total: null },
    { day: "03-02", total: 7n },
    { day: "03-03", total: 7n },
    { day: "03-04", total: 1n },
  ]);
  expect(listDailyBalances([], new Date("2026-03-04T12:00:00Z"), 1)).toEqual([{ day: "03-04", total: null }]);
});

test("the money that the service moved counts cards and executed withdrawals of the Safe's token, by day", async () => {
  const euro = 10n ** 18n;
  const eure = { address: "0xcB444e90D8198415266c6a2724b7900fb12FC56E", symbol: "EURe", decimals: 18 } as const;
  const operation = (amount: bigint, change: Partial<QueuedOperation> = {}): QueuedOperation => ({
    id: "1",
    status: "EXECUTED",
    queueNonce: 1n,
    reason: null,
    effect: { kind: "withdrawal", token: eure, amount, recipient: null },
    label: "",
    acceptedAt: new Date("2026-03-03T23:59:00Z"),
    queuedAt: null,
    readyAt: null,
    expiresAt: null,
    endedAt: new Date("2026-03-04T00:01:00Z"),
    isExecuted: true,
    isHead: false,
    ...change,
  });
  const overview = {
    safes: [{ tokenSymbol: "EURe" }],
    readAt: new Date("2026-03-04T12:00:00Z"),
    cardMoney: [{ day: "2026-03-03", spent: 5n * euro, returned: euro }],
  };
  const foreign = { ...eure, symbol: "USDCe" };
  const operations = [
    operation(2n * euro),
    operation(3n * euro),
    operation(7n * euro, { isExecuted: false }),
    operation(9n, { effect: { kind: "withdrawal", token: foreign, amount: 9n, recipient: null } }),
  ];
  const user = Object.assign(Object.create(null), overview) as UserOverview;
  const chart = buildMovedChart(visitOf(), user, operations);
  expect(chart && (await readCsv(chart)).slice(-2)).toEqual(["03-03,5,1,0", "03-04,0,0,5"]);
  expect(buildMovedChart(visitOf(), { ...user, cardMoney: [] }, [])).toBeNull();
});

test("a user's page offers an operator only what the operator's roles allow", () => {
  const facts = { id: "u", status: "ACTIVE", erasedAt: null, sourceOfFundsRisk: null, hold: null, contactChange: null };
  // Offers read nothing else of it.
  const row = users.describe(Object.assign(Object.create(null), facts) as UserRow);
  const pageOf = (...roles: OperatorRole[]): string => {
    const actor = { ...sandboxOperator, roles };
    const policy = { operators: { twoPersons: ["users.erase"] } };
    const ctx = Object.assign(Object.create(null), { actor, policy }) as OperatorContext;
    return renderOffers({ ...visitOf(), ctx }, users, row)?.html ?? "";
  };
  const listOffers = (...roles: OperatorRole[]): string[] =>
    [...pageOf(...roles).matchAll(/(?:action|href)="\/operator\/users\/u\/([\w-]+)"/g)].map(([, verb = ""]) => verb);
  expect(listOffers("viewer", "finance")).toEqual([]);
  expect(listOffers("support")).toEqual([
    "end-access",
    "add-wallet",
    "remove-wallet",
    "change-contact",
    "request-erasure",
  ]);
  expect(listOffers("compliance")).toEqual([
    "deactivate",
    "end-access",
    "add-wallet",
    "remove-wallet",
    "risk",
    "change-contact",
    "export",
    "hold",
    "request-erasure",
    "erase",
  ]);
  expect(pageOf("compliance").split("A second person has to approve it.")).toHaveLength(2);
  expect(listOffers("admin")).toEqual(listOffers("compliance"));
});

test("an act stays done where its row is gone before it is read again, as a job that has run is", async () => {
  const noun = defineNoun({
    name: "jobs",
    title: "Jobs",
    group: "Operations",
    brief: "Jobs",
    argument: { name: "id", brief: "Id" },
    keyOf: ({ id }: Thing) => id,
    list: {
      verb: "jobs.list",
      brief: "",
      example: "",
      lead: "",
      none: "",
      filters: {},
      columns: [{ name: "Id", of: ({ id }) => code(id) }],
      read: async () => [],
    },
    show: {
      verb: "jobs.show",
      brief: "",
      example: "",
      title: "Job",
      read: async (): Promise<Thing> => fail("jobs.not_found"),
      rowOf: (shown) => shown,
      fields: () => [],
    },
    acts: {
      retry: {
        verb: "jobs.retry",
        brief: "",
        example: "",
        offer: () => null,
        run: async (_, id) => ({ id, note: null }),
      },
    },
  });
  expect(await noun.acts["retry"]?.run(visitOf().ctx, "7", {})).toMatchObject({ key: "7", cells: [code("7")] });
});
