/** Endpoints: their input and output. */
import { expect } from "bun:test";
import { resolveSchema } from "../../support/openapi.ts";
import { eure } from "../../support/tokens.ts";
import { answerOf, answerRow, type Row } from "./row.ts";
import { destination, nativeToken, type World } from "./world.ts";

const kept = (name: string) => (world: World) => answerOf(world, name);

/** Whether the OpenAPI document has the field in the body of a route. */
function inputRow(says: string, path: string, method: string, field: string, expected: object | null = {}): Row {
  return {
    says,
    check: async ({ service }) => {
      const document = await (await fetch(`${service.url}/openapi.json`)).json();
      const resolve = (schema?: { $ref?: string }) => resolveSchema(document, schema ?? {});
      const operation = document.paths[`/api/v1${path}`][method];
      const inQuery = (operation.parameters ?? []).find(({ name }: { name?: string }) => name === field);
      const schema = resolve(operation.requestBody?.content["application/json"].schema);
      const variants = (schema.anyOf ?? schema.oneOf ?? [schema]).map(resolve);
      const fields = variants.map((each: { properties?: object }) => Object(each.properties)[field]);
      const found = inQuery?.schema ?? fields.find((each: unknown) => each !== undefined);
      if (expected === null) expect(found).toBeUndefined();
      else expect(found).toMatchObject(expected);
    },
  };
}

/** A status of an answer. */
const statusRow = (says: string, name: string, status: number): Row => ({
  says,
  check: (world) => expect(answerOf(world, name).status).toBe(status),
});

const transfer = (fields: Record<string, string>) =>
  `/accounts/withdraw/transaction-data?${new URLSearchParams({ tokenAddress: eure, to: destination, amount: "1", ...fields })}`;

export const endpoints: readonly Row[] = [
  statusRow("POST /auth/signup creates a user tied to an e-mail address", "signUp", 201),
  inputRow("signup takes authEmail: string, e-mail", "/auth/signup", "post", "authEmail", { format: "email" }),
  inputRow("signup takes otp: exactly 6 characters, optional", "/auth/signup", "post", "otp", {
    minLength: 6,
    maxLength: 6,
  }),
  inputRow("signup takes referralCouponCode: string", "/auth/signup", "post", "referralCouponCode", { type: "string" }),
  inputRow("signup takes marketingCampaign: string", "/auth/signup", "post", "marketingCampaign", { type: "string" }),
  inputRow("signup takes partnerId: string, optional", "/auth/signup", "post", "partnerId", { type: "string" }),
  {
    says: "signup stores the partner that referred the user",
    check: async ({ bob }) => expect((await bob.call("GET", "/user")).body.partnerId).toBe("sandbox"),
  },
  statusRow("POST /auth/challenge verifies a signed message, without a bearer header", "challenge", 200),
  {
    says: "challenge takes ttlInSeconds: requested token lifetime in seconds",
    check: (world) => {
      const [, claims = ""] = answerOf(world, "challenge").body.token.split(".");
      const { iat, exp } = JSON.parse(Buffer.from(claims, "base64url").toString());
      expect(exp - iat).toBe(600);
    },
  },
  inputRow("challenge takes message: string", "/auth/challenge", "post", "message", { type: "string" }),
  inputRow("challenge takes signature: string", "/auth/challenge", "post", "signature", { type: "string" }),
  statusRow("PATCH /account/deploy-safe-modules answers the account setup result", "deployModules", 200),
  {
    says: "GET /account/signature-payload gives the data that is signed for it",
    check: async ({ ada }) => {
      const { body, status } = await ada.call("GET", "/account/signature-payload");
      expect([status, body]).toEqual([400, { error: "Safe modules are already deployed" }]);
    },
  },
  answerRow("POST /safe/deploy takes no body and answers that the request is accepted", kept("deploy"), {
    status: 202,
    body: { status: "accepted" },
  }),
  {
    says: "progress is read with GET /safe/deploy",
    check: (world) => expect(["processing", "ok"]).toContain(answerOf(world, "deployment").body.status),
  },
  statusRow("POST /accounts/withdraw withdraws ERC20 tokens", "withdraw", 200),
  statusRow("POST /accounts/withdraw withdraws the native token by the zero address", "withdrawNative", 200),
  {
    says: "withdraw answers an object with data holding a DelayedTransaction with status QUEUING",
    check: (world) => {
      expect(Object.keys(answerOf(world, "withdraw").body)).toEqual(["data"]);
      expect(answerOf(world, "withdraw").body.data.status).toBe("QUEUING");
    },
  },
  {
    says: "withdraw runs through the delay relay and executes after 3 minutes",
    check: (world) => {
      const [first, second] = answerOf(world, "delays").body;
      expect([first.status, second.status]).toEqual(["EXECUTED", "EXECUTED"]);
      expect(Date.parse(first.readyAt) - Date.parse(first.createdAt)).toBeGreaterThanOrEqual(180_000 - 2_000);
    },
  },
  {
    says: "the transaction data to sign is obtained from /accounts/withdraw/transaction-data",
    check: async ({ ada }) => {
      const { body } = await ada.call("GET", transfer({}));
      expect(body.data.primaryType).toBe("ModuleTx");
    },
  },
  inputRow("withdraw takes amount", "/accounts/withdraw", "post", "amount", { pattern: "^[1-9][0-9]*$" }),
  inputRow("withdraw takes to", "/accounts/withdraw", "post", "to", { pattern: "^0x[a-fA-F0-9]{40}$" }),
  inputRow("withdraw takes tokenAddress", "/accounts/withdraw", "post", "tokenAddress", {
    pattern: "^0x[a-fA-F0-9]{40}$",
  }),
  inputRow("withdraw takes signature", "/accounts/withdraw", "post", "signature", { type: "string" }),
  inputRow("withdraw takes message", "/accounts/withdraw", "post", "message", {
    $ref: "#/components/schemas/SignedMessage",
  }),
  inputRow("withdraw takes smartWalletAddress, optional", "/accounts/withdraw", "post", "smartWalletAddress", {
    type: "string",
  }),
  {
    says: "DELETE /owners removes an owner: data holding a DelayedTransaction with status QUEUING",
    check: (world) => expect(answerOf(world, "removeOwner").body.data.status).toBe("QUEUING"),
  },
  inputRow("DELETE /owners takes ownerToRemove", "/owners", "delete", "ownerToRemove", {
    pattern: "^0x[a-fA-F0-9]{40}$",
  }),
  inputRow("DELETE /owners takes signature", "/owners", "delete", "signature", { type: "string" }),
  inputRow("DELETE /owners takes message", "/owners", "delete", "message", {}),
  inputRow("DELETE /owners takes smartWalletAddress, optional", "/owners", "delete", "smartWalletAddress", {}),
  {
    says: "the data to sign is obtained from /owners/remove/transaction-data",
    check: async ({ ada }) => {
      const { status } = await ada.call("GET", `/owners/remove/transaction-data?ownerToRemove=${nativeToken}`);
      expect(status).toBe(422);
    },
  },
  {
    says: "GET /delay-relay returns a JSON array of the user's DelayedTransactions",
    check: (world) => {
      expect(answerOf(world, "delays").body).toBeArrayOfSize(3);
      const users = new Set(answerOf(world, "delays").body.map(({ userId }: { userId: string }) => userId));
      expect([...users]).toEqual([world.ada.userId]);
    },
  },
  {
    says: "DELETE /eoa-accounts/{id} answers data holding an object with id",
    check: (world) =>
      expect(answerOf(world, "removeWallet").body).toEqual({ data: { id: answerOf(world, "removedWallet").body.id } }),
  },
  statusRow("GET /account-balances answers Balances", "balances", 200),
  {
    says: "GET /accounts/onchain-daily-limit: data holding the daily limit object",
    check: (world) => expect(Object.keys(answerOf(world, "onchainDailyLimit").body)).toEqual(["data"]),
  },
  {
    says: "it is replaced by GET /accounts/daily-limit",
    check: async (world) => {
      const { body } = await world.ada.call("GET", "/accounts/daily-limit");
      const { onchainDailyLimit, onchainDailyRemaining } = answerOf(world, "onchainDailyLimit").body.data;
      expect(body.data).toEqual({ dailyLimit: onchainDailyLimit, dailyRemaining: onchainDailyRemaining });
    },
  },
  statusRow("POST /order/create answers 200 CardOrder", "createOrder", 200),
  {
    says: "a newly created order has the status PENDINGTRANSACTION",
    check: (world) => expect(answerOf(world, "createOrder").body.status).toBe("PENDINGTRANSACTION"),
  },
  {
    says: "order/create takes shippingAddress: address1, address2, city, postalCode, country",
    check: (world) =>
      expect(answerOf(world, "createOrder").body).toMatchObject({
        address1: "Unter den Linden 1",
        address2: "2. OG",
        city: "Berlin",
        postalCode: "10117",
        country: "DE",
      }),
  },
  inputRow("order/create takes personalizationSource", "/order/create", "post", "personalizationSource"),
  inputRow("order/create takes ENSName, max length 24", "/order/create", "post", "ENSName"),
  inputRow("order/create takes shippingAddress, object or null", "/order/create", "post", "shippingAddress"),
  {
    says: "order/create takes virtual: boolean, default false",
    check: (world) => expect(answerOf(world, "createOrder").body.virtual).toBe(false),
  },
  answerRow("POST /order/{orderId}/attach-coupon answers couponCode, the applied code", kept("attachCoupon"), {
    status: 200,
    body: { couponCode: "FREECARD" },
  }),
  answerRow("PUT /order/{orderId}/confirm-payment answers {ok: true}", kept("confirmPayment"), {
    status: 200,
    body: { ok: true },
  }),
  statusRow("a card is created from the order", "createCard", 200),
  {
    says: "POST /cards/verify links a physical card: cardId",
    check: (world) => {
      const { status, body } = answerOf(world, "verify");
      expect([status, body]).toEqual([200, { cardId: world.ids.physicalCard }]);
    },
  },
  answerRow("POST /cards/verify: a virtual card's number is like an unknown one", kept("verifyVirtual"), {
    status: 404,
    body: { error: "Card not found" },
  }),
  ...["encryptedPan", "encryptedKey", "iv"].map((field) =>
    inputRow(`cards/verify takes ${field}: string`, "/cards/verify", "post", field, { type: "string" }),
  ),
  {
    says: "POST /cards/{cardId}/void voids a virtual card: status (string)",
    check: (world) => expect(answerOf(world, "void").body.status).toBeString(),
  },
  statusRow("GET /kyc/integration returns a web link", "webLink", 200),
  statusRow("GET /kyc/integration/sdk returns an SDK access token", "sdkToken", 200),
  {
    says: "language forces the language of the KYC flow",
    check: async (world) => {
      expect(answerOf(world, "webLink").body.url).toContain("lang=de");
      const { body, status } = await world.bob.call("GET", "/kyc/integration/sdk?language=fr");
      expect([status, body.userId]).toEqual([200, world.bob.userId]);
    },
  },
  inputRow("language: pattern ^[a-z]{2}$", "/kyc/integration", "get", "language", { pattern: "^[a-z]{2}$" }),
  inputRow("language: pattern ^[a-z]{2}$, for the SDK too", "/kyc/integration/sdk", "get", "language", {
    pattern: "^[a-z]{2}$",
  }),
  {
    says: "POST /source-of-funds takes an array of question and answer: message (string)",
    check: (world) => expect(answerOf(world, "sourceOfFunds").body.message).toBeString(),
  },
  answerRow("POST /ibans/emoney-profile: data holding {success: boolean}", kept("createProfile"), {
    status: 200,
    body: { data: { success: true } },
  }),
  inputRow("emoney-profile takes callbackUrl, optional", "/ibans/emoney-profile", "post", "callbackUrl"),
  {
    says: "the exact message is obtainable from /ibans/signing-message",
    check: async ({ ada }) => {
      const { body } = await ada.call("GET", "/ibans/signing-message");
      expect(body).toEqual({ data: { message: "I hereby declare that I am the address owner." } });
    },
  },
  answerRow("GET /ibans/available: data holding {available: boolean}", kept("ibanAvailable"), {
    status: 200,
    body: { data: { available: true } },
  }),
  statusRow("GET /ibans/details: data holding IBAN details", "ibanDetails", 200),
  {
    says: "ibanStatus has the example value PENDING",
    check: (world) => expect(answerOf(world, "ibanPending").body.data.ibanStatus).toBe("PENDING"),
  },
  {
    says: "GET /ibans/orders: data holding an array of IBAN orders",
    check: (world) => expect(answerOf(world, "ibanOrders").body.data).toBeArrayOfSize(1),
  },
  {
    says: "GET /ibans/oauth/redirect_url: data holding {redirectUrl: string}",
    check: (world) => expect(URL.canParse(answerOf(world, "redirectUrl").body.data.redirectUrl)).toBe(true),
  },
  statusRow("POST /webhooks/subscribe/{partnerId} subscribes a partner", "subscribe", 200),
  {
    says: "GET /webhooks/subscription/{partnerId} answers the subscription of the user",
    check: (world) =>
      expect(answerOf(world, "subscription").body).toEqual({
        subscribed: true,
        subscriptionId: answerOf(world, "subscribe").body.subscriptionId,
      }),
  },
];
