/**
 * What travels, as JSON Schema: for the OpenAPI document and for the reference page.
 *
 * - wire: the input side of both schemas of a route; see `route.ts`.
 */
import { z } from "zod";
import { listPathParameters, type Route } from "./route.ts";

export type WireSchema = z.core.JSONSchema.BaseSchema;

/** The schema of what travels, and those of its parts that have an id of their own, which it refers to. */
export interface SharedSchema {
  readonly schema: WireSchema;
  /** By id. */
  readonly shared: Readonly<Record<string, WireSchema>>;
}

const definitions = "#/$defs/";

/** The schema of what travels; draft 2020-12. A part with an id stands under it, behind `prefix` where it is referred to. */
export function buildSharedSchema(schema: z.ZodType, prefix: string = definitions): SharedSchema {
  // One level down, so that the schema itself may be such a part too.
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

/** The same with every part in its place, without references. */
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

/** What holds values, and no schemas. */
const noSchema: readonly string[] = ["examples", "enum", "const", "default", "required"];

function inlineValue(value: unknown, shared: SharedSchema["shared"]): unknown {
  if (Array.isArray(value)) return value.map((item) => inlineValue(item, shared));
  return typeof value === "object" && value !== null ? inline(value as WireSchema, shared) : value;
}

/** Examples are of what travels; of a codec they would be left out. */
function addExamples(of: z.core.$ZodType, schema: WireSchema): void {
  const { examples } = z.globalRegistry.get(of) ?? {};
  if (Array.isArray(examples) && schema.$ref === undefined) schema.examples = examples;
}

/** Bounds that every JavaScript integer has, and patterns that only repeat a format, say nothing. */
function tidy(schema: WireSchema): void {
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
