/** The types of what travels, as one file of plain TypeScript: the published client needs no schema library. */
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { events } from "@cardkeep/contract/partners/events";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { type Method, listRoutes, type Route } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { buildSharedSchema, type WireSchema } from "@cardkeep/contract/core/wireSchema";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import type { z } from "zod";

type Json = Record<string, unknown>;

/** The source of `contract.ts` in the published client: `AppRouter`, `ErrorCode`, `DeclineCode`, `EventType` and `EventWire`. */
export async function buildClientTypes(): Promise<string> {
  const shared: Json = {};
  const describe = (schema: z.ZodType | undefined): WireSchema | { tsType: string } => {
    if (!schema) return { tsType: "void" };
    const built = buildSharedSchema(schema, "#/definitions/");
    Object.assign(shared, mapTypes(built.shared));
    return mapTypes(built.schema) as WireSchema;
  };
  const listed = listRoutes(routes);
  const calls = buildObject(
    Object.fromEntries(
      listed.map(({ name, route }) => [
        name,
        buildObject({ input: describe(route.input), output: describe(route.output) }),
      ]),
    ),
  );
  const eventData = buildObject(
    Object.fromEntries(Object.entries(events).map(([type, data]) => [type, describe(data)])),
  );
  // Both libraries describe the same standard, each in types of its own.
  const schema = { ...buildObject({ calls, events: eventData }), definitions: shared } as JSONSchema;
  const types = await compile(schema, "Wire", {
    bannerComment: "",
    additionalProperties: false,
    style: { printWidth: 120 },
  });
  return [header, types, buildRouter(listed), buildErrorCodes(), buildDeclineCodes(), footer].join("\n");
}

const header = [
  "/** Generated from the contract of Cardkeep: what travels in every call and event. */",
  'import type { TRPCBuiltRouter, TRPCDefaultErrorData, TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";',
  "",
].join("\n");

const footer = `
/** A kind of event. */
export type EventType = keyof Wire["events"];

/** The data of an event. */
export type EventWire<E extends EventType> = Wire["events"][E];

/** An error as tRPC carries it: \`data.error\` is the catalogue's code, \`data.httpStatus\` its status, \`data.help\` its place on the reference page. */
export interface ErrorShape {
  message: string;
  code: number;
  data: TRPCDefaultErrorData & { details?: Readonly<Record<string, unknown>>; error: ErrorCode; help: string };
}

/** The router's type; what travels is exactly what REST carries. */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  Procedures
>;
`;

const buildObject = (properties: Json): Json => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const buildErrorCodes = (): string => {
  const lines = Object.entries(errors).map(
    ([code, { status, text, occasion }]) =>
      `  /** ${status}: ${text}${occasion === undefined ? "" : `. ${occasion}`} */\n  ${JSON.stringify(code)}: ${JSON.stringify(code)},`,
  );
  return `/** Every code of the error catalogue, by its own name. */
export const errorCodes = {\n${lines.join("\n")}\n} as const;

/** A code of the error catalogue. */
export type ErrorCode = keyof typeof errorCodes;
`;
};

const buildDeclineCodes = (): string =>
  `/** Why a use of a card was declined; \`/docs/declines\` has each in words. */
export type DeclineCode =\n${[...declineCatalogue.keys()].map((code) => `  | ${JSON.stringify(code)}`).join("\n")};
`;

const kindOf = (method: Method): string => (method === "GET" ? "TRPCQueryProcedure" : "TRPCMutationProcedure");

/** One procedure per route, with its summary as the text that editors show. */
function buildRouter(listed: readonly { name: string; noun: string; verb: string; route: Route }[]): string {
  const nouns = Map.groupBy(listed, ({ noun }) => noun);
  const fields = [...nouns].map(([noun, verbs]) => {
    const lines = verbs.map(
      ({ name, verb, route }) =>
        `    /** ${route.summary}${route.deprecated ? "\n     * @deprecated" : ""} */\n` +
        `    ${verb}: ${kindOf(route.method)}<{ meta: object; input: InputOf<Wire["calls"]["${name}"]["input"]>; output: Wire["calls"]["${name}"]["output"] }>;`,
    );
    return `  ${noun}: {\n${lines.join("\n")}\n  };`;
  });
  // A type, not an interface: the router's type asks for a record, which an interface is not.
  return `/** An input whose fields may all be absent may be left out. */
type InputOf<T> = T | (Record<never, never> extends T ? void : never);

type Procedures = {\n${fields.join("\n")}\n};\n`;
}

/** Hex text has a type of its own in TypeScript, which JSON Schema can only say as a pattern. */
function mapTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mapTypes);
  if (typeof value !== "object" || value === null) return value;
  const mapped = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mapTypes(part)]));
  if (isHexSchema(mapped)) return { ...mapped, tsType: "`0x${string}`" };
  const { prefixItems, items: _, ...rest } = mapped;
  // The generator knows tuples of fixed length as the older drafts have them.
  if (Array.isArray(prefixItems))
    return { ...rest, items: prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length };
  // The types of the contract do not say how long a list is.
  if (mapped["type"] === "array") return omitLengths(mapped);
  // A reference with a text beside it would become a second type of the same name.
  return "$ref" in mapped ? { $ref: mapped["$ref"] } : mapped;
}

const omitLengths = ({ minItems: _, maxItems: __, ...rest }: Json): Json => rest;

const isHexSchema = ({ type, pattern }: Json): boolean =>
  type === "string" && typeof pattern === "string" && /^\^0(x|\[xX\])/.test(pattern);
