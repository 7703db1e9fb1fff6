/** The OpenAPI 3.1 document, derived from the route table. */
import { z } from "zod";
import { commonErrors, type ErrorCode, errors, type ErrorStyle } from "./errors.ts";
import { faultStyleOf, listPathParameters, listPaths, listRoutes, type Route, type RouteTable } from "./route.ts";

type Json = Record<string, unknown>;

const wireSchema = (schema: z.ZodType): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
};

/** The document for a table; `serverUrl` is where clients reach it. */
export function buildOpenApi(table: RouteTable, input: { serverUrl: string }): Json {
  const paths: Record<string, Json> = {};
  for (const { name, noun, route } of listRoutes(table)) {
    for (const path of listPaths(route)) {
      const item = (paths[`/api/v1${path}`] ??= {});
      item[route.method.toLowerCase()] = describeOperation(path === route.path ? name : `${name}.alias`, noun, route);
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Cardkeep", version: "1.0.0", description: "Card and account service" },
    servers: [{ url: input.serverUrl }],
    paths,
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" } } },
  };
}

function describeOperation(operationId: string, tag: string, route: Route): Json {
  const schema = route.input ? wireSchema(route.input) : null;
  const names = listPathParameters(route.path);
  const isGet = route.method === "GET";
  return {
    operationId,
    tags: [tag],
    summary: route.summary,
    ...(route.deprecated && { deprecated: true }),
    ...(route.access !== "public" && { security: [{ bearer: [] }] }),
    ...(schema && { parameters: listParameters(schema, names, isGet) }),
    ...(schema && !isGet && { requestBody: describeBody(schema, names) }),
    responses: describeResponses(route),
  };
}

const propertiesOf = (schema: Json): [string, unknown][] =>
  typeof schema["properties"] === "object" && schema["properties"] !== null ? Object.entries(schema["properties"]) : [];

const requiredOf = (schema: Json): unknown[] => (Array.isArray(schema["required"]) ? schema["required"] : []);

function listParameters(schema: Json, pathNames: string[], isGet: boolean): Json[] {
  return propertiesOf(schema)
    .filter(([name]) => isGet || pathNames.includes(name))
    .map(([name, property]) => ({
      name,
      in: pathNames.includes(name) ? "path" : "query",
      required: pathNames.includes(name) || requiredOf(schema).includes(name),
      schema: property,
    }));
}

function describeBody(schema: Json, pathNames: string[]): Json {
  const properties = propertiesOf(schema).filter(([name]) => !pathNames.includes(name));
  const required = requiredOf(schema).filter((name) => !pathNames.some((pathName) => pathName === name));
  const body =
    propertiesOf(schema).length === 0 ? schema : { ...schema, properties: Object.fromEntries(properties), required };
  return { required: required.length > 0, content: { "application/json": { schema: body } } };
}

function describeResponses(route: Route): Json {
  const success = {
    description: "Success",
    content: { [route.plainText ? "text/plain" : "application/json"]: { schema: wireSchema(route.output) } },
  };
  const codes = [...new Set<ErrorCode>([...route.errors, ...commonErrors])];
  const byStatus = Map.groupBy(codes, (code) => errors[code].status);
  const faults = [...byStatus].map(([status, ofStatus]) => [
    String(status),
    {
      description: ofStatus.map((code) => `\`${code}\`: ${errors[code].text}`).join("\n\n"),
      content: {
        "application/json": { schema: { anyOf: distinct(ofStatus.map((code) => faultSchema(code, route))) } },
      },
    },
  ]);
  return { [String(route.status ?? 200)]: success, ...Object.fromEntries(faults) };
}

const distinct = (schemas: Json[]): Json[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
];

function faultSchema(code: ErrorCode, route: Route): Json {
  return styleSchema(faultStyleOf(code, route));
}

const styleSchema = (style: ErrorStyle): Json =>
  style === "bare"
    ? { type: "string" }
    : { type: "object", properties: { [style]: { type: "string" } }, required: [style] };
