/** Encodes a verb's result for the wire. Types guarantee its form, so it is not checked again. */
import { z } from "zod";

export type Encode = (value: unknown) => unknown;

/** Types whose values need no encoding. */
const plainTypes: ReadonlySet<string> = new Set([
  "string",
  "number",
  "boolean",
  "enum",
  "literal",
  "custom",
  "date",
  "bigint",
]);

const keep: Encode = (value) => value;

/**
 * The encoder of a schema: keeps the schema's keys, drops all others, and applies codecs.
 *
 * For every valid value it returns what `z.encode` returns, in a fraction of the time. A test compares the two.
 */
export function compileEncoder(schema: z.core.$ZodType): Encode {
  if (plainTypes.has(schema._zod.def.type)) return keep;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return compileOptional(schema.def.innerType);
  if (schema instanceof z.ZodCodec) return compileCodec(schema);
  if (schema instanceof z.ZodArray) return compileArray(schema.def.element);
  if (schema instanceof z.ZodObject && schema.def.catchall === undefined) return compileObject(schema.def.shape);
  return (value) => z.encode(schema, value);
}

function compileOptional(inner: z.core.$ZodType): Encode {
  const encode = compileEncoder(inner);
  return encode === keep ? keep : (value) => (value === null || value === undefined ? value : encode(value));
}

function compileCodec({ def }: z.ZodCodec): Encode {
  const [encodeIn, encodeOut] = [compileEncoder(def.in), compileEncoder(def.out)];
  return (value) => encodeIn(def.reverseTransform(encodeOut(value), { value, issues: [] }));
}

function compileArray(element: z.core.$ZodType): Encode {
  const encode = compileEncoder(element);
  return encode === keep ? keep : (values) => (values as unknown[]).map(encode);
}

function compileObject(shape: z.core.$ZodShape): Encode {
  const fields = Object.entries(shape).map(([key, field]) => [key, compileEncoder(field)] as const);
  return (value) => {
    const source = value as Record<string, unknown>;
    const encoded: Record<string, unknown> = {};
    for (const [key, encode] of fields) encoded[key] = encode === keep ? source[key] : encode(source[key]);
    return encoded;
  };
}
