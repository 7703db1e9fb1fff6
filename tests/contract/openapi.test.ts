import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errors } from "@cardkeep/contract/errors";
import { events } from "@cardkeep/contract/events";
import { faultStyleOf, listPathParameters, listPaths, listRoutes } from "@cardkeep/contract/route";
import { routes } from "@cardkeep/contract/routes";
import { Validator } from "@seriousme/openapi-schema-validator";
import { z } from "zod";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

const all = listRoutes(routes);

// oxlint-disable-next-line typescript/no-explicit-any -- a document is read as its readers do
type Document = any;

let service: Service;
let document: Document;
beforeAll(async () => {
  service = await startService({ worker: false });
  document = await (await fetch(`${service.url}/openapi.json`)).json();
});
afterAll(() => service.stop());

/** Every operation with its route, aliases too. */
const listOperations = () =>
  all.flatMap(({ name, route }) =>
    listPaths(route).map((path) => ({
      name,
      route,
      isAlias: path !== route.path,
      operation: document.paths[`/api/v1${path}`][route.method.toLowerCase()] as Document,
    })),
  );

/** Every `schema` with the examples that stand beside it. */
function* listExamples(node: Document): Generator<{ schema: Document; value: unknown }> {
  if (typeof node !== "object" || node === null) return;
  if ("schema" in node) {
    if ("example" in node) yield { schema: node.schema, value: node.example };
    for (const { value } of Object.values<Document>(node.examples ?? {})) yield { schema: node.schema, value };
  }
  for (const [key, child] of Object.entries(node)) if (!key.startsWith("example")) yield* listExamples(child);
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
    expect(document.info.version).toBe("1.0.0");
    const broken = structuredClone(document);
    delete broken.paths["/api/v1/user"].get.responses["200"].description;
    expect((await validator.validate(broken)).valid).toBe(false);
  });

  test("has the operations of the route table and no other, each under its tRPC name", () => {
    const ids = Object.values<Document>(document.paths).flatMap((item) =>
      Object.values<Document>(item).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(listOperations().length);
    for (const { name, operation, isAlias } of listOperations()) {
      expect(operation.operationId).toMatch(new RegExp(`^${name}${isAlias ? "\\.\\d" : ""}$`));
      expect(document.tags.map((tag: Document) => tag.name)).toContain(operation.tags[0]);
    }
  });

  test("says who may call, what is deprecated, and where a key makes a request idempotent", () => {
    for (const { route, operation } of listOperations()) {
      expect(operation.security).toEqual(
        route.access === "public" ? undefined : [{ [route.access === "partner" ? "partnerKey" : "bearer"]: [] }],
      );
      expect(operation.deprecated ?? false).toBe(route.deprecated !== undefined);
      const takesKey = (operation.parameters ?? []).some((parameter: Document) =>
        parameter.$ref?.endsWith("/IdempotencyKey"),
      );
      const isSignedIn = route.access === "wallet" || route.access === "user";
      expect(takesKey).toBe(isSignedIn && route.method !== "GET" && route.holdsToken !== true);
    }
  });

  test("marks as deprecated what the published interface does, as soon as it is served", () => {
    const published = {
      "/account/deploy-safe-modules": "patch",
      "/accounts/onchain-daily-limit": "get",
      "/cards/verify": "post",
      "/ibans/details": "get",
      "/ibans/orders": "get",
      "/ibans/oauth/redirect_url": "get",
    };
    const served = Object.entries(published).flatMap(
      ([path, method]) => document.paths[`/api/v1${path}`]?.[method] ?? [],
    );
    expect(served.length).toBeGreaterThan(1);
    expect(served.map((operation: Document) => operation.deprecated)).toEqual(served.map(() => true));
  });

  test("names every path parameter of a path, and no other", () => {
    for (const { route, operation } of listOperations()) {
      const inPath = (operation.parameters ?? []).filter((parameter: Document) => parameter.in === "path");
      expect(inPath.map((parameter: Document) => parameter.name)).toEqual(listPathParameters(route.path));
      expect(inPath.every((parameter: Document) => parameter.required)).toBe(true);
    }
  });

  test("gives every fault of a route with the body it has there, and the headers that come with it", () => {
    for (const { route, operation } of listOperations()) {
      const media = route.plainText ? "text/plain" : "application/json";
      expect(Object.keys(operation.responses[route.status ?? 200].content)).toEqual([media]);
      for (const code of route.errors) {
        const response = operation.responses[errors[code].status];
        const { value } = response.content["application/json"].examples[code];
        const style = faultStyleOf(code, route);
        const told = style === "errors" || style === "data" ? expect.any(Object) : expect.any(String);
        expect(value).toEqual(style === "bare" ? told : { ...errors[code].extra, [style]: told });
      }
      for (const [status, response] of Object.entries<Document>(operation.responses)) {
        expect(response.headers["X-Request-Id"]).toBeDefined();
        expect("Retry-After" in response.headers).toBe(status === "429" || status === "503");
        expect("Deprecation" in response.headers).toBe(route.deprecated !== undefined);
      }
    }
  });

  test("shows only examples that fit the schema beside them", () => {
    const found = [...listExamples(document)];
    expect(found.length).toBeGreaterThan(all.length * 5);
    expect(z.fromJSONSchema(found[0]?.schema).safeParse({ unfit: true }).success).toBe(false);
    for (const { schema, value } of found) {
      const parsed = z.fromJSONSchema(schema).safeParse(value);
      if (!parsed.success) throw new Error(`${JSON.stringify(value)}\n${z.prettifyError(parsed.error)}`);
    }
  });

  test("has the outgoing events as webhooks", () => {
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(events));
  });

  test("an answer holds exactly the fields that it promises", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    const { schema } = document.paths["/api/v1/user"].get.responses["200"].content["application/json"];
    const { body } = await person.call("GET", "/user");
    expect(Object.keys(body).sort()).toEqual(Object.keys(schema.properties).sort());
  });

  test("a refusal is one of the examples, and comes with the headers that it promises", async () => {
    const { operation } = listOperations().find(({ name }) => name === "delays.list") ?? {};
    const { status, body, headers } = await new Person(service).call("GET", "/delay-relay");
    const response = operation.responses[status];
    expect(
      Object.values<Document>(response.content["application/json"].examples).map(({ value }) => value),
    ).toContainEqual(body);
    expect(Object.keys(response.headers).every((name) => headers.has(name))).toBe(true);
  });
});
