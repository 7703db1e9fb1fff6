/**
 * Sends traces to an OpenTelemetry collector, if one is set. Without it, no tracing code is loaded.
 *
 * A request's id is also its trace's id. Jobs, rows and deliveries that carry the request's id therefore belong to
 * its trace, in every process and at any later time.
 */
import type { Stretch } from "@cardkeep/domain/core/ports";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import {
  type Attributes,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomBytes } from "node:crypto";

export interface Tracing {
  /** Runs a request's work as the first span of its trace; `traceparent` is the caller's own, if any. */
  request<T>(
    request: { requestId: string; name: string; traceparent: string | null; attributes: Attributes },
    run: () => Promise<T>,
  ): Promise<T>;
  /** Runs a job as a span under the request that it belongs to. */
  job<T>(job: { requestId: string; task: string; attributes: Attributes }, run: () => Promise<T>): Promise<T>;
  /** Records a finished call to another service, under the running span. */
  call(name: string, seconds: number, attributes: Attributes): void;
  /** Records work that another process did for a request. */
  note(stretch: Stretch): void;
  /** Sends all pending spans. */
  close(): Promise<void>;
}

const digest = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** The trace of a request: its id if that is a trace id, else an id derived from it (W3C Trace Context, trace-id). */
function traceIdOf(requestId: string): string {
  const plain = requestId.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(plain) && !/^0+$/.test(plain) ? plain : digest(`trace:${requestId}`, 32);
}

/** The first span of a request; every process derives the same id. */
const firstSpanIdOf = (requestId: string): string => digest(`span:${requestId}`, 16);

const sampled = { traceFlags: TraceFlags.SAMPLED, isRemote: true } as const;

function parseTraceparent(text: string | null): SpanContext | null {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? "") ?? [];
  return traceId === undefined || spanId === undefined ? null : { traceId, spanId, ...sampled };
}

const sendEveryMs = 1_000;

/**
 * Sends the spans of a part of the program to `endpoint` as OTLP over HTTP. Spans that cannot be sent are lost, and
 * no work waits for them.
 */
export async function createTracing(input: { endpoint: string; part: string }): Promise<Tracing> {
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all(
    [
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ],
  );
  // The span starts synchronously after these are set.
  let nextIds: { traceId: string; spanId: string } | null = null;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": `cardkeep-${input.part}` }),
    idGenerator: {
      generateTraceId: () => nextIds?.traceId ?? randomBytes(16).toString("hex"),
      generateSpanId: () => nextIds?.spanId ?? randomBytes(8).toString("hex"),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${input.endpoint.replace(/\/$/, "")}/v1/traces` }),
        scheduledDelayMillis: sendEveryMs,
      }),
    ],
  });
  const tracer = provider.getTracer("cardkeep");
  const current = new AsyncLocalStorage<SpanContext>();
  const under = (parent: SpanContext) => trace.setSpanContext(ROOT_CONTEXT, parent);
  const underRequest = (requestId: string) =>
    under({ traceId: traceIdOf(requestId), spanId: firstSpanIdOf(requestId), ...sampled });

  const runSpan = async <T>(span: ReturnType<typeof tracer.startSpan>, run: () => Promise<T>): Promise<T> => {
    try {
      return await current.run(span.spanContext(), run);
    } catch (error) {
      const { code, status } = toCardkeepError(error);
      // Only the error's name: its message may hold personal data.
      span.setAttribute("error.type", code);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };

  return {
    request: ({ requestId, name, traceparent, attributes }, run) => {
      const traceId = traceIdOf(requestId);
      const caller = parseTraceparent(traceparent);
      const isOfCaller = caller?.traceId === traceId;
      nextIds = { traceId, spanId: firstSpanIdOf(requestId) };
      const span = tracer.startSpan(
        name,
        {
          kind: SpanKind.SERVER,
          attributes: { "cardkeep.request_id": requestId, ...attributes },
          ...(caller && !isOfCaller && { links: [{ context: caller }] }),
        },
        caller && isOfCaller ? under(caller) : ROOT_CONTEXT,
      );
      nextIds = null;
      return runSpan(span, run);
    },
    job: ({ requestId, task, attributes }, run) => {
      const options = {
        kind: SpanKind.CONSUMER,
        attributes: { "cardkeep.request_id": requestId, "cardkeep.task": task, ...attributes },
      };
      return runSpan(tracer.startSpan(`job ${task}`, options, underRequest(requestId)), run);
    },
    call: (name, seconds, attributes) => {
      const parent = current.getStore();
      if (!parent) return;
      const endedAt = Date.now();
      const startTime = endedAt - seconds * 1000;
      tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime }, under(parent)).end(endedAt);
    },
    note: ({ requestId, name, startedAt, endedAt, attributes }) => {
      const options = {
        kind: SpanKind.INTERNAL,
        attributes: { "cardkeep.request_id": requestId, ...attributes },
        startTime: startedAt,
      };
      const end = Math.max(startedAt.getTime(), endedAt.getTime());
      tracer.startSpan(name, options, underRequest(requestId)).end(end);
    },
    close: () =>
      provider.shutdown().catch(() => {
        // The collector is away: the last spans are lost, and the process must still end.
      }),
  };
}
