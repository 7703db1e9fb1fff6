import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { populateLimitEnqueue } from "@gnosispay/account-kit";
import {
  compactSignatureToSignature,
  type Hex,
  parseCompactSignature,
  parseSignature,
  parseUnits,
  serializeCompactSignature,
  serializeSignature,
  signatureToCompactSignature,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { declaration, ibanStatusOf, signDeclaration } from "../support/ibans.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

/** The 64 bytes of EIP-2098 for a signature of 65. */
const shorten = (signature: Hex): Hex =>
  serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)));

const destination = "0x000000000000000000000000000000000000bEEF";

let service: Service;
let ada: Person;
let safe: Hex;
beforeAll(async () => {
  service = await startService();
  ada = new Person(service);
  safe = await ada.becomeAccountHolder();
  await ada.sandbox("POST", "/chain/faucet", { address: safe, token: "EURe", amount: "1000" });
});
afterAll(() => service.stop());

const settles = async (id: string) => {
  await until(async () => (await ada.findDelay(id))?.status === "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await ada.findDelay(id))?.status === "EXECUTED");
};

describe("a signature of 64 bytes (EIP-2098)", () => {
  test("is the one that its 65 bytes are, by another implementation", async () => {
    const signature = await ada.account.signMessage({ message: "any" });
    expect(shorten(signature)).toHaveLength(2 + 2 * 64);
    expect(serializeSignature(compactSignatureToSignature(parseCompactSignature(shorten(signature))))).toBe(signature);
  });

  test("signs in, for both parities of the curve's point, and for no other wallet", async () => {
    const parities = new Set<string>();
    for (let turn = 0; turn < 40 && parities.size < 2; turn++) {
      const { message, signature } = await ada.signMessage();
      const compact = shorten(signature);
      expect((await ada.call("POST", "/auth/challenge", { message, signature: compact })).status).toBe(200);
      parities.add(signature.slice(-2));
    }
    expect([...parities].sort()).toEqual(["1b", "1c"]);
    const { message } = await ada.signMessage();
    const foreign = await new Person(service).account.signMessage({ message });
    expect((await ada.call("POST", "/auth/challenge", { message, signature: shorten(foreign) })).status).toBe(401);
  });

  test("carries out a withdrawal, once in either form", async () => {
    const signed = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "5" });
    const compact = { ...signed, signature: shorten(signed.signature) };
    const answer = await ada.call("POST", "/accounts/withdraw", compact);
    expect(answer.status).toBe(200);
    expect((await ada.call("POST", "/accounts/withdraw", signed)).status).toBe(409);
    await settles(answer.body.data.id);
  }, 60_000);

  test("adds and removes an owner", async () => {
    const { address } = privateKeyToAccount(generatePrivateKey());
    const added = await ada.signNewOwner(address);
    const answer = await ada.call("POST", "/owners", { ...added, signature: shorten(added.signature) });
    expect(answer.status).toBe(200);
    await settles(answer.body.data.id);
    const removed = await ada.signRemoval(address);
    const removal = await ada.call("DELETE", "/owners", { ...removed, signature: shorten(removed.signature) });
    expect(removal.status).toBe(200);
    await settles(removal.body.data.id);
  }, 60_000);

  test("sets the daily limit in both forms of the route", async () => {
    const signed = await ada.signLimit(500);
    const limit = await ada.call("PUT", "/accounts/daily-limit", { ...signed, signature: shorten(signed.signature) });
    expect(limit.status).toBe(200);
    await settles(limit.body.data.id);
    const config = { refill: parseUnits("400", 18), period: 86_400 };
    type TypedData = Parameters<typeof ada.account.signTypedData>[0];
    const { data } = await populateLimitEnqueue({ account: safe, chainId: 100 }, config, (typed) =>
      ada.account.signTypedData({ ...typed, primaryType: "ModuleTx" } as TypedData),
    );
    const whole = data as Hex;
    const signature = `${whole.slice(0, -130)}${shorten(`0x${whole.slice(-130)}`).slice(2)}`;
    const older = await ada.call("PUT", "/accounts/onchain-daily-limit", { onchainDailyLimit: 400, signature });
    expect([older.status, older.body]).toEqual([200, { data: { requestedOnchainDailyLimit: 400 } }]);
    const { body: rows } = await ada.call("GET", "/delay-relay");
    await settles(rows.find(({ status }: { status: string }) => status !== "EXECUTED").id);
    expect((await ada.call("GET", "/accounts/daily-limit")).body.data.dailyLimit).toBe(400);
  }, 60_000);

  test("sets up an account of the older way", async () => {
    const bea = new Person(service);
    await bea.becomeSafeOwner();
    const signature = shorten(await bea.signSetUp());
    const { status, body } = await bea.call("PATCH", "/account/deploy-safe-modules", { signature });
    expect([status, body.deployed]).toEqual([200, true]);
  }, 60_000);

  test("opens an IBAN: the institution, which takes 65 bytes alone, gets those", async () => {
    const signature = await signDeclaration(ada);
    expect((await ada.call("POST", "/ibans/emoney-profile", { signature: shorten(signature) })).status).toBe(200);
    await until(async () => (await ibanStatusOf(ada)) === "ASSIGNED");
    const institution = await openInstitution();
    const { profiles } = await (await institution("/profiles?kind=personal")).json();
    const link = { profile: profiles[0].id, address: safe, chain: "gnosis", message: declaration };
    const tried = [shorten(signature), signature].map((each) =>
      institution("/addresses", { method: "POST", body: JSON.stringify({ ...link, signature: each }) }),
    );
    expect((await Promise.all(tried)).map(({ status }) => status)).toEqual([400, 201]);
  }, 60_000);

  test("subscribes a partner", async () => {
    const { body: message } = await ada.call("GET", "/webhooks/message/sandbox");
    const signature = shorten(await ada.account.signMessage({ message: message.message }));
    const subscription = { message: message.message, signature };
    const { status, body } = await ada.call("POST", "/webhooks/subscribe/sandbox", subscription);
    expect([status, body.success]).toEqual([200, true]);
  });
});

/** Calls of the institution's API with the service's own credentials. */
async function openInstitution() {
  const { clientId, clientSecret } = service.runtime.settings.emoney;
  const base = `${service.sandboxUrl}/emoney/api`;
  const accept = { Accept: "application/vnd.monerium.api-v2+json" };
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const granted = await fetch(`${base}/auth/token`, {
    method: "POST",
    headers: accept,
    body: new URLSearchParams(form),
  });
  const { access_token: token } = await granted.json();
  const headers = { ...accept, Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  return (path: string, init: RequestInit = {}) => fetch(base + path, { ...init, headers });
}
