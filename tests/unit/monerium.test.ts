import { afterAll, beforeEach, describe, expect, setSystemTime, test } from "bun:test";
import { createMonerium } from "@cardkeep/providers/emoney/monerium";
import { ProviderRefused, ProviderUnavailable } from "@cardkeep/providers/http";
import { createHmac } from "node:crypto";

/** Standard Webhooks' published sample: secret, id, timestamp, body and matching signature. */
const vector = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: "1614265330",
  rawBody: '{"test": 2432232314}',
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

const createAt = (url: string) =>
  createMonerium({
    url,
    consentUrl: "https://api.monerium.app/auth",
    clientId: "client",
    clientSecret: "secret",
    callbackSecrets: [vector.secret],
    chainId: 100,
    timeoutMs: 5_000,
  });
const adapter = createAt("http://127.0.0.1:1");
const sentAt = Number(vector.timestamp);
beforeEach(() => void setSystemTime(sentAt * 1000));
afterAll(() => void setSystemTime());

const parse = (change: Partial<typeof vector> = {}, at = sentAt) => {
  const { rawBody, ...headers } = { ...vector, ...change };
  setSystemTime(at * 1000);
  return adapter.parseCallback({ rawBody, headers });
};

/** A callback with the institution's signature. */
const parseSigned = (type: string, data?: unknown) => {
  const rawBody = JSON.stringify({ type, timestamp: "2026-01-01T10:00:00Z", ...(data !== undefined && { data }) });
  const key = Buffer.from(vector.secret.slice("whsec_".length), "base64");
  const digest = createHmac("sha256", key).update(`${vector.id}.${vector.timestamp}.${rawBody}`).digest("base64");
  return parse({ rawBody, signature: `v1,${digest}` });
};

const address = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";
const iban = { iban: "DE89 3704 0044 0532 0130 00", bic: "COBADEFFXXX", profile: "p", address, chain: "gnosis" };
const order = {
  id: "order",
  kind: "issue",
  profile: "p",
  address,
  chain: "gnosis",
  currency: "eur",
  amount: "25.50",
  counterpart: { details: { name: "Charles" }, identifier: { standard: "iban", iban: "GB29NWBK60161331926819" } },
  memo: "",
  state: "placed",
  meta: { placedAt: "2026-01-01T10:00:00Z" },
};

describe("a callback of the e-money institution", () => {
  test("is authentic exactly with the published signature, alone or among others", () => {
    // Authentic, but not an event of this institution.
    expect(parse()).toBe("senseless");
    expect(parse({ signature: `v1a,AAAA v1,AAAA ${vector.signature}` })).toBe("senseless");
    const forged: Partial<typeof vector>[] = [
      { signature: "" },
      { signature: vector.signature.replace("v1,", "") },
      { signature: vector.signature.replace("v1,", "v2,") },
      { signature: `x${vector.signature}` },
      { signature: `${vector.signature},v1,AAAA` },
      { signature: vector.signature.replace("g0", "h0") },
      { id: "" },
      { id: `${vector.id}x` },
      { timestamp: "1614265331" },
      { timestamp: "1614265330.0" },
      { timestamp: "1614265330x" },
      { timestamp: "" },
      { rawBody: '{"test":2432232314}' },
    ];
    for (const change of forged) expect([change, parse(change)]).toEqual([change, "forged"]);
  });

  test("is refused 300 seconds before and after its time", () => {
    for (const skew of [-300, 300]) expect(parse({}, sentAt + skew)).toBe("senseless");
    for (const skew of [-301, 301, 100_000]) expect(parse({}, sentAt + skew)).toBe("forged");
  });

  test("is read with its IBAN in one form, and refused with a wrong checksum", () => {
    expect(parseSigned("iban.updated", iban)).toMatchObject({
      id: vector.id,
      change: { kind: "iban", iban: { iban: "DE89370400440532013000", bic: "COBADEFFXXX", profileId: "p", address } },
    });
    const wrong = ["DE89370400440532013001", "DE88370400440532013000", "XX89370400440532013000", "", "DE89", 7, null];
    for (const text of wrong)
      expect([text, parseSigned("iban.updated", { ...iban, iban: text })]).toEqual([text, "senseless"]);
    expect(parseSigned("iban.updated", { ...iban, bic: "no bic" })).toBe("senseless");
    expect(parseSigned("iban.updated", { ...iban, address: "0x12" })).toBe("senseless");
  });

  test("is read with its order, and refused with an invalid amount or account", () => {
    expect(parseSigned("order.updated", order)).toMatchObject({
      change: {
        kind: "order",
        order: { amount: "25.50", state: "placed", counterpart: { details: { name: "Charles" } } },
      },
    });
    for (const amount of ["-25.50", "0", "0.00", "1e3", "NaN", "", "1,5", "+1", " 1", "0x10", 25.5, null]) {
      expect([amount, parseSigned("order.created", { ...order, amount })]).toEqual([amount, "senseless"]);
    }
    const identifier = { standard: "iban", iban: "GB29NWBK60161331926818" };
    expect(parseSigned("order.created", { ...order, counterpart: { details: {}, identifier } })).toBe("senseless");
    expect(parseSigned("order.created", { ...order, state: "lost" })).toBe("senseless");
    for (const placedAt of ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00"])
      expect(parseSigned("order.created", { ...order, meta: { ...order.meta, placedAt } })).toBe("senseless");
  });

  test("is read with its order also where the names of the other side are null or of another form", () => {
    const { identifier } = order.counterpart;
    const [none, name] = [null, "Charles"];
    const cases: readonly (readonly [unknown, object])[] = [
      [{ name, firstName: none, lastName: none, companyName: none }, { name }],
      [{ name: none, companyName: none, firstName: name, lastName: none }, { name }],
      [{ name: none, companyName: none }, {}],
      [{ name: 7 }, {}],
      [none, {}],
      [undefined, {}],
    ];
    const readOf = (details: unknown): unknown => {
      const read = parseSigned("order.updated", { ...order, counterpart: { details, identifier } });
      return typeof read !== "string" && read.change.kind === "order" ? read.change.order.counterpart.details : read;
    };
    for (const [details, read] of cases) expect([details, readOf(details)]).toEqual([details, read]);
  });

  test("of an IBAN or an order of another chain is no change here, and of one without a chain is this one's", () => {
    const { chain: _, ...chainless } = order;
    expect(parseSigned("order.updated", chainless)).toMatchObject({ change: { kind: "order" } });
    expect(parseSigned("iban.updated", { ...iban, chain: null })).toMatchObject({ change: { kind: "iban" } });
    expect(parseSigned("iban.updated", { ...iban, chain: "ethereum" })).toMatchObject({ change: { kind: "other" } });
    // An address of that chain is none of ours.
    const noble = { chain: "noble", address: "noble1x0c5tq6v7w8f9k3m2n4p5r6s7t8u9v0w1x2y3z" };
    expect(parseSigned("order.created", { ...order, ...noble })).toMatchObject({ change: { kind: "other" } });
  });

  test("without data is a handshake, and with an unknown type is ignored", () => {
    expect(parseSigned("subscription.created")).toMatchObject({ change: { kind: "other" } });
    expect(parseSigned("profile.error", { id: "p" })).toMatchObject({ change: { kind: "other" } });
    expect(parseSigned("profile.updated", { id: "p" })).toMatchObject({ change: { kind: "profile", profileId: "p" } });
  });
});

describe("a consent", () => {
  test("challenges with S256 as in RFC 7636 (appendix B), and names app, state and person", () => {
    const redirectUri = "https://api.example.org/callbacks/monerium/oauth";
    const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const url = new URL(adapter.buildConsentUrl({ redirectUri, state: "state", verifier, email: "ada@example.org" }));
    expect(url.origin + url.pathname).toBe("https://api.monerium.app/auth");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "client",
      redirect_uri: redirectUri,
      state: "state",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      email: "ada@example.org",
    });
  });
});

test("a profile's orders are those of this chain; one of another chain is not unreadable, whatever its address", async () => {
  const elsewhere = [
    { ...order, chain: "ethereum" },
    { ...order, chain: "noble", address: "noble1x0c5tq6v7w8f9k3m2n4p5r6s7t8u9v0w1x2y3z" },
  ];
  const orders = [...elsewhere, order, { ...order, id: "faulty", address: "0x12" }];
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const isToken = (await request.text()).includes("client_credentials");
      return Response.json(isToken ? { access_token: "token", expires_in: 3_600 } : { orders });
    },
  });
  const read = await createAt(server.url.href).listOrders({ profileId: "p" });
  expect([read.orders.map(({ id }) => id), read.unreadable]).toEqual([["order"], ["faulty"]]);
});

describe("a refusal at the institution's address", () => {
  let answer = (): Response => Response.json({});
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) =>
      (await request.text()).includes("client_credentials")
        ? Response.json({ access_token: "token", expires_in: 3_600 })
        : answer(),
  });
  afterAll(() => server.stop(true));
  const create = () => createAt(server.url.href);
  const gateways: readonly (readonly [string, (status: number) => Response])[] = [
    ["no body", (status) => new Response(null, { status })],
    ["a page", (status) => new Response("<html><h1>Not Found", { status })],
    ["an error of another form", (status) => Response.json({ status, error: "Not Found" }, { status })],
    ["another code", (status) => Response.json({ code: 5, message: "Not Found" }, { status })],
  ];

  test.each(gateways)("with %s says nothing of an order, a profile or a consent", async (_, refuse) => {
    const { findRedeem, createProfile, renewConsent } = create();
    answer = () => refuse(404);
    await expect(findRedeem({ id: "order" })).rejects.toBeInstanceOf(ProviderUnavailable);
    const shareFile = async () => "share";
    await expect(createProfile({ profileId: "p", shareFile })).rejects.toBeInstanceOf(ProviderUnavailable);
    for (const status of [403, 404]) {
      answer = () => refuse(status);
      await expect(renewConsent({ refreshToken: "token" })).rejects.toBeInstanceOf(ProviderUnavailable);
    }
  });

  test("of the identity provider's is not taken for a profile that the person has", async () => {
    answer = () => Response.json({ id: "p", state: "created", kind: "personal" });
    const refusal = new ProviderRefused(409, "The identity provider answered 409");
    const shareFile = () => Promise.reject(refusal);
    await expect(create().createProfile({ profileId: "p", shareFile })).rejects.toBe(refusal);
  });

  test("in its own form is its answer, and so is any of its authorization server's", async () => {
    const { findRedeem, renewConsent } = create();
    answer = () => Response.json({ code: 404, status: "Not Found", message: "Not found" }, { status: 404 });
    expect(await findRedeem({ id: "order" })).toBeNull();
    answer = () => Response.json({ error: "invalid_grant" }, { status: 400 });
    await expect(renewConsent({ refreshToken: "token" })).rejects.toBeInstanceOf(ProviderRefused);
  });
});
