/** Errors on the tRPC surface. */
import { type ErrorCode, errors } from "@cardkeep/contract/core/errorCatalogue";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { pathOfError } from "@cardkeep/contract/openapi/documents";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import { type TRPCDefaultErrorShape, TRPCError } from "@trpc/server";
import type { ApiOperation } from "./apiOperation.ts";
import { buildChallenge, describeError, waitHeaders } from "./reply.ts";

type TrpcCode = TRPCError["code"];

const codeByStatus: Readonly<Record<number, TrpcCode>> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  408: "TIMEOUT",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  502: "BAD_GATEWAY",
  503: "SERVICE_UNAVAILABLE",
};

/** Errors of tRPC itself, before any procedure runs. */
const ownErrors: Partial<Record<TrpcCode, ErrorCode>> = {
  NOT_FOUND: "request.not_found",
  METHOD_NOT_SUPPORTED: "request.method_not_allowed",
  BAD_REQUEST: "request.invalid",
  PARSE_ERROR: "request.invalid_json",
};

/** tRPC's text for a batch with more calls than `batchSizeMax`. */
const batchTooLarge = "Batch call exceeds maximum size";

const findOwnError = ({ code, message }: TRPCError): ErrorCode | undefined =>
  message === batchTooLarge ? "request.batch_too_large" : ownErrors[code];

/** Adds our code and its place on the reference page to an error of tRPC. The message and stack of a bug are not sent. */
export function formatTrpcError<S extends TRPCDefaultErrorShape>({ shape, error }: { shape: S; error: TRPCError }) {
  const fault = toCardkeepError(error.cause ?? error);
  const own = error.cause instanceof SyntaxError ? "request.invalid_json" : findOwnError(error);
  const code = fault.code === "server.internal" ? (own ?? fault.code) : fault.code;
  const message = error.cause instanceof CardkeepError ? shape.message : errors[code].text;
  const { stack: _, ...data } = shape.data;
  return {
    ...shape,
    message,
    data: { ...data, error: code, help: pathOfError(code), ...(fault.details && { details: fault.details }) },
  };
}

/** The error of an operation in the form of tRPC. */
export const toTrpcError = (fault: CardkeepError, { route }: ApiOperation): TRPCError =>
  new TRPCError({
    code: codeByStatus[fault.status] ?? "INTERNAL_SERVER_ERROR",
    message: describeError(fault, route),
    cause: fault,
  });

/** Headers of a batch: the longest wait among its errors, and the challenge of a 401. */
export function collectHeaders(faults: readonly TRPCError[]): Headers {
  const mapped = faults.map((fault) => toCardkeepError(fault.cause ?? fault));
  const [longest] = mapped.toSorted((a, b) => (b.retryAfterSeconds ?? 0) - (a.retryAfterSeconds ?? 0));
  const isUnauthorized = mapped.some(({ status }) => status === 401);
  return new Headers({ ...(isUnauthorized && buildChallenge(401)), ...(longest && waitHeaders(longest)) });
}
