import { beforeAll, describe, expect, test } from "bun:test";
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { events } from "@cardkeep/contract/partners/events";
import { errorStyleOf, listPathParameters, listPaths, listRoutes } from "@cardkeep/contract/core/route";
import { buildWireSchema, listFields as listInputFields } from "@cardkeep/contract/core/wireSchema";
import { routes } from "@cardkeep/contract/routes";
import { Validator } from "@seriousme/openapi-schema-validator";
import { decodeFunctionData, erc20Abi, parseAbi } from "viem";
import { z } from "zod";
import { filled } from "../support/filled.ts";
import { inlineSchemas } from "../support/openapi.ts";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

const all = listRoutes(routes);

// oxlint-disable-next-line typescript/no-explicit-any -- a document is read as its readers do
type Document = any;

let service: RunningService;
/** As served, with references to shared schemas. */
let served: Document;
/** The same without references. */
let document: Document;
beforeAll(async () => {
  service = await shareService({ worker: false });
  served = await (await fetch(`${service.url}/openapi.json`)).json();
  document = inlineSchemas(served);
});

/** Whether it is a reference to a named schema, or a scalar that needs no name. */
const isNamed = (schema: Document): boolean =>
  schema.$ref !== undefined || ["string", "integer", "boolean"].includes(schema.type);

const listServed = (): Document[] =>
  Object.values<Document>(served.paths).flatMap((item) => Object.values<Document>(item));

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

/** Every `schema` with the examples beside it. */
function* listExamples(node: Document): Generator<{ schema: Document; value: unknown }> {
  if (typeof node !== "object" || node === null) return;
  if ("schema" in node) {
    if ("example" in node) yield { schema: node.schema, value: node.example };
    for (const { value } of Object.values<Document>(node.examples ?? {})) yield { schema: node.schema, value };
  }
  for (const [key, child] of Object.entries(node)) if (!key.startsWith("example")) yield* listExamples(child);
}

/** Every field of every object on the wire, with its path. */
function* listFields(node: Document, path: string): Generator<{ path: string; schema: Document }> {
  if (typeof node !== "object" || node === null) return;
  if (node.type === "object" && !path.endsWith("/header")) {
    for (const [name, schema] of Object.entries<Document>(node.properties ?? {})) {
      if (!/Fault\/|\/eventType$/.test(`${path}/${name}`)) yield { path: `${path}/${name}`, schema };
    }
  }
  for (const [key, child] of Object.entries(node)) {
    if (!/^examples?$/.test(key)) yield* listFields(child, `${path}/${key}`);
  }
}

/** Whether it has a description, and a value: an example, a list of values, or its parts. */
function isDescribed(schema: Document): boolean {
  const shared = schema.$ref ? served.components.schemas[schema.$ref.split("/").at(-1)] : {};
  const whole = { ...shared, ...schema };
  const shows = (part: Document): boolean =>
    ["examples", "enum", "const", "$ref", "properties", "prefixItems", "oneOf"].some((key) => key in part) ||
    (part.anyOf ?? []).some(shows) ||
    (part.items !== undefined && shows(part.items));
  return typeof whole.description === "string" && shows(whole);
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(served));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe("3.1");
    expect(document.info.version).toBe("1.0.0");
    const broken = structuredClone(served);
    delete broken.paths["/api/v1/user"].get.responses["200"].description;
    expect((await validator.validate(broken)).valid).toBe(false);
  });

  test("says only what generators of clients for OpenAPI 3.0 know", () => {
    const text = JSON.stringify({ paths: served.paths, components: served.components });
    // Each of these stopped a generator, or made it write code that does not compile.
    for (const keyword of ["prefixItems", "propertyNames", '"type":"null"', '"items":false', '"const":false'])
      expect(text).not.toContain(keyword);
    for (const operation of filled(listServed())) {
      const answers = Object.values<Document>(operation.responses);
      const bodies = [operation.requestBody, ...answers].filter((body) => body?.content?.["application/json"]);
      for (const { content } of filled(bodies)) expect(isNamed(content["application/json"].schema)).toBe(true);
      const alternatives = (operation.parameters ?? []).filter(({ schema }: Document) => schema?.anyOf !== undefined);
      expect(alternatives).toEqual([]);
    }
    // A tool's input is an object, and a field with a default counts as required.
    for (const { requestBody } of filled(listServed())) {
      const schema = served.components.schemas[requestBody?.content["application/json"].schema.$ref?.split("/").at(-1)];
      if (schema !== undefined) expect(["object", "array"]).toContain(schema.type);
    }
    expect(text).not.toContain('"default":');
    const { OrdersCreateInput: order, EnsCardRequest: card } = served.components.schemas;
    expect([order.type, order.oneOf.length]).toEqual(["object", 2]);
    expect(card.properties.virtual.type).toBe("boolean");
    expect(card.properties.virtual.description).toContain("false by default");
    const user = served.components.schemas.User.properties.bankingDetails;
    expect(user).toMatchObject({ type: ["object", "null"], properties: { address: { type: "string" } } });
  });

  test("has exactly the operations of the route table, each under its tRPC name", () => {
    const ids = Object.values<Document>(document.paths).flatMap((item) =>
      Object.values<Document>(item).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(listOperations().length);
    for (const { name, operation, isAlias } of filled(listOperations())) {
      expect(operation.operationId).toMatch(new RegExp(`^${name}${isAlias ? "\\.\\d" : ""}$`));
      expect(document.tags.map((tag: Document) => tag.name)).toContain(operation.tags[0]);
    }
  });

  test("states who may call, deprecations, and where a key makes a request idempotent", () => {
    for (const { name, route, operation } of filled(listOperations())) {
      const scopes = route.scope === undefined ? [] : [route.scope];
      const ofUser = [{ bearer: [] }, ...scopes.map((scope) => ({ userToken: [scope] }))];
      const open = name === "webhooks.subscribe" ? [{ bearer: [] }, {}] : undefined;
      const ofAccess = { public: open, wallet: ofUser, user: ofUser, partner: [{ partnerKey: scopes }] };
      expect(operation.security).toEqual(ofAccess[route.access]);
      expect(operation.deprecated ?? false).toBe(route.deprecated !== undefined);
      const takesKey = (operation.parameters ?? []).some((parameter: Document) =>
        parameter.$ref?.endsWith("/IdempotencyKey"),
      );
      const knowsCaller = route.access !== "public" || name === "webhooks.subscribe";
      expect(takesKey).toBe(knowsCaller && route.method !== "GET" && route.holdsToken !== true);
    }
  });

  test("marks the deprecations of the published interface", () => {
    const published = {
      "/account/deploy-safe-modules": "patch",
      "/accounts/onchain-daily-limit": "get",
      "/cards/verify": "post",
      "/ibans/details": "get",
      "/ibans/orders": "get",
      "/ibans/oauth/redirect_url": "get",
    };
    const found = Object.entries(published).flatMap(
      ([path, method]) => document.paths[`/api/v1${path}`]?.[method] ?? [],
    );
    expect(found).toHaveLength(6);
    expect(found.map((operation: Document) => operation.deprecated)).toEqual(found.map(() => true));
    const { description } = document.paths["/api/v1/accounts/onchain-daily-limit"].get;
    expect(description).toContain("/api/v1/accounts/daily-limit");
    expect(description).toContain("will be removed in a future version");
  });

  test("names exactly the path parameters of a path", () => {
    for (const { route, operation } of filled(listOperations())) {
      const inPath = (operation.parameters ?? []).filter((parameter: Document) => parameter.in === "path");
      expect(inPath.map((parameter: Document) => parameter.name)).toEqual(listPathParameters(route.path));
      expect(inPath.every((parameter: Document) => parameter.required)).toBe(true);
    }
  });

  test("gives every route that takes more than its path the code of a malformed input", () => {
    const unlisted = filled(all).filter(({ route: { input, path, errors: codes } }) => {
      const fields = input ? listInputFields(buildWireSchema(input)).map(({ name }) => name) : [];
      const takesMore = input && (fields.length === 0 || fields.length > listPathParameters(path).length);
      return takesMore && !codes.includes("request.invalid") && !codes.includes("request.malformed");
    });
    expect(unlisted.map(({ name }) => name)).toEqual([]);
  });

  test("gives every error of a route with its body there, and its headers", () => {
    const failures = listOperations().flatMap((each) => each.route.errors.map((code) => ({ ...each, code })));
    for (const { route, operation, code } of filled(failures)) {
      const response = operation.responses[errors[code].status];
      const { value } = response.content["application/json"].examples[code];
      const style = errorStyleOf(code, route);
      const reported = style === "errors" || style === "data" ? expect.any(Object) : expect.any(String);
      expect(value).toEqual(style === "bare" ? reported : { ...errors[code].extra, [style]: reported });
    }
    for (const { route, operation } of filled(listOperations())) {
      const media = route.plainText ? "text/plain" : "application/json";
      const others = route.isStatement ? ["text/csv", "application/pdf", "application/xml"] : [];
      expect(Object.keys(operation.responses[route.status ?? 200].content)).toEqual([media, ...others]);
      for (const [status, response] of filled(Object.entries<Document>(operation.responses))) {
        expect(response.headers["X-Request-Id"]).toBeDefined();
        expect("Retry-After" in response.headers).toBe(["429", "502", "503"].includes(status));
        expect("Deprecation" in response.headers).toBe(route.deprecated !== undefined);
        expect("Link" in response.headers).toBe(route.deprecated !== undefined || Number(status) >= 400);
        expect("Sunset" in response.headers).toBe(route.path.startsWith("/accounts/onchain-daily-limit"));
        expect("X-Error-Code" in response.headers).toBe(Number(status) >= 400);
        expect("WWW-Authenticate" in response.headers).toBe(status === "401");
      }
    }
  });

  test("shows only examples that match the schema beside them", () => {
    const found = [...listExamples(document)];
    expect(found.length).toBeGreaterThan(all.length * 5);
    expect(z.fromJSONSchema(found[0]?.schema).safeParse({ unfit: true }).success).toBe(false);
    for (const { schema, value } of found) {
      const parsed = z.fromJSONSchema(schema).safeParse(value);
      if (!parsed.success) throw new Error(`${JSON.stringify(value)}\n${z.prettifyError(parsed.error)}`);
    }
  });

  test("has the resources that several operations share as components", () => {
    const names = ["CardOrder", "DelayedTransaction", "SignedMessage", "ModuleTypedData", "Country", "Currency"];
    for (const name of names) {
      expect(served.components.schemas[name]).toBeDefined();
      const uses = JSON.stringify(served).split(`"#/components/schemas/${name}"`).length - 1;
      expect([name, uses > 1]).toEqual([name, true]);
    }
    const references = [...JSON.stringify(served).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect([...new Set(references)].sort()).toEqual(Object.keys(served.components.schemas).sort());
  });

  test("shows both forms of a call in the relay's list, each of which decodes", () => {
    const { examples } = served.components.schemas.DelayedTransaction.properties.transactionData;
    const [ofToken, ofNative, json] = examples;
    const args = ["0x000000000000000000000000000000000000bEEF", 25n * 10n ** 18n] as const;
    const transfer = { functionName: "transfer" as const, args };
    expect(decodeFunctionData({ abi: erc20Abi, data: ofToken })).toEqual(transfer);
    const moduleAbi = parseAbi(["function execTransactionFromModule(address, uint256, bytes, uint8)"]);
    expect(decodeFunctionData({ abi: moduleAbi, data: ofNative }).args).toEqual([...args, "0x", 0]);
    const { to, value, data } = JSON.parse(json);
    expect([to, value]).toEqual(["0xcB444e90D8198415266c6a2724b7900fb12FC56E", "0"]);
    expect(decodeFunctionData({ abi: erc20Abi, data })).toEqual(transfer);
  });

  test("describes every field, with an example of each value", () => {
    const wanting = [...listFields(served, "")].filter(({ schema }) => !isDescribed(schema));
    expect(wanting.map(({ path }) => path)).toEqual([]);
  });

  test("requires a body wherever one of its fields is required", () => {
    const bodies = listOperations().flatMap(({ name, operation }) =>
      operation.requestBody ? [{ name, body: operation.requestBody }] : [],
    );
    for (const { name, body } of filled(bodies)) {
      const { schema } = body.content["application/json"];
      const variants: Document[] = schema.anyOf ?? schema.oneOf ?? [schema];
      const needsOne = variants.every((variant) => variant.type === "array" || (variant.required ?? []).length > 0);
      expect([name, body.required]).toEqual([name, needsOne]);
    }
    const optional = bodies.filter(({ body }) => !body.required).map(({ name }) => name);
    expect(optional.sort()).toEqual([
      "ibans.integrate",
      "kyc.importPartnerApplicant",
      "orders.createCard",
      "orders.createCardOlder",
      "partners.backtestRule",
      "safes.deploy",
      "transactions.addEvidence",
      "users.setMessages",
    ]);
  });

  test("has the outgoing events as webhooks", () => {
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(events));
  });

  test("an answer holds exactly the promised fields", async () => {
    const person = await (await new Person(service).signIn()).signUp();
    const { schema } = document.paths["/api/v1/user"].get.responses["200"].content["application/json"];
    const { body } = await person.call("GET", "/user");
    expect(Object.keys(body).sort()).toEqual(Object.keys(schema.properties).sort());
  });

  test("an error is one of the examples, with the promised headers", async () => {
    const { operation } = listOperations().find(({ name }) => name === "delays.list") ?? {};
    const { status, body, headers } = await new Person(service).call("GET", "/delay-relay");
    const response = operation.responses[status];
    expect(
      Object.values<Document>(response.content["application/json"].examples).map(({ value }) => value),
    ).toContainEqual(body);
    expect(Object.keys(response.headers).every((name) => headers.has(name))).toBe(true);
  });
});
