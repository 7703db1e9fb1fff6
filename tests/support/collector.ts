/** An OpenTelemetry collector that stores what it receives: OTLP over HTTP, in JSON. */

interface Value {
  readonly stringValue?: string;
  readonly intValue?: string | number;
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: SentSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export interface Span extends Omit<SentSpan, "attributes"> {
  readonly service: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface Collector {
  readonly url: string;
  spans(): Span[];
  /** All received bodies, unchanged. */
  text(): string;
  stop(): Promise<void>;
}

const read = (attributes: SentSpan["attributes"]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(value.stringValue ?? value.intValue ?? "")]));

export function startCollector(): Collector {
  const bodies: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      if (new URL(request.url).pathname !== "/v1/traces") return new Response(null, { status: 404 });
      bodies.push(await request.text());
      return Response.json({});
    },
  });
  const spansOf = (body: string): Span[] =>
    (JSON.parse(body) as Sent).resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          ...span,
          attributes: read(span.attributes),
          service: read(resource.attributes)["service.name"] ?? "",
        })),
      ),
    );
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans: () => bodies.flatMap(spansOf),
    text: () => bodies.join("\n"),
    stop: () => server.stop(true),
  };
}
