import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { examples } from "@cardkeep/contract/openapi/examples";
import { listPathParameters, listRoutes } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { signIssuerEvent } from "@cardkeep/sandbox/issuer/events";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../support/cli.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

/** Texts that Postgres or UTF-8 cannot hold. */
const illFormed = ["a\0b", "a\ud800b"] as const;

let service: Service;
let ada: Person;
beforeAll(async () => {
  service = await startService({ worker: false, env: { OPERATOR_API_KEY: "operator-key-of-a-test-run" } });
  ada = await (await new Person(service).signIn()).signUp();
});
afterAll(() => service.stop());

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** One copy of a value for each of its texts, with that text replaced. */
function replaceEachText(value: Json, text: string): Json[] {
  if (typeof value === "string") return [text];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item, at) => replaceEachText(item, text).map((changed) => value.with(at, changed)));
  return Object.entries(value).flatMap(([name, item]) =>
    replaceEachText(item, text).map((changed) => ({ ...value, [name]: changed })),
  );
}

const routesWithBody = listRoutes(routes).flatMap(({ name, route }) => {
  const input = examples[name]?.input as Json | undefined;
  return route.method === "GET" || input === undefined ? [] : [{ name, route, input }];
});

describe("a null character or an unpaired surrogate is refused", () => {
  test("in every text of every route's body, and over tRPC in the same place", async () => {
    expect(routesWithBody.length).toBeGreaterThan(20);
    const accepted: string[] = [];
    for (const { name, route, input } of routesWithBody) {
      const path = route.path.replaceAll(/\{(\w+)\}/g, "x");
      const parameters = Object.fromEntries(listPathParameters(route.path).map((parameter) => [parameter, "x"]));
      const sendTrpc = (body: Json) =>
        fetch(`${service.url}/trpc/${name}`, {
          method: "POST",
          headers: { Authorization: `Bearer ${ada.token}` },
          body: JSON.stringify(Array.isArray(body) ? body : { ...(body as object), ...parameters }),
        });
      // One function refuses both, so each place has one of them on REST and the other over tRPC.
      for (const [turn, text] of illFormed.entries()) {
        for (const [place, body] of replaceEachText(input, text).entries()) {
          const isRest = (turn + place) % 2 === 0;
          const { status } = await (isRest ? ada.call(route.method, path, body) : sendTrpc(body));
          if (status < 400 || status >= 500) accepted.push(`${name} ${JSON.stringify(body)}: ${status}`);
        }
      }
    }
    expect(accepted).toEqual([]);
  });

  test("in a name that a stranger chooses; the error names the field and nothing is stored", async () => {
    for (const text of illFormed) {
      const eve = await new Person(service).signIn();
      const { status, body } = await eve.call("POST", "/auth/signup", {
        authEmail: "eve@example.org",
        marketingCampaign: text,
      });
      expect([status, Object.values(body)]).toEqual([expect.any(Number), ["marketingCampaign is invalid"]]);
      expect(status).toBeLessThan(500);
    }
    const users = await runCli(service.env, "users", "list", "--json");
    expect(users.out).not.toContain("eve@example.org");
  });

  test("in the issuer's request: the card declines, in the issuer's own form", async () => {
    const ask = async (object: object) => {
      const { path, headers, body } = await signIssuerEvent(service.runtime, {
        type: "issuing_authorization.request",
        object,
      });
      const answer = await fetch(service.url + path, { method: "POST", headers, body });
      expect(answer.headers.get("stripe-version")).not.toBeNull();
      return [answer.status, await answer.json()];
    };
    const request = (name: string) => ({
      id: "iauth_1",
      object: "issuing.authorization",
      amount: 0,
      approved: false,
      status: "pending",
      card: "ic_1",
      currency: "eur",
      merchant_amount: 0,
      merchant_currency: "eur",
      merchant_data: { name },
      pending_request: { amount: 100, currency: "eur", merchant_amount: 100, merchant_currency: "eur" },
    });
    const unreadable = [200, { approved: false, metadata: { reason: "unreadable_request" } }];
    for (const name of illFormed) expect(await ask(request(name))).toEqual(unreadable);
    for (const object of [{}, { ...request("Shop"), pending_request: null }, { ...request("Shop"), card: 7 }])
      expect(await ask(object)).toEqual(unreadable);
    expect(await ask(request("Shop"))).toEqual([200, { approved: false, metadata: { reason: "card_unknown" } }]);
    const thread = { ...request("Shop"), id: "iauth_\0" };
    const { path, headers, body } = await signIssuerEvent(service.runtime, {
      type: "issuing_authorization.updated",
      object: thread,
    });
    expect((await fetch(service.url + path, { method: "POST", headers, body })).status).toBe(200);
  });

  test("in the issuer's events about cards, people and disputes it is replaced instead, so that no event comes for ever", async () => {
    const send = async (type: string, object: object) => {
      const { path, headers, body } = await signIssuerEvent(service.runtime, { type, object });
      return (await fetch(service.url + path, { method: "POST", headers, body })).status;
    };
    for (const text of illFormed) {
      const card = { id: "ic_elsewhere", status: "active", cancellation_reason: text, metadata: { reference: text } };
      expect(await send("issuing_card.updated", card)).toBe(200);
      const dispute = { id: "idp_elsewhere", object: "issuing.dispute", metadata: { dispute_id: text } };
      for (const type of ["created", "updated", "closed"])
        expect(await send(`issuing_dispute.${type}`, dispute)).toBe(200);
      const cardholder = {
        id: "ich_elsewhere",
        status: text,
        requirements: { disabled_reason: text, past_due: [text] },
      };
      expect(await send("issuing_cardholder.updated", cardholder)).toBe(200);
    }
  });

  test("in all inputs of the sandbox: JSON, forms, addresses and the partners' own APIs", async () => {
    const send = async (path: string, body: string, type: string) => {
      const headers = { "Content-Type": type, Authorization: `Bearer ${service.runtime.settings.issuer.apiKey}` };
      const { status } = await fetch(service.sandboxUrl + path, { method: "POST", headers, body });
      return status;
    };
    const form = "application/x-www-form-urlencoded";
    for (const text of illFormed) {
      const mail = JSON.stringify({ to: "ada@example.org", subject: text, text, code: null });
      const incoming = JSON.stringify({ iban: "DE89370400440532013000", amount: "1", memo: text });
      const review = JSON.stringify({ outcome: "approved", applicant: { firstName: text } });
      expect(await send("/mailbox", mail, "application/json")).toBe(422);
      expect(await send("/emoney/incoming", incoming, "application/json")).toBe(422);
      expect(await send(`/kyc/${ada.userId}/review`, review, "application/json")).toBe(422);
    }
    expect(await send("/v1/issuing/cardholders", "name=a%00b", form)).toBe(400);
    expect(await send(`/kyc/flow/${ada.userId}`, "outcome=%00", form)).toBe(422);
    expect(await send("/inbox/a", "\0", "application/json")).toBe(422);
    expect(await send("/inbox/%00", "{}", "application/json")).toBe(422);
  });

  test("in the operator's pages, which find nothing and never fail", async () => {
    const signIn = await fetch(`${service.url}/operator/sign-in`, {
      method: "POST",
      headers: { Origin: service.url },
      body: new URLSearchParams({ key: "operator-key-of-a-test-run", next: "/operator\0" }),
      redirect: "manual",
    });
    expect([signIn.status, signIn.headers.get("location")]).toEqual([303, "/operator"]);
    const [cookie = ""] = (signIn.headers.get("set-cookie") ?? "").split(";");
    const visit = (path: string, body?: URLSearchParams) =>
      fetch(service.url + path, {
        headers: { Cookie: cookie, Origin: service.url },
        redirect: "manual",
        ...(body && { method: "POST", body }),
      });
    for (const path of [
      "/operator/users/%00",
      "/operator/jobs/%00",
      "/operator/deliveries/%00",
      "/operator/delays/%00",
    ])
      expect((await visit(path)).status).toBe(404);
    expect((await visit("/operator/users?status=%00&after=%00")).status).toBeLessThan(500);
    const found = await visit("/operator/users/find", new URLSearchParams({ text: "a\0b" }));
    expect(found.status).toBeLessThan(500);
  });

  test("by the operator's commands, in words and in files", async () => {
    for (const text of illFormed) {
      const created = await runCli(service.env, "partners", "create", "--name", text, "--domain", "shop.example");
      expect([created.code, created.err]).toEqual([
        2,
        expect.stringContaining("a null character or an unpaired surrogate"),
      ]);
      const file = join(tmpdir(), `questions-${process.pid}.json`);
      await Bun.write(file, JSON.stringify([{ question: text, answers: [{ text: "a", risk: "green" }] }]));
      const set = await runCli(service.env, "questions", "set", file);
      expect([set.code, set.err]).toEqual([2, expect.stringContaining("a null character or an unpaired surrogate")]);
      await rm(file);
    }
  });
});
