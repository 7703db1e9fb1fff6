/** Requests to one operation of our own OpenAPI document, matching and not. */
import fc from "fast-check";
import type { z } from "zod";
import { type Schema, hostileValue, spoilt, valid } from "./arbitraries.ts";

type ResponseSchema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The whole path, with `{parameters}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | null;
  /** By status: the schema of the JSON body, or null for text. */
  readonly responses: ReadonlyMap<number, ResponseSchema | null>;
}

export interface FuzzRequest {
  readonly path: string;
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The caller, as an index into the people. */
  readonly person: number;
}

interface Document {
  // oxlint-disable-next-line typescript/no-explicit-any -- a document is read as its readers do
  readonly paths: Readonly<Record<string, Readonly<Record<string, any>>>>;
}

/** Every operation that a document describes. */
export function readOperations(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).filter((parameter: Partial<Parameter>) => parameter.in !== undefined),
      body: operation.requestBody?.content["application/json"].schema ?? null,
      responses: new Map(
        Object.entries<Record<string, Record<string, { schema: ResponseSchema }>>>(operation.responses).map(
          ([status, { content }]) => [Number(status), content?.["application/json"]?.schema ?? null],
        ),
      ),
    })),
  );
}

/** Encodes a value as one segment of a browser's address, so that it never names another path. */
const toSegment = (value: unknown): string => {
  const text = (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();
  return /^\.{0,2}$/.test(text) ? "-" : encodeURIComponent(text.slice(0, 500));
};

const pathOf = ({ path, parameters }: Operation, ids: readonly string[]): fc.Arbitrary<string> => {
  const values = parameters
    .filter((parameter) => parameter.in === "path")
    .map(({ name, schema }) =>
      fc.tuple(
        fc.constant(name),
        fc.oneof(valid(schema), hostileValue, ...(ids.length > 0 ? [fc.constantFrom(...ids)] : [])),
      ),
    );
  return fc
    .tuple(...values)
    .map((chosen) => chosen.reduce((text, [name, value]) => text.replace(`{${name}}`, () => toSegment(value)), path));
};

const queryOf = ({ parameters }: Operation): fc.Arbitrary<string> => {
  const values = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema, required }) => {
      const given = fc.tuple(fc.constant(name), fc.oneof({ weight: 4, arbitrary: valid(schema) }, hostileValue));
      return required ? fc.option(given, { freq: 8 }) : fc.option(given);
    });
  const more = fc.option(fc.tuple(fc.string(), hostileValue), { freq: 6 });
  return fc.tuple(...values, more).map((chosen) => {
    const pairs = chosen.flatMap((pair) => (pair ? [`${encodeSafe(pair[0])}=${encodeSafe(pair[1])}`] : []));
    return pairs.length > 0 ? `?${pairs.join("&")}` : "";
  });
};

const encodeSafe = (value: unknown): string =>
  encodeURIComponent(
    (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed().slice(0, 2_000),
  );

const bodyOf = ({ method, body }: Operation): fc.Arbitrary<string | null> => {
  if (method === "GET") return fc.constant(null);
  const asJson = (value: unknown): string => JSON.stringify(value) ?? "";
  const any = fc.oneof(hostileValue.map(asJson), fc.string(), fc.constantFrom("", "{", "[]", "null", '"text"', "{}"));
  if (body === null) return fc.oneof(fc.constant(null), any);
  return fc.oneof(
    { weight: 5, arbitrary: valid(body).map(asJson) },
    { weight: 4, arbitrary: spoilt(body).map(asJson) },
    { weight: 1, arbitrary: any },
    { weight: 1, arbitrary: fc.constant(null) },
  );
};

const headerSets: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { "Idempotency-Key": "" },
    { "Idempotency-Key": "k".repeat(256) },
    { "Content-Type": "text/plain" },
    { "Content-Type": "multipart/form-data" },
    { "Content-Type": "application/x-www-form-urlencoded" },
    { "X-Request-Id": "no id at all!" },
    { Origin: "https://evil.test" },
    { Authorization: "Bearer" },
    { Authorization: "Basic YTpi" },
    { Authorization: "Bearer a.b.c" },
  ),
  fc.nat(50).map((number) => ({ "Idempotency-Key": `key-${number}` })),
);

/** Requests to an operation by any of `people`; some of their ids exist. */
export const requestsTo = (operation: Operation, people: number, ids: readonly string[]): fc.Arbitrary<FuzzRequest> =>
  fc.record({
    path: fc.tuple(pathOf(operation, ids), queryOf(operation)).map((parts) => parts.join("")),
    body: bodyOf(operation),
    headers: headerSets,
    person: fc.nat(people - 1),
  });
