/** The OpenAPI 3.1 document, derived from the route table, the catalogues of errors and events, and the examples. */
import type { z } from "zod";
import type { Example } from "./examples.ts";
import { takesIdempotencyKey } from "../core/routeErrors.ts";
import { fillExamples } from "./openapiExamples.ts";
import { collectNamedSchemas, type NamedSchemas } from "./openapiSchemas.ts";
import { components } from "./openapiComponents.ts";
import { describeResponses } from "./openapiResponses.ts";
import { apiPrefix, type Deprecation, listPaths, listRoutes, type Route, type RouteTable } from "../core/route.ts";
import { splitInput, splitSent, type WireField, type WireSchema } from "../core/wireSchema.ts";
import { parseScalar, simplifyQuery } from "./simplifySchema.ts";
import { interfaceVersion } from "../version.ts";

type Json = Record<string, unknown>;

interface Input {
  /** The server's address for clients. */
  serverUrl: string;
  /** By noun of the table. */
  nouns: Readonly<Record<string, { summary: string }>>;
  /** By tRPC name. */
  examples: Readonly<Record<string, Example>>;
  /** Outgoing events by type. */
  events: Readonly<Record<string, z.ZodType>>;
  /** The data of an event by its type. */
  eventExamples: Readonly<Record<string, unknown>>;
}

const description = `Card and account service. Every operation is also a tRPC procedure under \`/trpc\`, named by its \`operationId\`.

Amounts are decimal strings in a token's base units, addresses are EIP-55 checksummed in answers and accepted in any letter case,
bytes in any letter case too, instants are ISO 8601 in UTC. Unknown fields are ignored. Every answer carries \`X-Request-Id\`, every error
its code as \`X-Error-Code\`.`;

/** The document for a table. */
export function buildOpenApi(table: RouteTable, { serverUrl, nouns, examples, events, eventExamples }: Input): Json {
  const paths: Record<string, Json> = {};
  const listed = listRoutes(table);
  const named = collectNamedSchemas(listed.map(({ route }) => route));
  for (const { name, noun, route } of listed) {
    for (const [index, path] of listPaths(route).entries()) {
      const item = (paths[apiPrefix + path] ??= {});
      // An operation's id is unique in a document, so the ids of other paths get a number.
      const operationId = index === 0 ? name : `${name}.${index + 1}`;
      item[route.method.toLowerCase()] = describeOperation(
        { name, operationId, tag: noun, route, example: examples[name] },
        named,
      );
    }
  }
  const webhooks = Object.entries(events).map(([type, data]) => [
    type,
    describeEvent(type, named.refer(data), eventExamples[type]),
  ]);
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Cardkeep",
      version: interfaceVersion,
      description,
      license: { name: "AGPL-3.0-only", identifier: "AGPL-3.0-only" },
    },
    servers: [{ url: serverUrl }],
    tags: Object.keys(table).map((noun) => ({ name: noun, description: nouns[noun]?.summary ?? noun })),
    paths,
    webhooks: Object.fromEntries(webhooks),
    components: { schemas: named.schemas, ...components },
  };
  fillExamples(document);
  return document;
}

interface Operation {
  /** The tRPC name. */
  readonly name: string;
  readonly operationId: string;
  readonly tag: string;
  readonly route: Route;
  readonly example: Example | undefined;
}

function describeOperation({ name, operationId, tag, route, example }: Operation, named: NamedSchemas): Json {
  const { path, query, body, isBodyRequired } = splitInput(route, named.refer);
  const security = describeSecurity(route);
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
    ...(route.deprecated && { deprecated: true, description: describeEnd(route.deprecated) }),
    ...(security && { security }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: isBodyRequired,
        content: {
          "application/json": {
            schema: named.nameBody(name, "Input", body),
            ...(sent.body !== undefined && { example: sent.body }),
          },
        },
      },
    }),
    responses: describeResponses(route, example, named.nameBody(name, "Output", named.refer(route.output))),
  };
}

/** The authentication of a request; an empty entry makes it optional. */
function describeSecurity({ access, scope, takesToken }: Route): Json[] | null {
  if (access === "public") return takesToken ? [{ bearer: [] }, {}] : null;
  const scopes = scope === undefined ? [] : [scope];
  if (access === "partner") return [{ partnerKey: scopes }];
  return [{ bearer: [] }, ...(scope === undefined ? [] : [{ userToken: scopes }])];
}

/** A deprecated route's successor and the date of its removal. */
const describeEnd = ({ successor, sunsetAt }: Deprecation): string =>
  `Deprecated: replaced by \`${apiPrefix}${successor}\`.` +
  (sunsetAt === undefined ? "" : ` It will be removed in a future version, not before ${sunsetAt.slice(0, 10)}.`);

function describeParameter(place: "path" | "query", { name, isRequired, schema }: WireField, sent: Json): Json {
  const simple = place === "query" ? simplifyQuery(schema) : schema;
  const example = simple === schema ? sent[name] : parseScalar(sent[name]);
  return {
    name,
    in: place,
    required: isRequired,
    ...(schema.description !== undefined && { description: schema.description }),
    schema: simple,
    ...(example !== undefined && { example }),
  };
}

function describeEvent(type: string, data: WireSchema, example: unknown): Json {
  const schema = {
    type: "object",
    properties: {
      eventType: { type: "string", const: type },
      data: { description: "The data of the event", ...data },
    },
    required: ["eventType", "data"],
  };
  return {
    post: {
      operationId: `event.${type}`,
      summary: `The event \`${type}\`, for the partners to which the user is subscribed`,
      requestBody: {
        required: true,
        content: { "application/json": { schema, example: { eventType: type, data: example } } },
      },
      responses: { "2XX": { description: "Taken" } },
    },
  };
}
