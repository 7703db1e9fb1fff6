/**
 * The same meaning in the words that generators of clients know. Most of them read OpenAPI 3.0, by a converter: there
 * null is a property of a type, not a variant, a list has one schema for its items, and every text may be a key.
 */
import type { WireSchema } from "../core/wireSchema.ts";

/** By their references in the document. */
type Shared = Readonly<Record<string, WireSchema>>;

const isRecord = (value: unknown): value is WireSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keywords that hold values, not schemas. */
const valueKeywords: readonly string[] = ["examples", "enum", "const", "default", "required"];

/** Simplifies a schema and all of its parts. `shared` has the schemas that a part may refer to. */
export function simplifySchema(schema: WireSchema, shared: Shared): WireSchema {
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => [
    key,
    valueKeywords.includes(key) ? value : simplifyValue(value, shared),
  ]);
  return openMap(shareItems(mergeNull(Object.fromEntries(entries), shared)));
}

function simplifyValue(value: unknown, shared: Shared): unknown {
  if (Array.isArray(value)) return value.map((item) => simplifyValue(item, shared));
  return isRecord(value) ? simplifySchema(value, shared) : value;
}

/** Writes "a value, or null" as one schema with both types. */
function mergeNull(schema: WireSchema, shared: Shared): WireSchema {
  const { anyOf, ...outer } = schema;
  const [first, second, ...others] = anyOf ?? [];
  if (!isRecord(first) || !isRecord(second) || others.length > 0 || second.type !== "null") return schema;
  const value = first.$ref === undefined ? first : simplifySchema(shared[first.$ref] ?? {}, shared);
  if (typeof value?.type !== "string" || "const" in value) return schema;
  return { ...value, ...outer, type: [value.type, "null"], ...(value.enum && { enum: [...value.enum, null] }) };
}

/** Gives a list of fixed parts, each with the same fields, one schema for its items: a field has one of its values. */
function shareItems(schema: WireSchema): WireSchema {
  const { prefixItems, ...list } = schema;
  const parts = prefixItems?.filter(isRecord) ?? [];
  const [first] = parts;
  if (first === undefined) return schema;
  const fields = Object.entries(first.properties ?? {}).map(([name, field]) => {
    const { const: _, ...rest } = isRecord(field) ? field : {};
    const values = parts.flatMap((part) => [part.properties?.[name]].filter(isRecord).map((each) => each.const));
    return [name, { ...rest, enum: [...new Set(values)] }] as const;
  });
  return { ...list, items: { ...first, properties: Object.fromEntries(fields) } as WireSchema };
}

/** An object may hold any fields anyway. */
function openMap(schema: WireSchema): WireSchema {
  const { propertyNames, ...map } = schema;
  if (!isRecord(propertyNames)) return schema;
  const { additionalProperties: values, ...object } = map;
  return isRecord(values) && Object.keys(values).length === 0 ? object : map;
}

/** The schema of a query parameter, in which a number or a boolean is text anyway. */
export function simplifyQuery(schema: WireSchema): WireSchema {
  const { anyOf, examples, ...outer } = schema;
  const typed = anyOf?.filter(isRecord).find(({ type }) => type === "integer" || type === "boolean");
  return typed ? { ...typed, ...outer, ...(examples && { examples: examples.map(parseScalar) }) } : schema;
}

/** The number or boolean that a text of a query stands for. */
export const parseScalar = (value: unknown): unknown => (typeof value === "string" ? JSON.parse(value) : value);
