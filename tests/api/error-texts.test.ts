import { beforeAll, describe, expect, test } from "bun:test";
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { examples } from "@cardkeep/contract/openapi/examples";
import { listPathParameters, listRoutes, type Route } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { buildWireSchema, listFields } from "@cardkeep/contract/core/wireSchema";
import { importJWK, SignJWT } from "jose";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { registerPartner } from "../support/webhooks.ts";

let service: RunningService;
let ada: Person;
let partner: Person;
beforeAll(async () => {
  service = await shareService({ worker: false });
  ada = await (await new Person(service).signIn()).signUp();
  partner = new Person(service);
  partner.token = (await registerPartner(ada, "example")).apiKey;
});

/** Fields whose text is published, so that it is the same for every fault. */
const published: Readonly<Record<string, string>> = {
  amount: "amount must be a valid integer",
  ownerToRemove: "Invalid ownerToRemove address format",
  authEmail: "Invalid email format",
  email: "Invalid email format",
  phoneNumber: "Invalid phone number",
  disputeReason: "Invalid dispute reason",
  file: "The file must be a PDF, JPEG or PNG of at most 5 MB, in base64",
};

/** How a library for schemas speaks. */
const rawWording = /expected|received|undefined|invalid input|invalid_|\[object|too (small|big)/i;

/** A call over tRPC, whose input holds every field; both surfaces decode it alike. */
async function send(name: string, route: Route, input: object): Promise<{ status: number; text: string }> {
  const { token } = route.access === "partner" ? partner : ada;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const json = JSON.stringify(input);
  const isGet = route.method === "GET";
  const url = `${service.url}/trpc/${name}${isGet ? `?input=${encodeURIComponent(json)}` : ""}`;
  const response = await fetch(url, { headers, ...(!isGet && { method: "POST", body: json }) });
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, text: error?.message ?? "" };
}

/** Every field of a request that is not a part of the path, with a valid request. */
const fields = listRoutes(routes).flatMap(({ name, route }) => {
  const valid = examples[name]?.input;
  if (!route.input || typeof valid !== "object" || valid === null || Array.isArray(valid)) return [];
  return listFields(buildWireSchema(route.input))
    .filter((field) => !listPathParameters(route.path).includes(field.name))
    .map((field) => ({ name, route, valid, field: field.name, isRequired: field.isRequired }));
});

describe("the text of a wrong request", () => {
  test("says that a required field is missing, or has the published words", async () => {
    const required = fields.filter(({ isRequired }) => isRequired);
    expect(required.length).toBeGreaterThan(25);
    const answers = await Promise.all(
      required.map(async ({ name, route, valid, field }) => {
        const { status, text } = await send(name, route, { ...valid, [field]: undefined });
        return { name, field, isRefused: status === 422 || status === 400, text };
      }),
    );
    expect(answers).toEqual(
      answers.map(({ name, field }) => ({
        name,
        field,
        isRefused: true,
        text: published[field] ?? `${field} is missing`,
      })),
    );
  });

  test("names a field of a wrong type, never says that it is missing, and never quotes the schema's library", async () => {
    expect(fields.length).toBeGreaterThan(40);
    for (const { name, route, valid, field } of fields) {
      let refused = 0;
      for (const wrong of [{ a: {} }, [[]], true]) {
        const { status, text } = await send(name, route, { ...valid, [field]: wrong });
        const about = { name, field, wrong, text };
        expect({ ...about, isFailure: status >= 500 }).toEqual({ ...about, isFailure: false });
        // One of the three may be of the right type.
        if (status !== 400 && status !== 422) continue;
        refused += 1;
        expect({ ...about, isRaw: rawWording.test(text.replace(field, "")) }).toEqual({ ...about, isRaw: false });
        const spoken = field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
        const isClear = text === published[field] || text.includes(field) || text === `Invalid ${spoken}`;
        const isOfAddress = field.endsWith("ddress") && text === "Invalid address format";
        expect({ ...about, isClear: isClear || isOfAddress }).toEqual({ ...about, isClear: true });
        expect(text).not.toBe(`${field} is missing`);
      }
      expect({ name, field, refused: refused >= 2 }).toEqual({ name, field, refused: true });
    }
  });

  test("names what is missing to a card order and to an answer about the source of funds too", async () => {
    const order = { personalizationSource: "KYC" };
    const create = (body: object) => ada.call("POST", "/order/create", body);
    expect((await create({ ...order, shippingAddress: { address1: "A 1", city: "B", country: "DE" } })).body).toBe(
      "shippingAddress.postalCode is missing",
    );
    expect((await ada.call("POST", "/source-of-funds", [{ answer: "a" }])).body).toEqual({
      error: "0.question is missing",
    });
  });
});

describe("the code of a request without a valid token", () => {
  const ask = async (authorization: string | null, path = "/user") => {
    const headers = new Headers(authorization === null ? [] : [["Authorization", authorization]]);
    const response = await fetch(`${service.url}/api/v1${path}`, { headers });
    expect(response.status).toBe(401);
    expect(Object.values((await response.json()) as object)).toEqual(["Unauthorized"]);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="cardkeep"');
    return response.headers.get("x-error-code");
  };

  /** A token of the service's own key that ended an hour ago. */
  async function signExpired(): Promise<string> {
    const [jwk] = service.runtime.settings.accessTokenKeys;
    if (!jwk) throw new Error("There is no key");
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ signerAddress: ada.account.address, userId: ada.userId })
      .setProtectedHeader({ alg: "ES256", kid: jwk.kid ?? "", typ: "at+jwt" })
      .setIssuer("cardkeep")
      .setAudience("cardkeep:api")
      .setIssuedAt(now - 7_200)
      .setExpirationTime(now - 3_600)
      .sign(await importJWK(jwk, "ES256"));
  }

  test("says whether it is missing, expired or wrong, with the same body", async () => {
    for (const nothing of [null, "", "Bearer", "Bearer "]) expect(await ask(nothing)).toBe("auth.token_missing");
    const expired = await signExpired();
    expect(await ask(`Bearer ${expired}`)).toBe("auth.token_expired");
    const wrong = [`${ada.token?.slice(0, -4)}AAAA`, `${expired.slice(0, -4)}AAAA`, "a.b.c", "key", partner.token];
    for (const token of wrong) expect(await ask(`Bearer ${token}`)).toBe("auth.token_invalid");
    expect(await ask("Basic YTpi")).toBe("auth.token_invalid");
    const { token } = await new Person(service).signIn();
    expect(await ask(`Bearer ${token}`)).toBe("auth.sign_up_required");
  });

  test("says the same of a partner's key, and over tRPC", async () => {
    expect(await ask(null, "/partners/events")).toBe("auth.token_missing");
    expect(await ask("Bearer ckp_wrong", "/partners/events")).toBe("auth.token_invalid");
    const response = await fetch(`${service.url}/trpc/users.me`);
    const { error } = (await response.json()) as { error: { data: object } };
    expect(error.data).toMatchObject({ error: "auth.token_missing", help: "/docs/errors#error-auth.token_missing" });
  });
});

describe("every error", () => {
  const headersOf = async (method: string, path: string, body?: string) => {
    const init = { method, ...(body !== undefined && { body }) };
    const { headers, status } = await fetch(`${service.url}${path}`, init);
    return { status, code: headers.get("x-error-code"), link: headers.get("link") };
  };

  test("has its code and a link to the code's place on the reference page, unknown paths and large bodies too", async () => {
    const expected: [string, string, string | undefined, number, string][] = [
      ["GET", "/nowhere", undefined, 404, "request.not_found"],
      ["GET", "/api/v1/nowhere", undefined, 404, "request.not_found"],
      ["PATCH", "/api/v1/user", undefined, 405, "request.method_not_allowed"],
      ["POST", "/api/v1/auth/challenge", "{", 400, "request.invalid_json"],
      ["POST", "/api/v1/auth/challenge", "{}", 422, "request.invalid"],
      ["POST", "/api/v1/auth/challenge", "x".repeat(70_000), 413, "request.too_large"],
      ["POST", "/trpc/auth.challenge", "x".repeat(70_000), 413, "request.too_large"],
      ["GET", "/api/v1/user", undefined, 401, "auth.token_missing"],
    ];
    for (const [method, path, body, status, code] of expected) {
      const link = `</docs/errors#error-${code}>; rel="help"; type="text/html"`;
      expect(await headersOf(method, path, body)).toEqual({ status, code, link });
    }
  });

  test("of a deprecated route keeps the links of the route", async () => {
    const { link } = await headersOf("GET", "/api/v1/accounts/onchain-daily-limit");
    expect(link).toContain('rel="successor-version"');
    expect(link).toContain('</docs/errors#error-auth.token_missing>; rel="help"');
  });

  test("of the catalogue has its place on the reference page, and errors of the same text say when they occur", async () => {
    const page = await (await fetch(`${service.url}/docs/errors`)).text();
    const codes = Object.keys(errors);
    expect(codes.filter((code) => !page.includes(`id="error-${code}"`))).toEqual([]);
    expect(page).toContain("The access token has expired");
  });

  test("can be read by the page of an app, with its challenge and its link", async () => {
    const { headers } = await fetch(`${service.url}/api/v1/user`, { headers: { Origin: "http://localhost:5173" } });
    const exposed = headers.get("access-control-expose-headers")?.split(", ");
    expect(exposed).toEqual(expect.arrayContaining(["X-Error-Code", "WWW-Authenticate", "Link", "Retry-After"]));
  });
});
