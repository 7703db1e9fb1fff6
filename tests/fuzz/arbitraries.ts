/** Values that match a JSON Schema, and values that do not. */
import fc from "fast-check";

/** The part of JSON Schema in our document. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly additionalProperties?: boolean | Schema;
}

const itemsMax = 5;
const textLengthMax = 80;

/** Text that can break parsers, databases, mails and terminals. */
const hostileTexts = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\r\nBcc: e@y.org",
  "'; drop table users; --",
  "${7*7}{{7*7}}",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "0x",
  "-0",
  "1e3",
  "１２３",
  "\u202edcba",
  "\u{1f9ff}".repeat(20),
  "9".repeat(2_000),
  "x".repeat(20_000),
];

/** Values that no schema expects. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e300, [], {}, [[]], { length: 3 }, ...hostileTexts),
  fc.string({ unit: "binary", maxLength: textLengthMax }),
  fc.jsonValue({ maxDepth: 3 }),
);

const texts: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.nat(99_999).map((number) => `fuzz-${number}@example.org`),
  "date-time": fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  date: fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  uri: fc.webUrl(),
  uuid: fc.uuid(),
};

function textOf({ pattern, format, minLength = 0, maxLength = textLengthMax }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength: Math.min(maxLength, 300) });
  const known = format === undefined ? undefined : texts[format];
  return known ?? fc.string({ minLength, maxLength: Math.min(maxLength, textLengthMax), unit: "grapheme" });
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valid(schema)]));
  if (typeof additionalProperties === "object") return fc.dictionary(fc.string(), valid(additionalProperties));
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields), noNullPrototype: true });
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  const { minimum: min = -1_000_000, maximum: max = 1_000_000, items = {}, maxItems = itemsMax } = schema;
  if (type === "string") return textOf(schema);
  if (type === "integer") return fc.integer({ min, max });
  if (type === "number") return fc.double({ min, max, noNaN: true });
  if (type === "boolean") return fc.boolean();
  if (type === "array") return fc.array(valid(items), { maxLength: Math.min(maxItems, itemsMax) });
  if (type === "object") return objectOf(schema);
  return fc.constant(null);
}

/** Values that match a schema, with its own examples among them. */
export function valid(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const variants = schema.anyOf ?? schema.oneOf;
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  const made = variants ? fc.oneof(...variants.map(valid)) : fc.oneof(...types.map((type) => ofType(type, schema)));
  const general = variants || types.length > 0 ? made : fc.jsonValue({ maxDepth: 2 });
  return schema.examples ? fc.oneof(general, fc.constantFrom(...schema.examples)) : general;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A matching value with one field removed, changed or added; or any other value. */
export function spoilt(schema: Schema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return hostileValue;
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(valid(schema), fc.constantFrom(...names), hostileValue).map(spoil) },
    {
      weight: 1,
      arbitrary: fc.tuple(valid(schema), fc.constantFrom(...names)).map(([value, name]) => without(value, name)),
    },
    { weight: 1, arbitrary: fc.tuple(valid(schema), fc.string(), hostileValue).map(spoil) },
    { weight: 1, arbitrary: hostileValue },
  );
}

const spoil = ([value, name, hostile]: [unknown, string, unknown]): unknown =>
  isRecord(value) ? { ...value, [name]: hostile } : hostile;

const without = (value: unknown, name: string): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) : value;
