/**
 * Traces, sent to an OpenTelemetry collector where one is named; nothing of this is loaded otherwise.
 *
 * A request's id is its trace's id, so whatever carries the one carries the other: jobs, rows and deliveries need no more
 * to be found in the trace of their request, whichever process runs them and however much later.
 */
import type { Stretch } from "@cardkeep/domain/trace";
import { toFault } from "@cardkeep/domain/faults";
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
  /** Runs what answers a request as the first span of its trace; `traceparent` is the caller's own, if any. */
  request<T>(
    request: { requestId: string; name: string; traceparent: string | null; attributes: Attributes },
    run: () => Promise<T>,
  ): Promise<T>;
  /** Runs a job as a span under the request that it goes back to. */
  job<T>(job: { requestId: string; task: string; attributes: Attributes }, run: () => Promise<T>): Promise<T>;
  /** Notes a call to somebody else that has just ended, in whatever runs. */
  call(name: string, seconds: number, attributes: Attributes): void;
  /** Notes what went on elsewhere for a request. */
  note(stretch: Stretch): void;
  /** Sends what was not sent yet. */
  close(): Promise<void>;
}

const digest = (text: string, length: number): string =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** The trace of a request: its id where that is one, else an id made of it (W3C Trace Context, trace-id). */
function traceIdOf(requestId: string): string {
  const plain = requestId.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(plain) && !/^0+$/.test(plain) ? plain : digest(`trace:${requestId}`, 32);
}

/** The span that answered a request, as every process can tell. */
const firstSpanIdOf = (requestId: string): string => digest(`span:${requestId}`, 16);

const sampled = { traceFlags: TraceFlags.SAMPLED, isRemote: true } as const;

function parseTraceparent(text: string | null): SpanContext | null {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? "") ?? [];
  return traceId === undefined || spanId === undefined ? null : { traceId, spanId, ...sampled };
}

const sendEveryMs = 1_000;

/** Sends spans of a part of the program to `endpoint` as OTLP over HTTP; what cannot be sent is lost, and nothing waits for it. */
export async function createTracing(input: { endpoint: string; part: string }): Promise<Tracing> {
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all(
    [
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ],
  );
  // A span begins in the same breath as these are set.
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
      const { code, status } = toFault(error);
      // The fault's name alone: what an error says may name people.
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
        // The collector is away: its last spans are lost, and the process has to end all the same.
      }),
  };
}
