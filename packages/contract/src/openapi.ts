/** The OpenAPI 3.1 document, derived from the route table, the catalogues of errors and events, and the examples. */
import type { z } from "zod";
import { type ErrorCode, errors, type ErrorStyle } from "./errors.ts";
import type { Example } from "./examples.ts";
import {
  buildFaultBody,
  faultTextOf,
  isOfSchema,
  listFaultCodes,
  listInvalidTexts,
  takesIdempotencyKey,
} from "./faults.ts";
import { apiPrefix, faultStyleOf, listPaths, listRoutes, type Route, type RouteTable } from "./route.ts";
import { buildWireSchema, splitInput, splitSent, type WireField } from "./wire.ts";

type Json = Record<string, unknown>;

interface Input {
  /** Where clients reach the server. */
  serverUrl: string;
  /** By noun of the table. */
  nouns: Readonly<Record<string, { summary: string }>>;
  /** By tRPC name. */
  examples: Readonly<Record<string, Example>>;
  /** Outgoing events by type. */
  events: Readonly<Record<string, z.ZodType>>;
}

const description = `Card and account service. Every operation is also a tRPC procedure under \`/trpc\`, named by its \`operationId\`.

Amounts are decimal strings in a token's base units, addresses are EIP-55 checksummed in answers and accepted in any letter case,
instants are ISO 8601 in UTC. Unknown fields are ignored. Every answer carries \`X-Request-Id\`.`;

/** The document for a table. */
export function buildOpenApi(table: RouteTable, { serverUrl, nouns, examples, events }: Input): Json {
  const paths: Record<string, Json> = {};
  for (const { name, noun, route } of listRoutes(table)) {
    for (const [index, path] of listPaths(route).entries()) {
      const item = (paths[apiPrefix + path] ??= {});
      // An operation's id is unique in a document, so the other paths of one have a number.
      const operationId = index === 0 ? name : `${name}.${index + 1}`;
      item[route.method.toLowerCase()] = describeOperation(operationId, noun, route, examples[name]);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Cardkeep",
      version: "1.0.0",
      description,
      license: { name: "AGPL-3.0-only", identifier: "AGPL-3.0-only" },
    },
    servers: [{ url: serverUrl }],
    tags: Object.keys(table).map((noun) => ({ name: noun, description: nouns[noun]?.summary ?? noun })),
    paths,
    webhooks: Object.fromEntries(Object.entries(events).map(([type, data]) => [type, describeEvent(type, data)])),
    components,
  };
}

const components = {
  securitySchemes: {
    partnerKey: {
      type: "http",
      scheme: "bearer",
      description: "A partner's API key, given once when the partner was registered or its key rotated",
    },
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "The `token` that `POST /api/v1/auth/challenge` answers",
    },
  },
  parameters: {
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description:
        "The client's own name of this request: sent again with the same body, it is answered as before and not carried out again. Kept for 24 hours.",
      schema: { type: "string", minLength: 1, maxLength: 255 },
    },
  },
  headers: {
    RequestId: {
      description: "Names the request in logs, jobs and rows: the client's own `X-Request-Id`, or a new one",
      schema: { type: "string" },
    },
    RetryAfter: {
      description: "Seconds after which the same request may succeed",
      schema: { type: "integer", minimum: 1 },
    },
    RateLimit: {
      description: 'The quota that is used up, requests that remain, and seconds until it is new: `"reads";r=0;t=30`',
      schema: { type: "string" },
    },
    RateLimitPolicy: {
      description: 'The same quota: requests, and the seconds in which they may be made: `"reads";q=1200;w=60`',
      schema: { type: "string" },
    },
    Deprecation: { description: "The route is deprecated", schema: { type: "string", const: "true" } },
    Link: { description: "The path that replaces it, as `successor-version`", schema: { type: "string" } },
  },
} as const;

const headerOf = (name: keyof typeof components.headers): Json => ({ $ref: `#/components/headers/${name}` });

function describeOperation(operationId: string, tag: string, route: Route, example: Example | undefined): Json {
  const { path, query, body, isBodyRequired } = splitInput(route);
  const sent = splitSent(route, example?.input);
  const parameters = [
    ...path.map((field) => describeParameter("path", field, sent.path)),
    ...query.map((field) => describeParameter("query", field, sent.query)),
    ...(takesIdempotencyKey(route) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary: route.summary,
    ...(route.deprecated && { deprecated: true, description: describeSuccessor(route.deprecated.successor) }),
    ...(route.access !== "public" && { security: [{ [route.access === "partner" ? "partnerKey" : "bearer"]: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: isBodyRequired,
        content: {
          "application/json": { schema: body, ...(sent.body !== undefined && { example: sent.body }) },
        },
      },
    }),
    responses: describeResponses(route, example),
  };
}

const describeSuccessor = (successor: string | null): string =>
  successor === null ? "Deprecated, without a successor." : `Deprecated: replaced by \`${apiPrefix}${successor}\`.`;

const describeParameter = (place: "path" | "query", { name, isRequired, schema }: WireField, sent: Json): Json => ({
  name,
  in: place,
  required: isRequired,
  ...(schema.description !== undefined && { description: schema.description }),
  schema,
  ...(sent[name] !== undefined && { example: sent[name] }),
});

function describeResponses(route: Route, example: Example | undefined): Json {
  const headers = {
    "X-Request-Id": headerOf("RequestId"),
    ...(route.deprecated && { Deprecation: headerOf("Deprecation") }),
    ...(route.deprecated?.successor != null && { Link: headerOf("Link") }),
  };
  const success = {
    description: "Success",
    headers,
    content: {
      [route.plainText ? "text/plain" : "application/json"]: {
        schema: buildWireSchema(route.output),
        ...(example && { example: example.output }),
      },
    },
  };
  const byStatus = Map.groupBy(
    listFaultCodes(route).map(({ code }) => code),
    (code) => errors[code].status,
  );
  const faults = [...byStatus].map(([status, codes]) => [
    String(status),
    describeFaults(route, status, codes, headers),
  ]);
  return { [String(route.status ?? 200)]: success, ...Object.fromEntries(faults) };
}

const mayPass: readonly number[] = [429, 503];

function describeFaults(route: Route, status: number, codes: readonly ErrorCode[], headers: Json): Json {
  const styles = [...new Set(codes.map((code) => faultStyleOf(code, route)))];
  const schemas = styles.map((style) => styleSchemas[style]);
  const [invalidText] = listInvalidTexts(route);
  const examples = codes.map((code) => {
    const text = (isOfSchema(code) ? invalidText : undefined) ?? faultTextOf(code, route);
    return [code, { value: buildFaultBody(code, route, text) }] as const;
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${describeCode(code, route)}`).join("\n\n"),
    headers: {
      ...headers,
      ...(mayPass.includes(status) && { "Retry-After": headerOf("RetryAfter") }),
      ...(status === 429 && { RateLimit: headerOf("RateLimit"), "RateLimit-Policy": headerOf("RateLimitPolicy") }),
    },
    content: {
      "application/json": {
        schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const describeCode = (code: ErrorCode, route: Route): string =>
  isOfSchema(code) ? "The text names the first field at fault" : faultTextOf(code, route);

const styleSchemas: Readonly<Record<ErrorStyle, Json>> = {
  error: { type: "object", properties: { error: { type: "string" } }, required: ["error"] },
  message: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  bare: { type: "string" },
  errors: {
    type: "object",
    properties: {
      errors: {
        type: "object",
        properties: { message: { type: "string" }, redirectUrl: { type: "string" } },
        required: ["message"],
      },
    },
    required: ["errors"],
  },
  data: {
    type: "object",
    properties: {
      data: {
        type: "object",
        properties: {
          success: { const: false },
          status: { type: "number" },
          description: { type: "string" },
          responseData: { type: "object" },
        },
        required: ["success", "status", "description"],
      },
    },
    required: ["data"],
  },
};

function describeEvent(type: string, data: z.ZodType): Json {
  const schema = {
    type: "object",
    properties: { eventType: { type: "string", const: type }, data: buildWireSchema(data) },
    required: ["eventType", "data"],
  };
  return {
    post: {
      operationId: `event.${type}`,
      summary: `The event \`${type}\`, to the partners that the user is subscribed to`,
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: { "2XX": { description: "Taken" } },
    },
  };
}
