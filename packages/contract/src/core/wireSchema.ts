/**
 * JSON Schemas of the wire, for the OpenAPI document and the reference page.
 *
 * - wire: the input side of both schemas of a route; see `route.ts`.
 */
import { z } from "zod";
import { listPathParameters, type Route } from "./route.ts";

export type WireSchema = z.core.JSONSchema.BaseSchema;

/** The wire schema, and its referenced parts that have an id. */
export interface SharedSchema {
  readonly schema: WireSchema;
  /** By id. */
  readonly shared: Readonly<Record<string, WireSchema>>;
}

const definitions = "#/$defs/";

/** The wire schema, draft 2020-12. References to a part with an id begin with `prefix`. */
export function buildSharedSchema(schema: z.ZodType, prefix: string = definitions): SharedSchema {
  // One level down, because the schema itself may be such a part.
  const { properties, $defs } = z.toJSONSchema(z.object({ whole: schema }), {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      tidy(jsonSchema);
      addExamples(zodSchema, jsonSchema);
    },
  });
  const built = { schema: properties?.["whole"] ?? {}, shared: $defs ?? {} } as SharedSchema;
  if (prefix === definitions) return built;
  const text = JSON.stringify(built).replaceAll(`"$ref":"${definitions}`, `"$ref":"${prefix}`);
  return JSON.parse(text) as SharedSchema;
}

/** The same without references: every part is in place. */
export function buildWireSchema(schema: z.ZodType): WireSchema {
  const built = buildSharedSchema(schema);
  return inline(built.schema, built.shared);
}

function inline(node: WireSchema, shared: SharedSchema["shared"]): WireSchema {
  const { $ref, ...rest } = node;
  const target = $ref === undefined ? undefined : shared[$ref.slice(definitions.length)];
  const whole = { ...target, ...rest };
  return Object.fromEntries(
    Object.entries(whole).map(([key, value]) => [key, noSchema.includes(key) ? value : inlineValue(value, shared)]),
  );
}

/** Keywords that hold values, not schemas. */
const noSchema: readonly string[] = ["examples", "enum", "const", "default", "required"];

function inlineValue(value: unknown, shared: SharedSchema["shared"]): unknown {
  if (Array.isArray(value)) return value.map((item) => inlineValue(item, shared));
  return typeof value === "object" && value !== null ? inline(value as WireSchema, shared) : value;
}

/** Adds the wire form of examples; for codecs zod would omit them. */
function addExamples(of: z.core.$ZodType, schema: WireSchema): void {
  const { examples } = z.globalRegistry.get(of) ?? {};
  if (Array.isArray(examples) && schema.$ref === undefined) schema.examples = examples;
}

/**
 * Removes bounds of every JavaScript integer, and patterns that repeat a format. The description names a default:
 * many generators of clients require a field that has the keyword.
 */
function tidy(schema: WireSchema): void {
  delete schema.default;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.format !== undefined) delete schema.pattern;
}

export interface WireField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: WireSchema;
}

/** The fields of an object; empty for every other schema. */
export const listFields = (schema: WireSchema): WireField[] =>
  Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    isRequired: schema.required?.includes(name) ?? false,
    schema: typeof property === "boolean" ? {} : property,
  }));

/** Where the input of a route travels on REST. */
export interface WireInput {
  readonly path: readonly WireField[];
  readonly query: readonly WireField[];
  /** Null without a body. */
  readonly body: WireSchema | null;
  readonly isBodyRequired: boolean;
}

/** Splits the input of a route: path parameters, and the rest as query of a GET or body of another method. */
export function splitInput(route: Route, build: (schema: z.ZodType) => WireSchema = buildWireSchema): WireInput {
  const names = listPathParameters(route.path);
  const whole = route.input ? build(route.input) : { type: "object" as const };
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

/** The input of one call, each field in its place on REST. */
export interface SentInput {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined without a body. */
  readonly body: unknown;
}

/** Splits the input of one call, in the form of tRPC, as `splitInput` splits the route's schema. */
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
