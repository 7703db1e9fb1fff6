import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { examples } from "@cardkeep/contract/openapi/examples";
import { listPathParameters, listRoutes, type Route } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { createRuntime, type Runtime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer, type Server } from "@cardkeep/server/server";
import { userMessages } from "@cardkeep/db/schema/tables";
import { eq, sql } from "drizzle-orm";
import { becomeEligible, createVirtual } from "../support/cards.ts";
import { filled } from "../support/filled.ts";
import { order } from "../support/orders.ts";
import { type Answer, Person } from "../support/person.ts";
import { untilIdle } from "../support/jobs.ts";
import { until } from "../support/poll.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { atIssuer } from "../support/spending.ts";
import { type SqlProxy, startSqlProxy } from "../support/sqlProxy.ts";

/** Ids that all users share. */
const shared: readonly string[] = ["partnerId", "month"];

// Rules of another partner are tried in `card-rules.test.ts`: their routes take a partner's key.
const byId = listRoutes(routes)
  .filter(({ route }) => route.access !== "partner")
  .map(({ name, route }) => ({ name, route, owned: listPathParameters(route.path).filter((p) => !shared.includes(p)) }))
  .filter(({ owned }) => owned.length > 0);

let service: RunningService;
/** A second server behind a proxy that records its queries. */
let proxy: SqlProxy;
let runtime: Runtime;
let server: Server;
let ada: Person;
let eve: Person;
/** Tables with a user id. */
let tables: readonly string[];
/** Ids in Ada's rows. */
let adasIds: readonly string[];
beforeAll(async () => {
  service = await shareService();
  proxy = await startSqlProxy(service.env["DATABASE_URL"] ?? "");
  runtime = await createRuntime(readSettings({ ...service.env, DATABASE_URL: proxy.url }), "server");
  server = createServer(runtime);
  [ada, eve] = [new Person(service), new Person({ ...service, url: `http://127.0.0.1:${server.listen(0)}` })];
  await Promise.all([equip(ada), equip(eve)]);
  const owned = await service.runtime.db.execute<{ table: string }>(
    sql`select table_name as table from information_schema.columns where column_name = 'user_id' and table_schema = 'public'`,
  );
  tables = owned.map(({ table }) => table);
  adasIds = await listIds(ada);
  // The worker has no work left that changes her rows, and has sent her messages.
  await untilIdle(service);
  const ofAda = eq(userMessages.userId, ada.userId ?? "");
  await until(async () => (await service.runtime.db.$count(userMessages, ofAda)) === 0);
});
afterAll(async () => {
  await server.stop();
  await runtime.close();
  await proxy.stop();
});

/** Creates one object of each kind that has an id. */
async function equip(person: Person): Promise<void> {
  await becomeEligible(person);
  const cardId = await createVirtual(person);
  const cards: { id: string; cardToken: string }[] = (await person.call("GET", "/cards")).body;
  const cardToken = cards.find(({ id }) => id === cardId)?.cardToken;
  await atIssuer(service, "transactions/create_force_capture", { amount: "100", card: cardToken ?? "" });
  await until(async () => (await person.call("GET", "/cards/transactions")).body.count === 1);
  await order(person);
  await person.call("POST", "/tokens", { name: "Books", scopes: ["transactions"] });
}

type Row = Record<string, unknown>;
type Listed = { table: string; row: string };

/** A person's rows of every table with a user id, as JSON; a new table is included automatically. */
async function listRows(person: Person): Promise<Listed[]> {
  const rows = tables.map(
    (table) =>
      sql`select ${table}::text as table, to_jsonb(t)::text as row from ${sql.identifier(table)} t where user_id = ${person.userId}`,
  );
  const all = sql.join(rows, sql` union all `);
  return [...(await service.runtime.db.execute<Listed>(sql`${all} order by 1, 2`))];
}

/** One id of each column, and all of her cards and orders: others of a column differ by their digits alone. */
async function listIds(person: Person): Promise<string[]> {
  const isKept = (row: Row) => "card_token" in row || "personalization_source" in row;
  const ofTables = Map.groupBy(await listRows(person), ({ table }) => table);
  const rows = [...ofTables.values()].flatMap((listed) => {
    const of = listed.map(({ row }) => JSON.parse(row) as Row);
    return [...of.filter(isKept), Object.assign({}, ...of) as Row];
  });
  const values = rows.flatMap((row) =>
    Object.entries(row).flatMap(([column, value]) =>
      /(^|_)(id|token|reference)$/.test(column) && typeof value === "string" ? [value] : [],
    ),
  );
  return [...new Set(values)];
}

function ask(person: Person, name: string, route: Route, id: string): Promise<Answer> {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, parameter) =>
    shared.includes(parameter) ? "sandbox" : encodeURIComponent(id),
  );
  const sent = examples[name]?.input;
  return person.call(route.method, path, route.method === "GET" ? undefined : (sent ?? {}));
}

/** Background queries of a process: removed wallets and what runs beside them, quotas, their clock, and the driver's query for types. */
const background = /removed_sign_in_wallets|pg_stat_activity|rate_limits|"clock"|pg_catalog/;
const unknown = "00000000-0000-7000-8000-000000000000";
const toText = ({ status, body }: Answer): string => JSON.stringify([status, body]);

describe("another person's id", () => {
  test.each(byId.map(({ name }) => name))(
    "is like an unknown one to %s, byte for byte and question for question to the database, and moves no row",
    async (name) => {
      const { route } = byId.find((candidate) => candidate.name === name) ?? {};
      if (!route) throw new Error(name);
      // The same queries take the same time.
      const probe = async (id: string) => {
        proxy.take();
        const text = toText(await ask(eve, name, route, id));
        return [text, ...proxy.take().filter((statement) => !background.test(statement))];
      };
      const nothing = await probe(unknown);
      expect([JSON.parse(nothing[0] ?? "")[0], nothing.length > 1]).toEqual([404, true]);
      const before = await listRows(ada);
      for (const id of filled(adasIds)) expect(await probe(id)).toEqual(nothing);
      expect(await listRows(ada)).toEqual(before);
    },
  );

  test("is answered like an unknown one on every route with an id, also if the database could not hold it", async () => {
    for (const { name, route } of filled(
      listRoutes(routes).filter((each) => listPathParameters(each.route.path).length > 0),
    )) {
      const path = (id: string) => route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(id));
      const sent = route.method === "GET" ? undefined : (examples[name]?.input ?? {});
      const [nothing, odd] = [
        await eve.call(route.method, path(unknown), sent),
        await eve.call(route.method, path("a\0b"), sent),
      ];
      expect([name, toText(odd)]).toEqual([name, toText(nothing)]);
      expect(odd.status).toBeLessThan(500);
    }
  });

  // Last, because it changes rows: it proves that the routes use the ids above.
  test("is known to its owner on each of these routes", async () => {
    for (const { name, route } of filled(byId)) {
      const nothing = toText(await ask(ada, name, route, unknown));
      const own = await Promise.all(adasIds.map((id) => ask(ada, name, route, id)));
      expect([name, own.some((answer) => toText(answer) !== nothing)]).toEqual([name, true]);
    }
  });
});
