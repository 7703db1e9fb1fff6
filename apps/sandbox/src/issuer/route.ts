/**
 * What the routes of the issuer's API share.
 *
 * - object: what the issuer keeps, as its JSON shows it. - event: what it tells the service of, once that is committed.
 */
import type { Tx } from "@cardkeep/db/client";
import type { IssuerObject } from "@cardkeep/db/queries/sandbox";
import type { Runtime } from "@cardkeep/runtime/compose";
import { randomBytes } from "node:crypto";
import { z } from "zod";

export interface IssuerEvent {
  type: string;
  object: unknown;
}

/** One request, carried out in one transaction. */
export interface IssuerWork {
  readonly runtime: Runtime;
  readonly tx: Tx;
  readonly now: Date;
  /** Has the service told of something once the transaction is committed, before the request is answered. */
  emit(event: IssuerEvent): void;
}

export interface IssuerRoute {
  readonly method: "GET" | "POST";
  /** `{name}` marks a path parameter, which the input names too. */
  readonly path: string;
  run(work: IssuerWork, input: unknown): Promise<unknown>;
}

/** Declares a route; its input is what form or query and path say, in one. */
export const defineIssuerRoute = <I extends z.ZodType>(route: {
  method: IssuerRoute["method"];
  path: string;
  input: I;
  run(work: IssuerWork, input: z.output<I>): Promise<unknown>;
}): IssuerRoute => ({ ...route, run: (work, input) => route.run(work, route.input.parse(input)) });

/** A refusal in the issuer's words. Source: docs.stripe.com/api/errors. */
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

/** The refusal of an object that is not there. */
export const missing = (what: string, id: string, param = "id", status = 404): IssuerError =>
  new IssuerError(status, `No such ${what}: '${id}'`, { code: "resource_missing", param });

export const metadata = z.record(z.string(), z.string()).optional();
/** An amount in minor units, or another whole number. */
export const wholeNumber = z
  .string()
  .regex(/^-?\d{1,15}$/, "Invalid integer")
  .transform(Number);

/** The filter of lists by the instant of creation, in Unix seconds. */
export const createdRange = z.object({ gte: wholeNumber.optional() }).optional();

const idBytes = 12;

/** An id as the issuer makes them: `ic_...`. */
export const generateIssuerId = (prefix: string): string => `${prefix}_${randomBytes(idBytes).toString("hex")}`;

/** The instant as the issuer writes it. */
export const toUnixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

const page = {
  limit: wholeNumber.pipe(z.int().min(1).max(100)).optional(),
  starting_after: z.string().optional(),
  expand: z.array(z.string()).optional(),
};

/** What every list takes, besides its filters. */
export const pageOf = <F extends z.ZodRawShape>(filters: F) => z.object({ ...filters, ...page });

const pageSizeDefault = 10;

/** A list as the issuer answers it; `find` is asked for one more than a page. */
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
