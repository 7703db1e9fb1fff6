/** Takes an example of every route from a real service. */
import { events } from "@cardkeep/contract/partners/events";
import type { Example } from "@cardkeep/contract/openapi/examples";
import { listPathParameters, listRoutes, type Route } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { tokens } from "@cardkeep/chain/tokens";
import { events as published } from "@cardkeep/db/schema/tables";
import { desc } from "drizzle-orm";
import { z } from "zod";
import type { Person } from "../../support/person.ts";
import type { Service } from "../../support/service.ts";
import { play } from "./play.ts";
import { createStabiliser, type Stabiliser } from "./stable.ts";

const all = listRoutes(routes);
const zero = "0x0000000000000000000000000000000000000000";
const named = ["0x000000000000000000000000000000000000bEEF", "0x00000000000000000000000000000000000A11cE"];

/** Where the input travels on REST. */
function address(route: Route, input: unknown): { path: string; body: unknown } {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return { path: route.path, body: input };
  const inPath = new Set(listPathParameters(route.path));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.has(name)));
  const path = Object.entries(input).reduce(
    (whole, [name, value]) => whole.replace(`{${name}}`, encodeURIComponent(String(value))),
    route.path,
  );
  const isEmpty = Object.keys(rest).length === 0;
  if (route.method !== "GET") return { path, body: isEmpty ? undefined : rest };
  return { path: isEmpty ? path : `${path}?${new URLSearchParams(rest)}`, body: undefined };
}

interface Recorded {
  /** The person of most examples. */
  person: Person;
  routes: Record<string, Example>;
  events: Record<string, unknown>;
}

/** The first event of each type in the play, in the order of the catalogue. */
async function listEvents(service: Service, stabiliser: Stabiliser): Promise<Recorded["events"]> {
  const rows = await service.runtime.db.select().from(published).orderBy(desc(published.sequence));
  const data = new Map(rows.map((row) => [row.eventType, row.data]));
  // The database does not keep the order of fields; the schema does.
  const ordered = (schema: z.ZodType, value: unknown) => z.encode(schema, schema.parse(value));
  return Object.fromEntries(
    Object.entries<z.ZodType>(events).flatMap(([type, schema]) =>
      data.has(type) ? [[type, stabiliser.stabilise(`event.${type}`, ordered(schema, data.get(type)))]] : [],
    ),
  );
}

/**
 * The examples in the order of the route table.
 * @throws if a route fails, or is not part of the play
 */
export async function recordExamples(service: Service): Promise<Recorded> {
  const stabiliser = createStabiliser([zero, ...named, ...Object.values(tokens).map((token) => token.address)]);
  for (const url of [service.url, service.runtime.settings.publicUrl]) {
    stabiliser.alias(url, "http://localhost:3000");
    // As a part of a query, and as the host in a message to sign.
    stabiliser.alias(encodeURIComponent(url), encodeURIComponent("http://localhost:3000"));
    stabiliser.alias(new URL(url).host, "localhost:3000");
  }
  stabiliser.alias(service.sandboxUrl, "http://localhost:3001");
  stabiliser.alias(service.sandboxUrl.replace("127.0.0.1", "localhost"), "http://localhost:3001");
  const taken = new Map<string, { input: unknown; output: unknown }>();

  const show = async (person: Person, name: string, input?: unknown): Promise<unknown> => {
    const route = all.find((candidate) => candidate.name === name)?.route;
    if (!route) throw new Error(`There is no route ${name}`);
    const { path, body } = address(route, input);
    const answer = await person.call(route.method, path, body);
    if (answer.status !== (route.status ?? 200)) {
      throw new Error(`${name} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    taken.set(name, { input, output: answer.body });
    return answer.body;
  };

  const ada = await play({ service, show, alias: stabiliser.alias });
  for (const { name, route } of all) {
    const isSimple = !route.input || route.input.safeParse({}).success;
    if (!taken.has(name) && route.method === "GET" && isSimple) await show(ada, name);
  }
  const missing = all.filter(({ name }) => !taken.has(name)).map(({ name }) => name);
  if (missing.length > 0) {
    throw new Error(`No example of ${missing.join(", ")}: have tests/contract/examples/play.ts show it`);
  }
  const stable = new Map([...taken].map(([name, sides]) => [name, stabiliser.stabilise(name, sides) as Example]));
  return {
    person: ada,
    routes: Object.fromEntries(all.map(({ name }) => [name, stable.get(name) ?? { output: null }])),
    events: await listEvents(service, stabiliser),
  };
}
