/** The OpenAPI document as tests read it. */

const prefix = "#/components/schemas/";

/** A document without references to shared schemas. */
export function inlineSchemas<T>(document: T): T {
  const { schemas } = (document as { components: { schemas: Record<string, unknown> } }).components;
  const inline = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inline);
    if (typeof node !== "object" || node === null) return node;
    const { $ref, ...rest } = node as Record<string, unknown>;
    const target = typeof $ref === "string" && $ref.startsWith(prefix) ? schemas[$ref.slice(prefix.length)] : null;
    const whole = target === null ? (node as object) : { ...(target as object), ...rest };
    return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, inline(value)]));
  };
  return inline(document) as T;
}

/** What a reference to a shared schema stands for; any other schema as it is. */
// oxlint-disable-next-line typescript/no-explicit-any -- a document is read as its readers do
export const resolveSchema = (document: any, schema: { $ref?: string }): any =>
  schema.$ref?.startsWith(prefix) ? document.components.schemas[schema.$ref.slice(prefix.length)] : schema;
