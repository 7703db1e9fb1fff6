/** Records every answered operation: a metric and a log line. */
import type { CardkeepError } from "@cardkeep/contract/core/errors";
import { observeDiskError } from "@cardkeep/domain/operations/health/diskSpace";
import { nameLimit, toCardkeepError } from "@cardkeep/domain/core/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import { type Pause, withDeadline } from "./deadline.ts";
import type { ApiOperation } from "./apiOperation.ts";

/**
 * Runs an operation for one surface and records its result.
 *
 * Successful changes and expected errors are logged as info, foreign errors as warnings, bugs as errors.
 * @throws CardkeepError and nothing else
 */
export function observe<T>(
  runtime: Runtime,
  what: {
    surface: "rest" | "trpc";
    operation: ApiOperation;
    requestId: string;
    request: Request;
    /** What precedes the call takes of its time too. */
    startedAtMs: number;
  },
  run: (pause: Pause) => Promise<T>,
): Promise<T> {
  return runtime.tracing === null
    ? measure(runtime, what, run)
    : runtime.tracing.request(describe(what), () => measure(runtime, what, run));
}

const unavailableStatus = 503;

type What = Parameters<typeof observe>[1];

const describe = ({ surface, operation: { name, route }, requestId, request }: What) => ({
  requestId,
  name,
  traceparent: request.headers.get("traceparent"),
  attributes: { "http.request.method": route.method, "http.route": route.path, "cardkeep.surface": surface },
});

async function measure<T>(runtime: Runtime, what: What, run: (pause: Pause) => Promise<T>): Promise<T> {
  const { surface, requestId } = what;
  const { name: operation, route } = what.operation;
  const startedAt = performance.now();
  const count = (status: number) =>
    runtime.metrics.observeRequest({ surface, operation, status, seconds: (performance.now() - startedAt) / 1000 });
  try {
    const output = await withDeadline(run, what.startedAtMs);
    count(route.status ?? 200);
    if (route.method !== "GET") runtime.log.info({ requestId, operation }, "done");
    return output;
  } catch (error) {
    const fault = toCardkeepError(error);
    observeDiskError(error);
    count(fault.status);
    if (fault.status === unavailableStatus) runtime.metrics.countUnavailable(nameLimit(fault));
    logError(runtime, fault, { requestId, operation });
    throw fault;
  }
}

/** Logs an error at the level of its kind. */
export function logError(runtime: Runtime, fault: CardkeepError, fields: object): void {
  // The log redacts the field `code`, because one-time codes travel in it.
  const details = { ...fields, fault: fault.code };
  if (fault.status < 500) runtime.log.info(details, "refused");
  else if (fault.code === "server.internal") runtime.log.error({ ...details, err: fault.cause }, "failed");
  else runtime.log.warn({ ...details, limit: nameLimit(fault), err: fault.cause }, "unavailable");
}
