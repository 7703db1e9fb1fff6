/** Copies values from the examples of whole bodies to the fields of the OpenAPI document. */

type Json = Record<string, unknown>;

const scalarTypes: readonly unknown[] = ["string", "number", "integer", "boolean"];

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const recordOf = (value: unknown): Json => (isRecord(value) ? value : {});

/** Changes the document: a field without an example gets its value from the first whole example that contains it. */
export function fillExamples(document: Json): void {
  const schemas = recordOf(recordOf(document["components"])["schemas"]);
  visit(document, schemas);
}

function visit(node: unknown, schemas: Json): void {
  if (Array.isArray(node)) for (const item of node) visit(item, schemas);
  if (!isRecord(node)) return;
  if ("schema" in node && "example" in node) fill(node["schema"], node["example"], schemas);
  for (const [key, child] of Object.entries(node)) if (!key.startsWith("example")) visit(child, schemas);
}

/** The part of a schema that describes a value, behind references and variants. */
function findPart(schema: unknown, value: unknown, schemas: Json): Json {
  const own = recordOf(schema);
  const { $ref } = own;
  if (typeof $ref === "string") return findPart(schemas[$ref.slice($ref.lastIndexOf("/") + 1)], value, schemas);
  const variants = own["anyOf"] ?? own["oneOf"];
  if (!Array.isArray(variants)) return own;
  const parts = variants.map((variant) => findPart(variant, value, schemas));
  return parts.find((part) => mayHold(part, value)) ?? {};
}

/** Whether a variant matches a value, by its type and its distinguishing fields. */
function mayHold(part: Json, value: unknown): boolean {
  if (!isRecord(value)) return part["type"] !== "null" && part["type"] !== "object" && value !== null;
  return Object.entries(recordOf(part["properties"])).every(([name, field]) => {
    const { const: only } = recordOf(field);
    return only === undefined || only === value[name];
  });
}

function fill(schema: unknown, value: unknown, schemas: Json): void {
  if (value === null || value === undefined) return;
  const part = findPart(schema, value, schemas);
  const { properties, items } = part;
  if (Array.isArray(value)) for (const item of value) fill(items, item, schemas);
  else if (isRecord(value)) {
    for (const [name, field] of Object.entries(recordOf(properties))) fill(field, value[name], schemas);
  } else if (scalarTypes.includes(part["type"]) && !["examples", "enum", "const"].some((key) => key in part)) {
    part["examples"] = [value];
  }
}
