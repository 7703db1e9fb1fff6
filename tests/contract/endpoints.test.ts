/** Every published endpoint beside a running service, on REST and on tRPC. */
import { beforeAll, describe, expect, test } from "bun:test";
import { filled } from "../support/filled.ts";
import { inlineSchemas } from "../support/openapi.ts";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { type Endpoint, endpoints } from "./endpoints/table.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a document is read as its readers do
type Document = any;

let service: RunningService;
let holder: Person;
let document: Document;
beforeAll(async () => {
  service = await shareService();
  holder = new Person(service);
  await holder.becomeAccountHolder();
  document = inlineSchemas(await (await fetch(`${service.url}/openapi.json`)).json());
}, 60_000);

/** Queries that refuse a holder: without an input, after the approval, or after the set-up. */
const refusedToHolder: Readonly<Record<string, number>> = {
  "/accounts/daily-limit/transaction-data": 422,
  "/accounts/onchain-daily-limit/transaction-data": 422,
  "/accounts/withdraw/transaction-data": 422,
  "/owners/add/transaction-data": 422,
  "/owners/remove/transaction-data": 422,
  "/kyc/integration": 409,
  "/kyc/integration/sdk": 409,
  "/account/signature-payload": 400,
};

const rows = endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);
const fill = (path: string): string => path.replaceAll(/\{\w+\}/g, "unknown");

async function askTrpc(
  person: Person,
  { method, path, procedure }: Endpoint,
): Promise<{ status: number; body: Document }> {
  const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
  const input = JSON.stringify(parameter === undefined ? {} : { [parameter]: "unknown" });
  const isQuery = method === "GET";
  const response = await fetch(
    `${service.url}/trpc/${procedure}${isQuery ? `?input=${encodeURIComponent(input)}` : ""}`,
    {
      method: isQuery ? "GET" : "POST",
      headers: {
        "Content-Type": "application/json",
        ...(person.token !== null && { Authorization: `Bearer ${person.token}` }),
      },
      ...(!isQuery && { body: input }),
    },
  );
  return { status: response.status, body: await response.json() };
}

const textOf = (body: Document): unknown => (typeof body === "string" ? body : (body.error ?? body.message));

describe("as published:", () => {
  test.each(rows)("%s documents its success, its errors and who may call", (_, endpoint) => {
    const operation = document.paths[`/api/v1${endpoint.path}`][endpoint.method.toLowerCase()];
    expect(operation.operationId.replace(/\.\d$/, "")).toBe(endpoint.procedure);
    expect(operation.deprecated ?? false).toBe(endpoint.isDeprecated);
    expect(operation.security !== undefined).toBe(endpoint.access !== "public" || endpoint.path.includes("subscribe"));
    for (const status of filled(endpoint.faults)) expect(Object.keys(operation.responses)).toContain(status);
    const { content } = operation.responses[endpoint.status];
    const schema = content[endpoint.shape === "text" ? "text/plain" : "application/json"].schema;
    if (endpoint.shape === "[]") expect(schema.type ?? schema.anyOf?.[0].type).toBe("array");
    else if (endpoint.shape !== "text") {
      expect(schema.required).toEqual(expect.arrayContaining(endpoint.shape.split(",")));
    }
  });

  test.each(rows)("%s exists, on REST and on tRPC, for those who may call", async (_, endpoint) => {
    const stranger = new Person(service);
    const rest = await stranger.call(endpoint.method, fill(endpoint.path));
    const trpc = await askTrpc(stranger, endpoint);
    if (endpoint.access === "public") expect([401, 403, 405, 500]).not.toContain(rest.status);
    else expect([rest.status, textOf(rest.body)]).toEqual([401, "Unauthorized"]);
    expect(trpc.status).toBe(rest.status < 300 ? 200 : rest.status);
    if (rest.status >= 400) expect(trpc.body.error.message).toBe(textOf(rest.body) as string);
    if (rest.status >= 400) expect(trpc.body.error.data.error).toBe(rest.headers.get("x-error-code"));
  });

  test.each(rows.filter(([, { method, path }]) => method === "GET" && !path.includes("{")))(
    "%s answers a user what it promises, or refuses as documented",
    async (name, endpoint) => {
      const { status, body } = await holder.call("GET", endpoint.path);
      expect([name, status]).toEqual([name, refusedToHolder[endpoint.path] ?? endpoint.status]);
      if (status !== endpoint.status) expect(["422", ...endpoint.faults]).toContain(String(status));
      else if (endpoint.shape === "text") expect(body).toMatch(/^[\x21-\x7e]+$/);
      else if (endpoint.shape === "[]") expect(body).toBeArray();
      else expect(Object.keys(body)).toEqual(expect.arrayContaining(endpoint.shape.split(",")));
    },
  );

  test.each([...new Set(endpoints.map(({ path }) => path))])("%s names its methods to any other", async (path) => {
    const { status, headers } = await holder.call("OPTIONS", fill(path));
    expect(status).toBe(405);
    const methods = endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method);
    expect(headers.get("allow")?.split(", ")).toEqual(expect.arrayContaining(methods));
  });
});
