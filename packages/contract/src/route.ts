/**
 * One definition per operation.
 *
 * - route: an operation's method, path, access, input, output and faults, each written once.
 * - wire: what travels, `z.input` of both schemas; codecs turn it into what the verbs handle and back.
 */
import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";
import type { z } from "zod";
import { type ErrorCode, errors, type ErrorStyle } from "./errors.ts";

/** Every path of REST begins with it. */
export const apiPrefix = "/api/v1";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Who may call: anyone, a signed-in wallet, a signed-in wallet that belongs to a user, or a partner with its API key. */
export type Access = "public" | "wallet" | "user" | "partner";

/** What a deprecated route says of its end. */
export interface Deprecation {
  /** The path that replaces it, or null where none does. */
  readonly successor: string | null;
  /** The first instant at which it may be gone, ISO 8601; absent where it stays. */
  readonly sunsetAt?: string;
}

/** Every deprecated route is deprecated since this instant, ISO 8601. */
export const deprecatedSince = "2026-01-01T00:00:00.000Z";

export interface Route {
  readonly method: Method;
  /** Path below the prefix; `{name}` marks a path parameter, which the input schema names too. */
  readonly path: string;
  /** Other paths that answer the same. */
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly access: Access;
  readonly input?: z.ZodType;
  readonly output: z.ZodType;
  /** Status of a success; 200 unless named. */
  readonly status?: number;
  /** Faults of this route's own; those of every route are not repeated. */
  readonly errors: readonly ErrorCode[];
  /** Codes of schema faults of single fields, in place of `request.invalid`. */
  readonly fieldFaults?: Readonly<Record<string, ErrorCode>>;
  /** A public route that looks at an access token where one is sent. */
  readonly takesToken?: boolean;
  /** How its faults are wrapped on REST. */
  readonly errorStyle: ErrorStyle;
  /** How every 400 is wrapped, whatever the catalogue says. */
  readonly badRequestStyle?: ErrorStyle;
  /** How a missing or invalid access token is wrapped. */
  readonly unauthorizedStyle?: "error" | "message";
  /** What a server failure says, a 500 and a 503 alike. */
  readonly failure?: { readonly style: ErrorStyle; readonly text: string };
  /** The answer holds a token, so it is never stored for an idempotency key. */
  readonly holdsToken?: boolean;
  /** Whether a user whom the operator deactivated may still do this; reading is always allowed. */
  readonly openToDeactivated?: boolean;
  /** It sends a message to whomever the caller names, so one source address may ask for few. */
  readonly sendsMessage?: boolean;
  /** The answer is the bare string as `text/plain`. */
  readonly plainText?: boolean;
  readonly deprecated?: Deprecation;
}

/** Declares a route; the identity function that keeps its exact types. */
export const defineRoute = <const R extends Route>(route: R): R => route;

export type RouteTable = Readonly<Record<string, Readonly<Record<string, Route>>>>;

/** What the verb of a route takes, decoded. */
export type InputOf<R extends Route> = R["input"] extends z.ZodType ? z.output<R["input"]> : undefined;
/** What the verb of a route answers, not yet encoded. */
export type OutputOf<R extends Route> = z.output<R["output"]>;
/** What travels to a route. */
export type WireInputOf<R extends Route> = R["input"] extends z.ZodType ? z.input<R["input"]> : void;
/** What travels back from a route. */
export type WireOutputOf<R extends Route> = z.input<R["output"]>;

type ProcedureOf<R extends Route> = R["method"] extends "GET"
  ? TRPCQueryProcedure<{ meta: object; input: WireInputOf<R>; output: WireOutputOf<R> }>
  : TRPCMutationProcedure<{ meta: object; input: WireInputOf<R>; output: WireOutputOf<R> }>;

/** The record of tRPC procedures that a route table stands for. */
export type ProceduresOf<T extends RouteTable> = {
  [Noun in keyof T]: { [Verb in keyof T[Noun]]: ProcedureOf<T[Noun][Verb]> };
};

/** Every path that a route answers on, its own first. */
export const listPaths = (route: Route): string[] => [route.path, ...(route.aliases ?? [])];

/** Whether a fault is the server's own: a bug, or something that it depends on and that does not answer. */
export const isServerFailure = (code: ErrorCode): boolean =>
  code === "server.internal" || code === "server.unavailable";

/** How a fault is wrapped on one route: the catalogue's own style wins over the route's. */
export function faultStyleOf(code: ErrorCode, route: Route | null): ErrorStyle {
  if (isServerFailure(code)) return route?.failure?.style ?? "error";
  if (code === "auth.unauthorized") return route?.unauthorizedStyle ?? "message";
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
