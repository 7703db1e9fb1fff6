/** Errors, authentication, limits and versioning. */
import { expect } from "bun:test";
import type { Person } from "../../support/person.ts";
import { eure } from "../../support/tokens.ts";
import { answerOf, answerRow, type Row } from "./row.ts";
import { destination, type World } from "./world.ts";

const kyc = { personalizationSource: "KYC" };
const signature = `0x${"11".repeat(65)}`;
const message = { salt: `0x${"5a".repeat(32)}`, data: "0x" };
const withdrawal = { amount: "1", to: destination, tokenAddress: eure, signature, message };
const noSafe = { error: "Couldn't find associated Safe for the user" };

const signUp = (fields: object) => async (world: World) => {
  const person = await new (world.ada.constructor as new (service: World["service"]) => Person)(world.service).signIn();
  return person.call("POST", "/auth/signup", { authEmail: `${person.account.address}@example.org`, ...fields });
};

/** The caller and the request. */
type Who = "ada" | "bob" | "cleo" | "stranger";
const ask = (who: Who, method: string, path: string, body?: unknown) => (world: World) =>
  world[who].call(method, path, body);

const withoutCredentials: readonly Record<string, string>[] = [{}, { Authorization: "Bearer a.b.c" }];

const unauthorizedRows = (field: "error" | "message", asked: readonly (readonly [string, string])[]): Row[] =>
  asked.map(([method, path]) => ({
    says: `${method} ${path}: {${field}: Unauthorized} without credentials, and with a bad token`,
    check: async ({ stranger }) => {
      for (const headers of withoutCredentials) {
        const { status, body } = await stranger.call(method, path, undefined, headers);
        expect({ status, body }).toEqual({ status: 401, body: { [field]: "Unauthorized" } });
      }
    },
  }));

const failures: readonly (readonly [string, string, string, object])[] = [
  ["signup", "/auth/signup", "post", { error: "An unexpected error occurred" }],
  ["order/create", "/order/create", "post", { error: "Internal server error" }],
  ["withdraw", "/accounts/withdraw", "post", { message: "An unexpected error occurred." }],
  ["daily limit", "/accounts/onchain-daily-limit", "get", { message: "An unexpected error occurred." }],
  ["attach-coupon", "/order/{orderId}/attach-coupon", "post", { message: "An unexpected error occurred." }],
  ...(
    [
      ["challenge", "/auth/challenge", "post"],
      ["safe/deploy", "/safe/deploy", "post"],
      ["emoney-profile", "/ibans/emoney-profile", "post"],
      ["ibans/available", "/ibans/available", "get"],
      ["ibans/details", "/ibans/details", "get"],
      ["ibans/orders", "/ibans/orders", "get"],
      ["ibans/oauth/redirect_url", "/ibans/oauth/redirect_url", "get"],
      ["source-of-funds", "/source-of-funds", "post"],
      ["webhooks/subscribe", "/webhooks/subscribe/{partnerId}", "post"],
      ["webhooks/subscription", "/webhooks/subscription/{partnerId}", "get"],
      ["cards void", "/cards/{cardId}/void", "post"],
      ["account-balances", "/account-balances", "get"],
    ] as const
  ).map(([name, path, method]) => [name, path, method, { error: "Internal server error" }] as const),
];

const deprecated = [
  ["PATCH", "/account/deploy-safe-modules"],
  ["POST", "/cards/verify"],
  ["GET", "/accounts/onchain-daily-limit"],
  ["GET", "/ibans/orders"],
  ["GET", "/ibans/details"],
  ["GET", "/ibans/oauth/redirect_url"],
] as const;

export const errors: readonly Row[] = [
  answerRow("signup: Invalid partner ID", signUp({ partnerId: "nobody" }), {
    status: 400,
    body: { error: "Invalid partner ID" },
  }),
  ...["123456", "12345", "1234567"].map((otp) =>
    answerRow(`signup: Invalid or expired OTP, for ${otp}`, signUp({ otp }), {
      status: 401,
      body: { error: "Invalid or expired OTP" },
    }),
  ),
  answerRow("signup: duplicate e-mail or wallet", signUp({ authEmail: "bob@example.org" }), {
    status: 409,
    body: {
      error: "Email address already registered or Wallet address already associated with another account",
    },
  }),
  answerRow("signup: Invalid email format", signUp({ authEmail: "no address" }), {
    status: 422,
    body: { error: "Invalid email format" },
  }),
  ...failures.map(([name, path, method, body]): Row => ({
    says: `${name}: ${JSON.stringify(body)} for a server failure`,
    check: async ({ service }) => {
      const document = await (await fetch(`${service.url}/openapi.json`)).json();
      const { responses } = document.paths[`/api/v1${path}`][method];
      for (const [status, code] of [
        ["500", "server.internal"],
        ["503", "server.unavailable"],
      ] as const) {
        expect(responses[status].content["application/json"].examples[code].value).toEqual(body);
      }
    },
  })),
  answerRow("withdraw: the user has no Safe", ask("cleo", "POST", "/accounts/withdraw", withdrawal), {
    status: 404,
    body: noSafe,
  }),
  answerRow("daily limit: the user has no Safe", ask("cleo", "GET", "/accounts/onchain-daily-limit"), {
    status: 404,
    body: noSafe,
  }),
  ...["0", "01", "1.5", "-1", "1e3", "", " 1", "0x10"].map((amount) =>
    answerRow(
      `withdraw: amount must be a valid integer, for ${JSON.stringify(amount)}`,
      ask("ada", "POST", "/accounts/withdraw", { ...withdrawal, amount }),
      { status: 422, body: { error: "amount must be a valid integer" } },
    ),
  ),
  ...["0x12", "0xzz", destination.slice(2), `${destination}0`].map((ownerToRemove) =>
    answerRow(
      `DELETE /owners: Invalid ownerToRemove address format, for ${ownerToRemove}`,
      ask("ada", "DELETE", "/owners", { ownerToRemove, signature, message }),
      { status: 422, body: { error: "Invalid ownerToRemove address format" } },
    ),
  ),
  answerRow("order/create: a pending order, as a bare JSON string", (world) => answerOf(world, "secondOrder"), {
    status: 400,
    body: "Error: There is already a pending card order",
  }),
  answerRow("order/create: KYC not approved, as a bare JSON string", ask("bob", "POST", "/order/create", kyc), {
    status: 400,
    body: "Error: User is not approved through KYC",
  }),
  answerRow(
    "order/create: unknown source, as a bare JSON string",
    ask("cleo", "POST", "/order/create", { personalizationSource: "NFT" }),
    { status: 400, body: "Error: Unknown personalization source" },
  ),
  answerRow(
    "order/create: shipping country differs from user's country, as a bare JSON string",
    ask("cleo", "POST", "/order/create", {
      ...kyc,
      shippingAddress: { address1: "1 Main Street", city: "Paris", postalCode: "75001", country: "FR" },
    }),
    { status: 400, body: "Error: Shipping needs to be done to the user's country" },
  ),
  answerRow(
    "attach-coupon: Card order not found.",
    ask("ada", "POST", "/order/unknown/attach-coupon", { couponCode: "FREECARD" }),
    { status: 404, body: { message: "Card order not found." } },
  ),
  {
    says: "attach-coupon: Coupon code is invalid.",
    check: async ({ cleo }) => {
      const { id } = (await cleo.call("POST", "/order/create", kyc)).body;
      const { status, body } = await cleo.call("POST", `/order/${id}/attach-coupon`, { couponCode: "NOSUCHCODE" });
      await cleo.call("POST", `/order/${id}/cancel`);
      expect({ status, body }).toEqual({ status: 422, body: { message: "Coupon code is invalid." } });
    },
  },
  answerRow("confirm-payment: wrong order status", (world) => answerOf(world, "confirmAgain"), {
    status: 400,
    body: { message: "Card Order is not in the correct status" },
  }),
  answerRow("confirm-payment: Card order not found.", ask("ada", "PUT", "/order/unknown/confirm-payment"), {
    status: 404,
    body: { message: "Card order not found." },
  }),
  answerRow("cards/{cardId}/void: Only virtual cards can be voided", (world) => answerOf(world, "voidPhysical"), {
    status: 422,
    body: { error: "Only virtual cards can be voided" },
  }),
  ...["/kyc/integration", "/kyc/integration/sdk"].map((path) =>
    answerRow(`${path}: The user has already been approved`, ask("cleo", "GET", path), {
      status: 409,
      body: { message: "The user has already been approved" },
    }),
  ),
  {
    says: "emoney-profile: {errors: {redirectUrl, message}} where the user has a profile; redirectUrl starts the OAuth flow",
    check: (world) => {
      const { status, body } = answerOf(world, "knownProfile");
      expect([status, Object.keys(body), Object.keys(body.errors).sort()]).toEqual([
        422,
        ["errors"],
        ["message", "redirectUrl"],
      ]);
      expect(new URL(body.errors.redirectUrl).searchParams.has("state")).toBe(true);
    },
  },
  ...unauthorizedRows("error", [
    ["POST", "/safe/deploy"],
    ["GET", "/safe/deploy"],
    ["POST", "/accounts/withdraw"],
    ["GET", "/accounts/onchain-daily-limit"],
    ["GET", "/accounts/daily-limit"],
    ["GET", "/account-balances"],
    ["DELETE", "/owners"],
    ["GET", "/delay-relay"],
    ["DELETE", "/eoa-accounts/unknown"],
    ["PATCH", "/account/deploy-safe-modules"],
  ]),
  ...unauthorizedRows("message", [
    ["POST", "/order/create"],
    ["POST", "/order/unknown/attach-coupon"],
    ["PUT", "/order/unknown/confirm-payment"],
  ]),
  answerRow(
    "language: other than two lower-case letters is refused",
    ask("bob", "GET", "/kyc/integration?language=DE"),
    {
      status: 400,
      body: { message: "language must be a two-letter ISO 639-1 code" },
    },
  ),
  ...["address1", "address2"].map((field): Row => ({
    says: `${field}: max 50 characters`,
    check: async ({ cleo }) => {
      const address = { address1: "Street 1", city: "Berlin", postalCode: "10117", country: "DE" };
      const order = (length: number) =>
        cleo.call("POST", "/order/create", { ...kyc, shippingAddress: { ...address, [field]: "x".repeat(length) } });
      expect([400, 422]).toContain((await order(51)).status);
      const { status, body } = await order(50);
      await cleo.call("POST", `/order/${body.id}/cancel`);
      expect(status).toBe(200);
    },
  })),
  {
    says: "ENSName: max 24 characters",
    check: async ({ cleo }) => {
      const order = (length: number) =>
        cleo.call("POST", "/order/create", { personalizationSource: "ENS", ENSName: "x".repeat(length) });
      const [fits, tooLong] = [await order(24), await order(25)];
      expect([400, 422]).toContain(tooLong.status);
      expect(tooLong.body).not.toEqual(fits.body);
    },
  },
  {
    says: "the interface description version is 1.0.0, and all paths carry the prefix /api/v1",
    check: async ({ service }) => {
      const document = await (await fetch(`${service.url}/openapi.json`)).json();
      expect(document.info.version).toBe("1.0.0");
      expect(Object.keys(document.paths).every((path) => path.startsWith("/api/v1/"))).toBe(true);
    },
  },
  ...deprecated.map(([method, path]): Row => ({
    says: `deprecated: ${method} ${path}`,
    check: async ({ ada, service }) => {
      const document = await (await fetch(`${service.url}/openapi.json`)).json();
      expect(document.paths[`/api/v1${path}`][method.toLowerCase()].deprecated).toBe(true);
      const { headers } = await ada.call(method, path);
      expect(headers.get("deprecation")).toMatch(/^@\d+$/);
      expect(headers.get("link")).toContain('rel="deprecation"');
    },
  })),
  {
    says: "onchain-daily-limit is replaced by daily-limit, and will be removed in a future version",
    check: async ({ ada }) => {
      const { headers } = await ada.call("GET", "/accounts/onchain-daily-limit");
      expect(headers.get("link")).toContain('</api/v1/accounts/daily-limit>; rel="successor-version"');
      expect(Date.parse(headers.get("sunset") ?? "")).toBeGreaterThan(0);
    },
  },
  {
    says: "POST /safe/deploy replaces POST /account",
    check: async ({ bob }) => {
      const { headers } = await bob.call("POST", "/account", { chainId: "100" });
      expect(headers.get("link")).toContain('</api/v1/safe/deploy>; rel="successor-version"');
    },
  },
];
