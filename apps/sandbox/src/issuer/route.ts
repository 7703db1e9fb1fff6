/**
 * Types and helpers that the routes of the issuer's API share.
 *
 * - object: a record of the issuer, in the form of its JSON.
 * - event: what the issuer delivers to the service after the commit.
 */
import type { Executor, Tx } from "@cardkeep/db/client";
import { findIssuerObject, type IssuerObject, lockIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { SandboxRuntime } from "../core/openStore.ts";

export interface IssuerEvent {
  type: string;
  object: unknown;
}

/** One request in one transaction. */
export interface IssuerWork {
  readonly runtime: SandboxRuntime;
  readonly tx: Tx;
  readonly now: Date;
  /** Delivers an event after the commit and before the answer. */
  emit(event: IssuerEvent): void;
}

export interface IssuerRoute {
  readonly method: "GET" | "POST";
  /** `{name}` marks a path parameter, which the input names too. */
  readonly path: string;
  /** What it takes; it refuses any other. */
  readonly parameters: readonly string[];
  run(work: IssuerWork, input: unknown): Promise<unknown>;
  /** Goes on after the commit, also of a request that comes again: it asks the service, and answers what the caller gets. */
  finish?(runtime: SandboxRuntime, answered: unknown): Promise<unknown>;
}

/** Declares a route. Its input merges form or query with the path. */
export const defineIssuerRoute = <I extends z.ZodType>(route: {
  method: IssuerRoute["method"];
  path: string;
  input: I;
  run(work: IssuerWork, input: z.output<I>): Promise<unknown>;
  finish?(runtime: SandboxRuntime, answered: unknown): Promise<unknown>;
}): IssuerRoute => ({
  ...route,
  parameters: listParameters(route.input),
  run: (work, input) => {
    refuseUnknown(route.input, input);
    return route.run(work, route.input.parse(input));
  },
});

const listParameters = (schema: z.ZodType): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/** @throws IssuerError for a parameter that the route does not take */
function refuseUnknown(schema: z.ZodType, input: unknown): void {
  if (!(schema instanceof z.ZodObject) || typeof input !== "object" || input === null) return;
  const known = ["expand", ...listParameters(schema)];
  const param = Object.keys(input).find((name) => !known.includes(name));
  if (param !== undefined)
    throw new IssuerError(400, `Received unknown parameter: ${param}`, { code: "parameter_unknown", param });
}

/** An error in the issuer's format. Source: docs.stripe.com/api/errors. */
export class IssuerError extends Error {
  override readonly name = "IssuerError";
  readonly status: number;
  readonly body: { error: { type: string; code?: string; message: string; param?: string } };

  constructor(status: number, message: string, details: { type?: string; code?: string; param?: string } = {}) {
    super(message);
    this.status = status;
    this.body = { error: { type: "invalid_request_error", message, ...details } };
  }
}

/** The error for an unknown object. */
export const missing = (what: string, id: string, param = "id", status = 404): IssuerError =>
  new IssuerError(status, `No such ${what}: '${id}'`, { code: "resource_missing", param });

/** Throws, as an expression. */
export function raise(error: IssuerError): never {
  throw error;
}

/** `card` of `issuing.card`. */
const nameKind = (object: string): string =>
  object === "file" ? "file upload" : object.replace("issuing.", "").replaceAll("_", " ");

/** The error names the parameter that has the id, of an object that is not the path's own. */
const refuseMissing = (object: string, id: string, param?: string): never =>
  raise(param === undefined ? missing(nameKind(object), id) : missing(nameKind(object), id, param, 400));

/** @throws IssuerError for an unknown object */
export const getObject = async (on: Executor, object: string, id: string, param?: string): Promise<IssuerObject> =>
  (await findIssuerObject(on, object, id)) ?? refuseMissing(object, id, param);

/** @throws IssuerError for an unknown object */
export const lockObject = async (tx: Tx, object: string, id: string, param?: string): Promise<IssuerObject> =>
  (await lockIssuerObject(tx, object, id)) ?? refuseMissing(object, id, param);

/** Source: docs.stripe.com/api/metadata. */
const metadataKeysMax = 50;

export const metadata = z
  .record(
    z
      .string()
      .max(40)
      .regex(/^[^[\]]*$/, "Metadata keys cannot contain square brackets"),
    z.string().max(500),
  )
  .refine((given) => Object.keys(given).length <= metadataKeysMax, "At most 50 metadata keys")
  .optional();

/** An object's metadata after an update; an empty value removes a key, as in the whole API. */
export function mergeMetadata(known: unknown, given: Record<string, string> = {}): Record<string, string> {
  const merged = Object.entries({ ...metadata.parse(known), ...given });
  return Object.fromEntries(merged.filter(([, value]) => value !== ""));
}

/** An amount in minor units, or another whole number. */
export const wholeNumber = z
  .string()
  .regex(/^-?\d{1,15}$/, "Invalid integer")
  .transform(Number);

/** The filter of lists by creation time, in Unix seconds: an instant or a range. */
export const createdRange = z
  .union([
    wholeNumber.transform((at) => ({ gte: at, lte: at })),
    z.object({
      gt: wholeNumber.optional(),
      gte: wholeNumber.optional(),
      lt: wholeNumber.optional(),
      lte: wholeNumber.optional(),
    }),
  ])
  .transform((range) => {
    const { gt, gte, lt, lte } = { gt: undefined, lt: undefined, ...range };
    const createdFrom = Math.max(gte ?? 0, gt === undefined ? 0 : gt + 1);
    return { createdFrom, createdTo: Math.min(lte ?? secondsMax, lt === undefined ? secondsMax : lt - 1) };
  })
  .optional();

const secondsMax = Number.MAX_SAFE_INTEGER;

const idBytes = 12;

/** An id in the issuer's form: `ic_...`. */
export const generateIssuerId = (prefix: string): string => `${prefix}_${randomBytes(idBytes).toString("hex")}`;

/** The instant in the issuer's form. */
export const toUnixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const page = {
  ending_before: z.string().optional(),
  limit: wholeNumber.pipe(z.int().min(1).max(100)).optional(),
  starting_after: z.string().optional(),
  expand: z.array(z.string()).optional(),
};

/** The query of every list: paging, and the list's own filters. */
export const pageOf = <F extends z.ZodRawShape>(filters: F) => z.object({ ...filters, ...page });

const pageSizeDefault = 10;

interface Paging {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
}

/** A list in the issuer's form; `find` loads one item more than a page. */
export async function buildList(
  url: string,
  { limit = pageSizeDefault, starting_after: startingAfter, ending_before: endingBefore }: Paging,
  find: (input: {
    startingAfter: string | null;
    endingBefore: string | null;
    limit: number;
  }) => Promise<IssuerObject[]>,
): Promise<unknown> {
  if (startingAfter !== undefined && endingBefore !== undefined)
    throw new IssuerError(400, "You may only specify one of: ending_before, starting_after");
  const position = { startingAfter: startingAfter ?? null, endingBefore: endingBefore ?? null };
  const found = await find({ ...position, limit: limit + 1 });
  const shown = found.slice(0, limit).map((object) => object.data);
  const data = endingBefore === undefined ? shown : shown.reverse();
  return { object: "list", data, has_more: found.length > limit, url };
}
