/**
 * One definition per operation.
 *
 * - route: an operation's method, path, access, input, output and errors, each written once.
 * - wire: the transmitted form, `z.input` of both schemas. Codecs convert between it and the verbs' form.
 */
import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";
import type { z } from "zod";
import { type ErrorCode, errors, type ErrorStyle, tokenErrors } from "./errorCatalogue.ts";
import type { PartnerScope, TokenScope } from "./scopes.ts";

/** Every REST path begins with it. */
export const apiPrefix = "/api/v1";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call: anyone, a signed-in wallet, a signed-in wallet that belongs to a user, or a partner with its API key. */
export type Access = "public" | "wallet" | "user" | "partner";

/** The end of a deprecated route. */
export interface Deprecation {
  /** The path that replaces it. */
  readonly successor: string;
  /** The earliest instant of its removal, ISO 8601; absent if it stays. */
  readonly sunsetAt?: string;
}

/** Every deprecated route is deprecated since this instant, ISO 8601. */
export const deprecatedSince = "2026-01-01T00:00:00.000Z";

export interface Route {
  readonly method: Method;
  /** Path below the prefix; `{name}` marks a path parameter, which the input schema names too. */
  readonly path: string;
  /** Other paths with the same answer. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly access: Access;
  readonly input?: z.ZodType;
  readonly output: z.ZodType;
  /** Status of a success; 200 by default. */
  readonly status?: number;
  /** Errors of this route; the common ones are not repeated. */
  readonly errors: readonly ErrorCode[];
  /** Codes of schema errors of single fields, in place of `request.invalid`; under an empty name, of an input that is no object. */
  readonly fieldErrors?: Readonly<Record<string, ErrorCode>>;
  /** Codes of single fields that are missing or empty; they come before `fieldErrors`. */
  readonly emptyFieldErrors?: Readonly<Record<string, ErrorCode>>;
  /** The largest request body in bytes, where it may be larger than others. */
  readonly bodyBytesMax?: number;
  /** The scope with which a user's token reads it, or a partner's key opens it; without one no token does. */
  readonly scope?: TokenScope | PartnerScope;
  /** A public route that uses an access token if one is sent. */
  readonly takesToken?: boolean;
  /** How REST wraps its errors. */
  readonly errorStyle: ErrorStyle;
  /** How every 400 is wrapped; it overrides the catalogue. */
  readonly badRequestStyle?: ErrorStyle;
  /** How a missing or invalid access token is wrapped. */
  readonly unauthorizedStyle?: "error" | "message";
  /** The text of a server failure, both 500 and 503. */
  readonly failure?: { readonly style: ErrorStyle; readonly text: string };
  /** The answer holds a token, so it is never stored for an idempotency key. */
  readonly holdsToken?: boolean;
  /** Whether a deactivated user may still do this; reading is always allowed. */
  readonly openToDeactivated?: boolean;
  /** It sends a message to an address that the caller names, so one source address may request few. */
  readonly sendsMessage?: boolean;
  /** REST answers it in other forms too, by `format` or `Accept`: see `statementFormats`. */
  readonly isStatement?: boolean;
  /** The answer is the bare string as `text/plain`. */
  readonly plainText?: boolean;
  readonly deprecated?: Deprecation;
}

/** Declares a route and keeps its exact types. */
export const defineRoute = <const R extends Route>(route: R): R => route;

export type RouteTable = Readonly<Record<string, Readonly<Record<string, Route>>>>;

/** The decoded input of a route's verb. */
export type InputOf<R extends Route> = R["input"] extends z.ZodType ? z.output<R["input"]> : undefined;
/** The result of a route's verb, not yet encoded. */
export type OutputOf<R extends Route> = z.output<R["output"]>;
/** The input of a route on the wire. */
export type WireInputOf<R extends Route> = R["input"] extends z.ZodType
  ? z.input<R["input"]> | (Record<never, never> extends z.input<R["input"]> ? void : never)
  : void;
/** The output of a route on the wire. */
export type WireOutputOf<R extends Route> = z.input<R["output"]>;

/**
 * Whether the reply of a route is stored for an `Idempotency-Key`; `takesIdempotencyKey` is the same at run time. It is
 * stored for every change by a signed-in wallet or a partner, unless it holds a token; on a public route, where a token was
 * sent.
 */
export type StoresReply<R extends Route> = R extends
  | { readonly access: "wallet" | "user" | "partner" }
  | { readonly takesToken: true }
  ? R extends { readonly method: "GET" } | { readonly holdsToken: true }
    ? false
    : true
  : false;

type ProcedureOf<R extends Route> = R["method"] extends "GET"
  ? TRPCQueryProcedure<{ meta: object; input: WireInputOf<R>; output: WireOutputOf<R> }>
  : TRPCMutationProcedure<{ meta: object; input: WireInputOf<R>; output: WireOutputOf<R> }>;

/** The tRPC procedures of a route table. */
export type ProceduresOf<T extends RouteTable> = {
  [Noun in keyof T]: { [Verb in keyof T[Noun]]: ProcedureOf<T[Noun][Verb]> };
};

/** All paths of a route, its own first. */
export const listPaths = (route: Route): string[] => [route.path, ...(route.aliases ?? [])];

/** Whether an error is the server's own: a bug, or a dependency that does not answer. */
export const isServerFailure = (code: ErrorCode): boolean =>
  code === "server.internal" || code === "server.unavailable";

/** Whether an error is about the token of a request. */
export const isTokenError = (code: ErrorCode): boolean => tokenErrors.some((of) => of === code);

/** How an error is wrapped on one route. The catalogue's style overrides the route's. */
export function errorStyleOf(code: ErrorCode, route: Route | null): ErrorStyle {
  if (isServerFailure(code)) return route?.failure?.style ?? "error";
  if (isTokenError(code)) return route?.unauthorizedStyle ?? "message";
  if (route?.badRequestStyle && errors[code].status === 400) return route.badRequestStyle;
  return errors[code].style ?? route?.errorStyle ?? "error";
}

const pathParameter = /\{(\w+)\}/g;

/** Names of the `{parameters}` in a route's path, in order. */
export function listPathParameters(path: string): string[] {
  return [...path.matchAll(pathParameter)].flatMap((match) => match[1] ?? []);
}

/** Every route of a table with its tRPC name `noun.verb`, in the table's order. */
export function listRoutes(table: RouteTable): { name: string; noun: string; verb: string; route: Route }[] {
  return Object.entries(table).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, route]) => ({ name: `${noun}.${verb}`, noun, verb, route })),
  );
}
