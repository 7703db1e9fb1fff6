import { describe, expect, test } from "bun:test";
import { events } from "@cardkeep/contract/events";
import { eventExamples, examples } from "@cardkeep/contract/examples";
import { listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
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
    expect(new Set(days)).toEqual(new Set([firstInstant.slice(0, 11)]));
  });
});
