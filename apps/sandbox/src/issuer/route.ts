/**
 * Types and helpers that the routes of the issuer's API share.
 *
 * - object: a record of the issuer, in the form of its JSON.
 * - event: what the issuer delivers to the service after the commit.
 */
import type { Tx } from "@cardkeep/db/client";
import type { IssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { SandboxRuntime } from "../openStore.ts";

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
}): IssuerRoute => ({ ...route, run: (work, input) => route.run(work, route.input.parse(input)) });

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

export const metadata = z.record(z.string(), z.string()).optional();

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

/** The filter of lists by creation time, in Unix seconds. */
export const createdRange = z.object({ gte: wholeNumber.optional() }).optional();

const idBytes = 12;

/** An id in the issuer's form: `ic_...`. */
export const generateIssuerId = (prefix: string): string => `${prefix}_${randomBytes(idBytes).toString("hex")}`;

/** The instant in the issuer's form. */
export const toUnixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const page = {
  limit: wholeNumber.pipe(z.int().min(1).max(100)).optional(),
  starting_after: z.string().optional(),
  expand: z.array(z.string()).optional(),
};

/** The query of every list: paging, and the list's own filters. */
export const pageOf = <F extends z.ZodRawShape>(filters: F) => z.object({ ...filters, ...page });

const pageSizeDefault = 10;

/** A list in the issuer's form; `find` loads one item more than a page. */
export async function buildList(
  url: string,
  {
    limit = pageSizeDefault,
    starting_after: startingAfter,
  }: { limit?: number | undefined; starting_after?: string | undefined },
  find: (input: { startingAfter: string | null; limit: number }) => Promise<IssuerObject[]>,
): Promise<unknown> {
  const found = await find({ startingAfter: startingAfter ?? null, limit: limit + 1 });
  const data = found.slice(0, limit).map((object) => object.data);
  return { object: "list", data, has_more: found.length > limit, url };
}
