/** The institution's own SDK against the sandbox, unmodified: its requests go there by the transport that it offers. */
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  clientCredentialsGrant,
  createMoneriumClient,
  Currency,
  MoneriumApiError,
  OrderState,
  parseAuthorizationResponse,
  PaymentStandard,
  placeOrderMessage,
  ProfileType,
  ProfileState,
  randomPKCECodeVerifier,
  refreshTokenGrant,
} from "@monerium/sdk";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { erc20Abi, type Hex, isAddressEqual, parseEventLogs, parseUnits, zeroAddress } from "viem";
import { becomeIbanHolder, declaration } from "../support/ibans.ts";
import { openNode } from "../support/node.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

const environment = "production";
const iban = "DE89370400440532013000";
const counterpart = {
  identifier: { standard: PaymentStandard.iban as const, iban },
  details: { firstName: "Charles", lastName: "Babbage", country: "GB" },
};

let service: Service;
let node: ReturnType<typeof openNode>;
/** A customer of the institution, with a wallet and an account of ours. */
let ada: Person;
let redirectUri: string;
const toSandbox = (url: string) => url.replace("https://api.monerium.app", `${service.sandboxUrl}/emoney/api`);
const transport: NonNullable<Parameters<typeof createMoneriumClient>[0]["transport"]> = async (request) => {
  const { url, method, headers, body } = request;
  const response = await fetch(toSandbox(url), { method, headers, body: body ?? null });
  return { status: response.status, bodyText: await response.text() };
};
const app = () => {
  const { clientId, clientSecret } = service.runtime.settings.emoney;
  return { environment, clientId, clientSecret, redirectUri, transport } as const;
};
const speakAs = (accessToken: string) => createMoneriumClient({ environment, accessToken, transport });

beforeAll(async () => {
  service = await startService();
  node = openNode(service.rpcUrl);
  redirectUri = service.runtime.services.policy.emoney.consentReturnUrl;
  ada = new Person(service);
  await ada.becomeAccountHolder({ country: "DE" });
}, 60_000);
afterAll(() => service.stop());

/** A person who agrees on the institution's page; answers what the app gets back. */
async function agree(email: string, decision = "allow", state?: string) {
  const codeVerifier = randomPKCECodeVerifier();
  const codeChallenge = calculatePKCECodeChallenge(codeVerifier);
  const url = buildAuthorizationUrl({ ...app(), codeChallenge, email, ...(state !== undefined && { state }) });
  const led = await fetch(toSandbox(url), { redirect: "manual" });
  expect(led.status).toBe(307);
  const page = (led.headers.get("location") ?? "").replace("localhost", "127.0.0.1");
  const body = new URLSearchParams({ email, decision });
  const back = await fetch(page, { method: "POST", body, redirect: "manual" });
  return { codeVerifier, ...parseAuthorizationResponse(back.headers.get("location") ?? "") };
}

/** A customer with a profile of their own at the institution, signed in by the SDK. */
async function newCustomer(email: string) {
  await ada.sandbox("POST", "/emoney/profiles", { email, name: "Ada Lovelace", country: "FR" });
  const { code = "", codeVerifier } = await agree(email);
  return authorizationCodeGrant({ ...app(), code, codeVerifier });
}

const signed = async (person: Person, message: string) => ({
  message,
  signature: await person.account.signMessage({ message }),
});
const newOrder = async (amount: string, signer = ada, fields: object = {}) => ({
  amount,
  address: ada.account.address,
  chain: 100,
  currency: Currency.eur,
  counterpart,
  ...(await signed(signer, placeOrderMessage(amount, Currency.eur, iban))),
  ...fields,
});
/** Places an order and answers it as the institution took it. */
async function place(client: ReturnType<typeof speakAs>, order: Awaited<ReturnType<typeof newOrder>>) {
  const placed = await client.placeOrder(order);
  if (!("id" in placed)) throw new Error(`The order awaits a signature: ${placed.status}`);
  return placed;
}

/** Code, status and text of the fault that a call ends with. */
const faultOf = (asked: Promise<unknown>): Promise<unknown[]> =>
  asked.then(
    () => [],
    (error: unknown) => {
      if (error instanceof MoneriumApiError) return [error.code, error.status, error.message];
      throw error;
    },
  );

test("an app signs in by its secret, lists the profiles that it made, and may not read others", async () => {
  const granted = await clientCredentialsGrant(app());
  expect(granted).toMatchObject({ token_type: "Bearer", expires_in: 3_600, refresh_token: expect.any(String) });
  const client = speakAs(granted.access_token);
  await becomeIbanHolder(ada);
  const { profiles } = await client.getProfiles({ state: ProfileState.approved, kind: ProfileType.personal });
  expect(profiles).toMatchObject([{ kind: "personal", state: "approved", name: expect.any(String) }]);
  expect(await client.getAuthContext()).toMatchObject({
    auth: { method: "apiKey" },
    profiles: [{ kind: "corporate", name: "Sandbox Programme" }, { id: profiles[0]?.id }],
  });
  const { ibans } = await client.getIbans({ chain: "gnosis" });
  expect(ibans).toMatchObject([{ profile: profiles[0]?.id, chain: "gnosis", bic: expect.any(String) }]);
  expect(await client.getIban(ibans[0]?.iban ?? "")).toEqual(ibans[0] as never);
  const other = await newCustomer("own@example.org");
  expect(await faultOf(client.getProfile(other.profile))).toEqual([403, "Forbidden", "Not yours"]);
  expect(await faultOf(clientCredentialsGrant({ ...app(), clientSecret: "wrong" }))).toEqual([
    401,
    "Unauthorized",
    "Not authenticated",
  ]);
  expect(await faultOf(speakAs("none").getProfiles())).toEqual([401, "Unauthorized", "Not authenticated"]);
}, 60_000);

test("a person signs in by consent and PKCE; the code serves once, a refresh token gives the next", async () => {
  const granted = await newCustomer("pkce@example.org");
  const again = await refreshTokenGrant({ ...app(), refreshToken: granted.refresh_token });
  expect(again.access_token).not.toBe(granted.access_token);
  const context = await speakAs(again.access_token).getAuthContext();
  expect(context).toMatchObject({ email: "pkce@example.org", name: "Ada Lovelace", defaultProfile: granted.profile });
  expect(await speakAs(again.access_token).getProfile(context.defaultProfile)).toMatchObject({
    state: "approved",
    details: { state: "approved" },
  });
  expect(await faultOf(refreshTokenGrant({ ...app(), refreshToken: granted.refresh_token }))).toContain(400);
  const { code = "", state, codeVerifier } = await agree("pkce@example.org", "allow", "mine");
  expect(state).toBe("mine");
  const wrong = authorizationCodeGrant({ ...app(), code, codeVerifier: randomPKCECodeVerifier() });
  expect(await faultOf(wrong)).toEqual([400, "Bad Request", "The verifier does not fit"]);
  expect(await faultOf(authorizationCodeGrant({ ...app(), code, codeVerifier }))).toContain(400);
  expect(await agree("pkce@example.org", "deny")).toMatchObject({ error: "access_denied" });
}, 60_000);

describe("a person with a wallet that is linked", () => {
  let client: ReturnType<typeof createMoneriumClient>;
  let profile: string;
  beforeAll(async () => {
    const granted = await newCustomer("wallet@example.org");
    [client, profile] = [speakAs(granted.access_token), granted.profile];
    const link = { address: ada.account.address, chain: 100, ...(await signed(ada, declaration)) };
    const stranger = { ...link, signature: await new Person(service).account.signMessage({ message: declaration }) };
    expect(await faultOf(client.linkAddress(stranger))).toEqual([400, "Bad Request", "Invalid signature"]);
    expect(await client.linkAddress(link)).toMatchObject({ profile, state: "linked" });
    expect(await faultOf(client.getBalances(ada.account.address, "ethereum"))).toContain(403);
  }, 60_000);
  const give = (amount: string) =>
    ada.sandbox("POST", "/chain/faucet", { address: ada.account.address, token: "EURe", amount });
  const balanceOf = async () =>
    (await client.getBalances(ada.account.address, 100, Currency.eur)).balances.map(({ amount }) => amount);

  test("lists its addresses, tokens and balances, gets an IBAN and moves it", async () => {
    expect(await client.getAddresses({ chain: 100 })).toEqual({
      addresses: [{ profile, address: ada.account.address, chains: ["gnosis"] }],
    });
    expect(await client.getAddress(ada.account.address)).toMatchObject({ profile });
    expect((await createMoneriumClient({ environment, transport }).getTokens()).map(({ symbol }) => symbol)).toEqual([
      "EURe",
      "GBPe",
    ]);
    await give("1500000000000000000");
    expect(await balanceOf()).toEqual(["1.5"]);
    await client.requestIban({ address: ada.account.address, chain: 100, emailNotifications: false });
    const found = (await client.getIbans({ profile })).ibans;
    const own = found[0]?.iban ?? "";
    expect(found).toMatchObject([
      { address: ada.account.address, name: "Ada Lovelace", iban: expect.stringMatching(/^FR/) },
    ]);
    const moved = { address: ada.account.address, chain: 100 };
    expect(await client.moveIban(own, moved)).toMatchObject({ iban: own });
    expect(await faultOf(client.moveIban(own, { ...moved, chain: 1 }))).toContain(403);
    expect(await faultOf(client.moveIban(iban, moved))).toContain(404);
    expect(await client.getSignatures()).toEqual({ pending: [], total: 0 });
  }, 30_000);

  test("places an order by a signed message; its tokens leave the chain, and its native coins stay", async () => {
    await give("20000000000000000000");
    const [before, native] = [Number((await balanceOf())[0]), await node.client.getBalance(ada.account)];
    const placed = await place(client, await newOrder("12.50", ada, { memo: "Rent" }));
    expect(placed).toMatchObject({ kind: "redeem", state: "placed", amount: "12.50", memo: "Rent", profile });
    expect(placed).not.toHaveProperty("isSigned");
    await until(async () => (await client.getOrder(placed.id)).state === OrderState.processed);
    const { meta } = await client.getOrder(placed.id);
    const { status, from, logs } = await node.client.getTransactionReceipt({ hash: meta.txHashes?.[0] as Hex });
    // The token's issuer burns, as Monerium does: the account sends no transaction.
    expect([status, isAddressEqual(from, ada.account.address)]).toEqual(["success", false]);
    expect(parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs }).map(({ args }) => args)).toEqual([
      { from: ada.account.address, to: zeroAddress, value: parseUnits("12.5", 18) },
    ]);
    expect(Number((await balanceOf())[0])).toBe(before - 12.5);
    expect(await node.client.getBalance(ada.account)).toBe(native);
    const { orders } = await client.getOrders({ profile, state: OrderState.processed });
    expect(orders.map(({ id }) => id)).toEqual([placed.id]);
    expect((await client.getOrders({ txHash: meta.txHashes?.[0] ?? "" })).orders).toHaveLength(1);
    expect((await client.getOrders({ state: OrderState.rejected })).orders).toEqual([]);
  }, 30_000);

  test("has an order refused whose message or signature is not right, is old or was used, or whose file is missing", async () => {
    const order = await newOrder("1");
    const at = (message: string) => signed(ada, message);
    const refused = [
      [await newOrder("1", new Person(service)), [400, "Bad Request", "Invalid signature"]],
      [{ ...order, amount: "2" }, [400, "Bad Request", "Invalid message"]],
      [
        { ...order, ...(await at(`Send EUR 1 to ${iban} at 2026-01-01T10:00:00Z`)) },
        [400, "Bad Request", "Invalid message"],
      ],
      [
        { ...order, ...(await at(`Send EUR 1 to DE02120300000000202051 at ${new Date().toISOString()}`)) },
        [400, "Bad Request", "Invalid message"],
      ],
      [{ ...order, amount: "-1" }, [400, "Bad Request", "The body makes no sense"]],
      [{ ...order, signature: "0x" }, [400, "Bad Request", "The body makes no sense"]],
      [{ ...order, chain: "ethereum" }, [403, "Forbidden", "The address is not linked"]],
      [await newOrder("15000"), [400, "Bad Request", "Supporting document is missing"]],
    ] as const;
    for (const [wrong, fault] of refused) expect(await faultOf(client.placeOrder(wrong))).toEqual([...fault]);
    const placed = await place(client, order);
    expect(await faultOf(client.placeOrder(order))).toEqual([409, "Conflict", "The message was used already"]);
    await until(async () => (await client.getOrder(placed.id)).state === OrderState.processed);
    expect(await faultOf(client.getOrder("none"))).toEqual([404, "Not Found", "Not found"]);
  }, 30_000);

  test("has a large order taken with its file, and rejected where the account holds too little", async () => {
    const scan = new File(["%PDF-1.7"], "invoice.pdf", { type: "application/pdf" });
    const { id: supportingDocumentId, size } = await client.uploadSupportingDocument(scan, "invoice.pdf");
    expect(size).toBe(8);
    const wrong = client.uploadSupportingDocument(new File(["a"], "a.txt", { type: "text/plain" }), "a.txt");
    expect(await faultOf(wrong)).toContain(400);
    const held = await balanceOf();
    const { id } = await place(client, await newOrder("15000", ada, { supportingDocumentId }));
    await until(async () => (await client.getOrder(id)).state === OrderState.rejected);
    expect((await client.getOrder(id)).meta).toMatchObject({ rejectedReason: "Insufficient balance" });
    expect(await balanceOf()).toEqual(held);
  }, 30_000);
});

test("an order for a Safe that its owner's key signed is refused, and no token of the Safe is burned", async () => {
  const client = speakAs((await clientCredentialsGrant(app())).access_token);
  const { address } = (await ada.call("GET", "/safe/config")).body;
  await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "5000000000000000000" });
  const before = (await ada.call("GET", "/account-balances")).body.total;
  const order = await newOrder("3.20", ada, { address });
  expect(await faultOf(client.placeOrder(order))).toEqual([400, "Bad Request", "Invalid signature"]);
  expect((await ada.call("GET", "/account-balances")).body.total).toBe(before);
  expect((await client.getOrders({ address })).orders).toEqual([]);
}, 60_000);

test("the person sees with us what the institution sent from the Safe's IBAN", async () => {
  const client = speakAs((await clientCredentialsGrant(app())).access_token);
  const { address } = (await ada.call("GET", "/safe/config")).body;
  const own = (await client.getIbans()).ibans.find((each) => each.address === address)?.iban ?? "";
  const { body } = await ada.sandbox("POST", "/emoney/orders", {
    iban: own,
    kind: "redeem",
    state: "processed",
    amount: "3.20",
    counterpart: { name: "Charles Babbage" },
  });
  const { orderId: id } = body;
  await until(async () => (await ada.call("GET", "/ibans/orders")).body.data[0]?.state === "processed");
  expect((await ada.call("GET", "/ibans/orders")).body.data).toMatchObject([
    { id, kind: "redeem", amount: "3.20", counterpart: { details: { name: "Charles Babbage" } } },
  ]);
  const desk = await (await fetch(`${service.sandboxUrl}/?desk=bank`)).text();
  expect(desk).toContain("3.20 EUR");
}, 60_000);
