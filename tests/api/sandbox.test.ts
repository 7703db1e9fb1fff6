import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSandbox } from "@cardkeep/sandbox/app";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let anyone: Person;
beforeAll(async () => {
  service = await startService({ worker: false });
  anyone = new Person(service);
});
afterAll(() => service.stop());

const address = "0x000000000000000000000000000000000000bEEF";
const usdce = "0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0";

describe("the sandbox", () => {
  test("tells the chain as it is", async () => {
    const { status, body } = await anyone.sandbox("GET", "/chain");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      chainId: 100,
      rpcUrl: service.rpcUrl,
      tokens: { EURe: expect.any(String), GBPe: expect.any(String), USDCe: usdce },
    });
    expect(body.relayers).toHaveLength(2);
    expect(Math.abs(body.timestamp - Date.now() / 1000)).toBeLessThan(5);
  });

  test("advances chain and service together, in parallel too, and never back", async () => {
    const before = (await anyone.sandbox("GET", "/chain")).body.timestamp;
    const answers = await Promise.all(
      [100, 200, 300].map((seconds) => anyone.sandbox("POST", "/chain/advance", { seconds })),
    );
    expect(Math.max(...answers.map((answer) => answer.body.timestamp))).toBeWithin(before + 600, before + 610);
    expect((await anyone.sandbox("GET", "/chain")).body.timestamp).toBeGreaterThanOrEqual(before + 600);
  });

  test("gives native coins and tokens, and refuses what is no amount", async () => {
    for (const token of ["native", "EURe", "GBPe", "USDCe"]) {
      const { status, body } = await anyone.sandbox("POST", "/chain/faucet", { address, token, amount: "5" });
      expect([status, body.transactionHash]).toEqual([200, expect.stringMatching(/^0x[0-9a-f]{64}$/)]);
    }
    expect(await service.runtime.chain.getTokenBalance(usdce, address)).toBe(5n);
    for (const amount of ["0", "-1", "1.5", "", 5, (2n ** 128n).toString()]) {
      expect((await anyone.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount })).status).toBe(422);
    }
    expect(
      (await anyone.sandbox("POST", "/chain/faucet", { address: "0x12", token: "EURe", amount: "1" })).status,
    ).toBe(422);
    expect((await anyone.sandbox("POST", "/chain/faucet", { address, token: "DOGE", amount: "1" })).status).toBe(422);
  });

  test("refuses bad input in one line, and never fails", async () => {
    for (const seconds of [0, -5, 1.5, "soon", null, 1e12])
      expect((await anyone.sandbox("POST", "/chain/advance", { seconds })).status).toBe(422);
    const malformed = await fetch(`${service.sandboxUrl}/chain/advance`, { method: "POST", body: "{" });
    expect([malformed.status, await malformed.json()]).toEqual([422, { error: "Invalid JSON" }]);
    expect((await anyone.sandbox("POST", "/kyc/nobody/review", { outcome: "approved" })).status).toBe(404);
    expect((await anyone.sandbox("GET", "/nowhere")).status).toBe(404);
  });

  test("registers partners whose domains sign people in at once, and coupons", async () => {
    const partner = await anyone.sandbox("POST", "/partners", { name: "App", domains: ["App.Example.org"] });
    expect(partner.body).toMatchObject({ id: expect.any(String), domains: ["app.example.org"] });
    const signed = await anyone.signMessage({ domain: "app.example.org", uri: "https://app.example.org" });
    expect((await anyone.call("POST", "/auth/challenge", signed)).status).toBe(200);
    const near = await anyone.signMessage({ domain: "app.example.org:444", uri: "https://app.example.org:444" });
    expect((await anyone.call("POST", "/auth/challenge", near)).status).toBe(401);
    for (const domains of [["https://app.test"], ["app.test/path"], ["a b"], ["app.example.org"]]) {
      expect((await anyone.sandbox("POST", "/partners", { name: "Bad", domains })).status).toBe(422);
    }
    expect((await anyone.sandbox("POST", "/coupons", { code: "HALF", percent: 50 })).body).toEqual({ code: "HALF" });
    for (const body of [
      { code: "half", percent: 10 },
      { code: "X" },
      { code: "Y", percent: 5, amount: "1" },
      { code: "Z", percent: 101 },
    ]) {
      expect((await anyone.sandbox("POST", "/coupons", body)).status).toBe(422);
    }
  });

  test("answers the identity provider's API only to signed requests", async () => {
    const response = await fetch(`${service.sandboxUrl}/resources/applicants/-;externalUserId=x/one`, {
      headers: { "X-App-Token": "sandbox-app-token" },
    });
    expect(response.status).toBe(401);
  });

  test("has a console with a form for every route", async () => {
    const html = await (await fetch(service.sandboxUrl)).text();
    for (const path of ["/mailbox", "/kyc/{userId}/review", "/chain/advance", "/chain/faucet", "/partners", "/coupons"])
      expect(html).toContain(path);
    expect(html).not.toMatch(/(src|href)="https?:/);
  });

  test("does not exist in production, and leaves a chain of one's own alone", async () => {
    const { runtime } = service;
    expect(() => createSandbox({ ...runtime, settings: { ...runtime.settings, production: true } })).toThrow();
    const foreign = createSandbox({ ...runtime, settings: { ...runtime.settings, localChain: false } });
    const refused = await foreign.fetch(
      new Request("http://localhost/chain/advance", { method: "POST", body: '{"seconds":1}' }),
    );
    expect(refused.status).toBe(409);
  });
});
