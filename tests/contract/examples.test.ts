import { describe, expect, test } from "bun:test";
import { events } from "@cardkeep/contract/partners/events";
import { eventExamples, examples } from "@cardkeep/contract/openapi/examples";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { buildWireSchema, listFields, type WireSchema } from "@cardkeep/contract/core/wireSchema";
import { z } from "zod";
import { firstInstant } from "./examples/stable.ts";

const all = listRoutes(routes);
const remedy =
  "Run `bun run examples` and commit what it wrote; a route that takes input is shown in tests/contract/examples/play.ts.";

/** The first part of an example that its schema rejects or changes. */
function findMisfit(schema: z.ZodType, value: unknown): string | null {
  const decoded = schema.safeParse(value);
  if (!decoded.success) return z.prettifyError(decoded.error);
  const again = z.encode(schema, decoded.data);
  return Bun.deepEquals(again, value) ? null : `has fields that the schema does not know: ${JSON.stringify(value)}`;
}

describe("the examples", () => {
  test("show every route, and no other", () => {
    const shown = new Set(Object.keys(examples));
    const missing = all.filter(({ name }) => !shown.has(name)).map(({ name }) => name);
    const gone = [...shown].filter((name) => !all.some((route) => route.name === name));
    if (missing.length + gone.length > 0) {
      throw new Error(
        `Without an example: ${missing.join(", ") || "none"}; gone: ${gone.join(", ") || "none"}. ${remedy}`,
      );
    }
  });

  test.each(all.map(({ name, route }) => [name, route] as const))("of %s fit its schemas", (name, route) => {
    const example = examples[name];
    if (!example) throw new Error(`${name} has no example. ${remedy}`);
    const sent = route.input && example.input !== undefined ? findMisfit(route.input, example.input) : null;
    const misfit = sent ?? findMisfit(route.output, example.output);
    if (misfit !== null) throw new Error(`${misfit}\n${remedy}`);
    expect(example.input === undefined || route.input !== undefined).toBe(true);
  });

  test("of events show every kind, as a running service published it", () => {
    const missing = Object.keys(events).filter((type) => !(type in eventExamples));
    expect([missing, remedy]).toEqual([[], remedy]);
  });

  test.each(Object.entries(eventExamples))("of the event %s fit its schema", (type, data) => {
    const schema = (events as Readonly<Record<string, z.ZodType>>)[type];
    expect(schema ? findMisfit(schema, data) : `There is no event ${type}. ${remedy}`).toBeNull();
  });

  test("hold no token, and no trace of the day of their recording", () => {
    const text = JSON.stringify([examples, eventExamples]);
    expect(text).not.toMatch(/eyJ[\w-]+\./);
    const days = [...text.matchAll(/\d{4}-\d\d-\d\dT/g)].map(([day]) => day);
    // The second is the end of the month over which the example of a card rule looks back.
    expect(new Set(days)).toEqual(new Set([firstInstant.slice(0, 11), "2026-01-31T"]));
  });
});

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** An answer without the `data` around it. */
const open = (value: unknown): unknown => (isFields(value) && "data" in value ? value["data"] : value);
const outputOf = (name: string): unknown => open(examples[name]?.output);
const inputOf = (name: string): Fields => {
  const input = examples[name]?.input;
  return isFields(input) ? input : {};
};
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value)
    ? value
    : isFields(value)
      ? (Object.values(value).find((part) => Array.isArray(part)) ?? [])
      : [];
/** A field of every entry in the list that a route answers. */
const valuesOf = (name: string, field: string): unknown[] =>
  listOf(outputOf(name)).map((entry) => (isFields(entry) ? entry[field] : undefined));

describe("the examples agree", () => {
  test.each(Object.keys(examples))("with themselves: %s answers what was sent, and for the id in its path", (name) => {
    const [input, output] = [inputOf(name), outputOf(name)];
    if (!isFields(output)) return;
    const route = all.find((each) => each.name === name)?.route;
    const [, last] = /\{(\w+)\}$/.exec(route?.path ?? "") ?? [];
    if (last !== undefined && "id" in output) expect(output["id"]).toBe(input[last]);
    // Codes and addresses are accepted in any letter case.
    const differing = Object.entries(input).filter(([field, sent]) => {
      const answered = output[field];
      if (typeof sent === "object" || answered === undefined) return false;
      return String(answered).toLowerCase() !== String(sent).toLowerCase();
    });
    expect(differing).toEqual([]);
  });

  test("with themselves in many fields: where an answer names its input otherwise, nothing is compared", () => {
    const compared = Object.keys(examples).flatMap((name) => {
      const output = outputOf(name);
      const sent = Object.entries(inputOf(name)).filter(([, value]) => typeof value !== "object");
      return isFields(output) ? sent.filter(([field]) => output[field] !== undefined) : [];
    });
    expect(compared.length).toBeGreaterThanOrEqual(15);
  });

  test("with each other: ids in paths are in the lists from which they come", () => {
    // The last card was made after the list was recorded.
    const myCards = (outputOf("users.me") as { cards: { id: string }[] }).cards.map(({ id }) => id);
    const sources: Readonly<Record<string, readonly unknown[]>> = {
      cardId: [...valuesOf("cards.list", "id"), ...myCards],
      threadId: valuesOf("transactions.listAll", "threadId"),
      walletTokenId: valuesOf("walletTokens.list", "id"),
      ruleId: valuesOf("partners.rules", "id"),
    };
    for (const [field, known] of Object.entries(sources)) {
      expect([field, known.length > 0]).toEqual([field, true]);
      for (const name of Object.keys(examples)) {
        const sent = inputOf(name)[field];
        if (sent !== undefined) expect([name, known]).toEqual([name, expect.arrayContaining([sent])]);
      }
    }
    expect(valuesOf("signInWallets.list", "id")).toContain(inputOf("signInWallets.remove")["id"]);
    expect(valuesOf("orders.list", "id")).toContain(inputOf("orders.get")["orderId"]);
  });

  test("with each other: a signed message is the one that the service answered before, and names one host", () => {
    for (const [data, submission] of [
      ["accounts.withdrawalData", "accounts.withdraw"],
      ["accounts.dailyLimitData", "accounts.setDailyLimit"],
      ["owners.addData", "owners.add"],
      ["owners.removeData", "owners.remove"],
      ["webhooks.message", "webhooks.subscribe"],
    ] as const) {
      const answered = outputOf(data);
      const message = isFields(answered) ? answered["message"] : undefined;
      expect(message).toBeDefined();
      expect([submission, inputOf(submission)["message"]]).toEqual([submission, message]);
    }
    const nonce = String(examples["auth.nonce"]?.output);
    expect(String(inputOf("auth.challenge")["message"])).toContain(`Nonce: ${nonce}`);
    for (const name of ["auth.challenge", "webhooks.subscribe"]) {
      const message = String(inputOf(name)["message"]);
      const [, uri = ""] = /^URI: (\S+)$/m.exec(message) ?? [];
      expect(message.split(" ")[0]).toBe(new URL(uri).host);
    }
  });

  test("with the fields' arithmetic: sums, counts and spans", () => {
    const balances = outputOf("accounts.balances") as Readonly<Record<"total" | "spendable" | "pending", string>>;
    expect(BigInt(balances.spendable) + BigInt(balances.pending)).toBe(BigInt(balances.total));
    const page = outputOf("transactions.list") as { count: number; next: string | null; results: unknown[] };
    expect([page.next, page.results.length]).toEqual([null, page.count]);
    const feed = outputOf("partners.events") as { events: { sequence: number }[]; next: number };
    expect(feed.events.at(-1)?.sequence).toBe(feed.next);
    const span = outputOf("partners.backtestRule") as {
      since: string;
      until: string;
      payments: number;
      declined: number;
    };
    const dayMs = 86_400_000;
    expect(Date.parse(span.until) - Date.parse(span.since)).toBe(
      Number(inputOf("partners.backtestRule")["days"]) * dayMs,
    );
    expect(span.declined).toBeLessThanOrEqual(span.payments);
    const message = String(inputOf("webhooks.subscribe")["message"]);
    const at = (label: string) => Date.parse(new RegExp(`^${label}: (\\S+)$`, "m").exec(message)?.[1] ?? "");
    expect(at("Expiration Time") - at("Issued At")).toBe(600_000);
  });

  /** Fields at every depth, each with its path. */
  const listAll = (schema: WireSchema, at: string): (readonly [string, WireSchema])[] => {
    const parts = [...(schema.anyOf ?? schema.oneOf ?? []), ...[schema.items ?? []].flat()];
    return [
      ...listFields(schema).flatMap(({ name, schema: field }) => [
        [`${at}.${name}`, field] as const,
        ...listAll(field, `${at}.${name}`),
      ]),
      ...parts.flatMap((part) => (typeof part === "object" ? listAll(part, at) : [])),
    ];
  };
  const described = all.flatMap(({ name, route }) => [
    ...(route.input ? listAll(buildWireSchema(route.input), `${name} <`) : []),
    ...listAll(buildWireSchema(route.output), `${name} >`),
  ]);

  test("with the reference: every field has a meaning, and the routes that it names exist", () => {
    expect(described.filter(([, { description }]) => !description).map(([path]) => path)).toEqual([]);
    const known = new Set(
      all.flatMap(({ route }) => [route.path, ...(route.aliases ?? [])].map((path) => `${route.method} ${path}`)),
    );
    const named = described.flatMap(([path, { description = "" }]) =>
      [...description.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) [^`]+)`/g)].map(
        ([, route = ""]) => [path, route] as const,
      ),
    );
    expect(named.filter(([, route]) => !known.has(route))).toEqual([]);
  });

  test("with the reference: a signature, a message and an id in a path say from which route they come", () => {
    const silent = all.flatMap(({ name, route }) => {
      const fields = route.input ? listFields(buildWireSchema(route.input)) : [];
      const given = fields.filter(
        ({ name: field }) =>
          ["signature", "message"].includes(field) || (/id$/i.test(field) && route.path.includes(`{${field}}`)),
      );
      return given
        .filter(({ name: field, schema }) => field !== "partnerId" && !/`(GET|POST) /.test(schema.description ?? ""))
        .map(({ name: field }) => `${name} ${field}`);
    });
    // Its message is described beside it.
    expect(silent).toEqual(["auth.challenge signature", "webhooks.subscribe signature"]);
  });
});
