/**
 * What travels, as JSON Schema: for the OpenAPI document and for the reference page.
 *
 * - wire: the input side of both schemas of a route; see `route.ts`.
 */
import { z } from "zod";
import { listPathParameters, type Route } from "./route.ts";

export type WireSchema = z.core.JSONSchema.BaseSchema;

/** The schema of what travels; draft 2020-12, every part in its place, without references. */
export function buildWireSchema(schema: z.ZodType): WireSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  });
  return rest;
}

/** Bounds that every JavaScript integer has, and patterns that only repeat a format, tell nobody anything. */
function dropNoise(schema: WireSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
}

export interface WireField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: WireSchema;
}

/** The fields of an object; none for everything else. */
export const listFields = (schema: WireSchema): WireField[] =>
  Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    isRequired: schema.required?.includes(name) ?? false,
    schema: typeof property === "boolean" ? {} : property,
  }));

/** Where on REST the input of a route travels. */
export interface WireInput {
  readonly path: readonly WireField[];
  readonly query: readonly WireField[];
  /** Null where there is no body. */
  readonly body: WireSchema | null;
  readonly isBodyRequired: boolean;
}

/** Splits the input of a route: parameters in the path, and the rest as query of a GET and body of everything else. */
export function splitInput(route: Route): WireInput {
  const names = listPathParameters(route.path);
  const whole = route.input ? buildWireSchema(route.input) : { type: "object" as const };
  const fields = listFields(whole);
  const path = names.map((name) => ({
    name,
    isRequired: true,
    schema: fields.find((field) => field.name === name)?.schema ?? { type: "string" as const },
  }));
  const rest = fields.filter(({ name }) => !names.includes(name));
  if (route.method === "GET") return { path, query: rest, body: null, isBodyRequired: false };
  // Variants and lists are bodies as a whole.
  if (whole.type !== "object") return { path, query: [], body: whole, isBodyRequired: true };
  if (rest.length === 0) return { path, query: [], body: null, isBodyRequired: false };
  const required = rest.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const properties = Object.fromEntries(rest.map(({ name, schema }) => [name, schema]));
  const { required: _, ...body } = { ...whole, properties };
  return {
    path,
    query: [],
    body: required.length > 0 ? { ...body, required } : body,
    isBodyRequired: required.length > 0,
  };
}

/** What one call of a route sends, each field in its place on REST. */
export interface SentInput {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined where there is none. */
  readonly body: unknown;
}

/** Splits the input of one call, as tRPC carries it, the way `splitInput` splits the route's schema. */
export function splitSent({ path: pattern, method }: Route, input: unknown): SentInput {
  // Lists are bodies as a whole.
  if (typeof input !== "object" || input === null || Array.isArray(input)) return { path: {}, query: {}, body: input };
  const names = listPathParameters(pattern);
  const fields = Object.entries(input);
  const path = Object.fromEntries(fields.filter(([name]) => names.includes(name)));
  const rest = Object.fromEntries(fields.filter(([name]) => !names.includes(name)));
  if (method === "GET") return { path, query: rest, body: undefined };
  return { path, query: {}, body: Object.keys(rest).length > 0 ? rest : undefined };
}
