import { describe, expect, test } from "bun:test";
import { listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { compileEncoder } from "@cardkeep/server/encoder";
import fc from "fast-check";
import { z } from "zod";
import { filled } from "../support/filled.ts";

/** Texts of every kind in the contract; each leaf uses those that its schema accepts. */
const texts: fc.Arbitrary<string>[] = [
  fc.string(),
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.stringMatching(/^0x([0-9a-f]{2}){0,40}$/),
  fc.stringMatching(/^0x[0-9a-fA-F]{40}$/),
  fc.stringMatching(/^0x[0-9a-f]{64}$/),
  fc.stringMatching(/^[1-9][0-9]{0,30}$/),
  fc.emailAddress(),
  fc.stringMatching(/^https:\/\/[a-z]{1,20}\.example\/[a-z0-9/]{0,20}$/),
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-01-01") }).map((date) => date.toISOString()),
  ...["EUR", "GB", "1990-01-31", "/path", "a", "en", "de"].map((text) => fc.constant(text)),
];
const numbers: fc.Arbitrary<unknown>[] = [fc.integer(), fc.nat(), fc.double({ noNaN: true }), fc.nat(100)];
const leaves: Readonly<Record<string, fc.Arbitrary<unknown>[]>> = {
  string: texts,
  custom: texts,
  number: numbers,
  boolean: [fc.boolean()],
  unknown: [fc.jsonValue()],
  date: [fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-01-01") })],
  bigint: [fc.bigInt(0n, 1n << 256n), fc.bigInt(1n, 1n << 64n)],
};

/** Some values of each, which tell whether a schema accepts its kind. */
const samples = new Map(
  Object.values(leaves)
    .flat()
    .map((arbitrary) => [arbitrary, fc.sample(arbitrary, 50)]),
);

/** Values of a leaf of a type, a codec's inner one or its own, which the whole schema accepts. */
function arbitraryLeaf(type: string, schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const isTaken = (value: unknown) => z.safeEncode(schema, value as never).success;
  const fitting = (leaves[type] ?? []).filter((arbitrary) => samples.get(arbitrary)?.some(isTaken));
  if (fitting.length === 0) throw new Error(`No values are known for a ${type}`);
  return fc.oneof(...fitting).filter(isTaken);
}

/** Possible results of a verb for a schema; its objects have further keys, like rows. */
function arbitraryOutput(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodCodec && schema.def.in instanceof z.ZodOptional)
    return fc.option(arbitraryOutput(schema.def.in.def.innerType));
  if (schema instanceof z.ZodNullable) return fc.option(arbitraryOutput(schema.def.innerType));
  if (schema instanceof z.ZodOptional) return fc.option(arbitraryOutput(schema.def.innerType), { nil: undefined });
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  if (schema instanceof z.ZodArray) return fc.array(arbitraryOutput(schema.def.element), { maxLength: 4 });
  if (schema instanceof z.ZodTuple) return fc.tuple(...schema.def.items.map(arbitraryOutput));
  if (schema instanceof z.ZodUnion) return fc.oneof(...schema.def.options.map(arbitraryOutput));
  if (schema instanceof z.ZodRecord) return fc.dictionary(fc.string(), arbitraryOutput(schema.def.valueType));
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.def.shape).map(([key, field]) => [key, arbitraryOutput(field)]);
    return fc.record({ codeHash: fc.string(), updatedAt: fc.date(), ...Object.fromEntries(fields) });
  }
  return arbitraryLeaf(schema instanceof z.ZodCodec ? schema.def.out._zod.def.type : schema._zod.def.type, schema);
}

describe("the compiled encoder returns the result of z.encode, for every possible result of a verb:", () => {
  for (const { name, route } of filled(listRoutes(routes))) {
    test(name, () => {
      const encode = compileEncoder(route.output);
      fc.assert(
        fc.property(arbitraryOutput(route.output), (output) => {
          const expected = z.encode(route.output, output as never);
          expect(JSON.stringify(encode(output))).toBe(JSON.stringify(expected));
        }),
        { numRuns: 25 },
      );
    });
  }
});
