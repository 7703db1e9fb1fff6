import { beforeAll, describe, expect, test } from "bun:test";
import { findEmoneyRecord, putEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { events } from "@cardkeep/db/schema/tables";
import { createSandbox } from "@cardkeep/sandbox/app";
import { notify } from "@cardkeep/sandbox/emoney/notify";
import { and, eq, like } from "drizzle-orm";
import { isValidIBAN } from "ibantools";
import { randomUUID } from "node:crypto";
import { hashMessage } from "viem";
import { ContractPerson } from "../support/contractWallet.ts";
import { filled } from "../support/filled.ts";
import { becomeIbanHolder, declaration, ibanStatusOf, signDeclaration } from "../support/ibans.ts";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { openNode } from "../support/node.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";
import { publishEvents, readInbox, registerPartner, subscribe, untilDelivered } from "../support/webhooks.ts";

let service: RunningService;
let holder: Person;
let safe: string;
let iban: string;
beforeAll(async () => {
  service = await shareService();
  holder = new Person(service);
  safe = await holder.becomeAccountHolder();
});

const shortOf = ({ status, body }: Answer) => ({ status, body });
const unauthorized = { status: 401, body: { message: "Unauthorized" } };
const eventsOf = async ({ userId }: Person) =>
  service.runtime.db
    .select()
    .from(events)
    .where(and(eq(events.userId, userId ?? ""), like(events.eventType, "iban.%")))
    .orderBy(events.sequence);

describe("an IBAN", () => {
  test("needs a token on every endpoint", async () => {
    const visitor = new Person(service);
    for (const path of ["/ibans/available", "/ibans/signing-message", "/ibans/details", "/ibans/orders"]) {
      expect(shortOf(await visitor.call("GET", path))).toEqual(unauthorized);
    }
    expect(shortOf(await visitor.call("GET", "/ibans/oauth/redirect_url"))).toEqual(unauthorized);
    expect(shortOf(await visitor.call("POST", "/ibans/emoney-profile", {}))).toEqual(unauthorized);
    expect(shortOf(await visitor.call("POST", "/integrations/emoney", {}))).toEqual(unauthorized);
    expect(shortOf(await visitor.call("DELETE", "/ibans/reset"))).toEqual(unauthorized);
  });

  test("is shown as not requested at first", async () => {
    const data = { ibanStatus: "NOTSTARTED" };
    expect(shortOf(await holder.call("GET", "/ibans/details"))).toEqual({ status: 200, body: { data } });
    expect(shortOf(await holder.call("GET", "/ibans/orders"))).toEqual({ status: 200, body: { data: [] } });
    const signing = await holder.call("GET", "/ibans/signing-message");
    expect(shortOf(signing)).toEqual({ status: 200, body: { data: { message: declaration } } });
    const { body } = await holder.call("GET", "/user");
    expect(body).toMatchObject({ bankingDetails: null, availableFeatures: { emoneyIban: true } });
    expect((await holder.call("GET", "/ibans/details")).headers.get("deprecation")).not.toBeNull();
  });

  test("needs a Safe and an owner's signature of exactly this message", async () => {
    const approved = await new Person(service).becomeApproved();
    const error = "Couldn't find associated Safe for the user";
    const signature = await signDeclaration(approved);
    for (const path of ["/ibans/emoney-profile", "/integrations/emoney"]) {
      expect(shortOf(await approved.call("POST", path, { signature }))).toEqual({ status: 404, body: { error } });
    }
    const wrong = [signature, await holder.account.signMessage({ message: `${declaration} ` }), `0x${"11".repeat(65)}`];
    for (const each of wrong) {
      for (const path of ["/ibans/emoney-profile", "/integrations/emoney"]) {
        const answer = await holder.call("POST", path, { signature: each });
        expect(shortOf(answer)).toEqual({ status: 422, body: { error: "Invalid signature" } });
      }
    }
    for (const each of ["no hex", "0x", 7]) {
      const answer = await holder.call("POST", "/ibans/emoney-profile", { signature: each });
      expect(shortOf(answer)).toEqual({ status: 422, body: { error: "signature is invalid" } });
    }
    const bare = await holder.call("POST", "/ibans/emoney-profile", {});
    expect(shortOf(bare)).toEqual({ status: 422, body: { error: "signature is missing" } });
    const description = "The signature of an owner is needed once";
    const data = { success: false, status: 400, description };
    expect(shortOf(await holder.call("POST", "/integrations/emoney", {}))).toEqual({ status: 400, body: { data } });
    expect(await ibanStatusOf(holder)).toBe("NOTSTARTED");
  });

  test("redirects only to addresses of registered apps", async () => {
    const signature = await signDeclaration(holder);
    const error = "callbackUrl is not an address of a registered app";
    const refused = [
      "//evil.example",
      "https://evil.example/",
      "https://localhost@evil.example",
      "https://localhost:5173@evil.example/",
      "http://user:pw@localhost:5173/",
      "http://localhost:5173\\@evil.example",
      "http:\\\\evil.example",
      "http://localhost\\evil.example",
      "http://localhost%2eevil.example/",
      "http://localhost%00.evil.example/",
      "http://localhost.evil.example/",
      "http://localhost:5173\r\nSet-Cookie: a=b",
      "http://lоcalhost/",
      "javascript:alert(1)",
      "data:text/html,x",
      "/relative",
      "http:/localhost:5173/",
      "http:localhost:5173",
      "http://localhost:99999/",
      " http://localhost:5173/",
      "ftp://localhost/",
    ];
    for (const callbackUrl of filled(refused)) {
      const body = { signature, callbackUrl };
      const asked = await holder.call("POST", "/ibans/emoney-profile", body);
      expect([callbackUrl, shortOf(asked)]).toEqual([callbackUrl, { status: 400, body: { error } }]);
      const url = await holder.call("GET", `/ibans/oauth/redirect_url?${new URLSearchParams({ callbackUrl })}`);
      expect([callbackUrl, shortOf(url)]).toEqual([callbackUrl, { status: 400, body: { error } }]);
    }
    for (const callbackUrl of ["http://localhost:5173/iban?from=app#here", "http://LOCALHOST/", "https://localhost"]) {
      const { status } = await holder.call("GET", `/ibans/oauth/redirect_url?${new URLSearchParams({ callbackUrl })}`);
      expect([callbackUrl, status]).toEqual([callbackUrl, 200]);
    }
  });

  test("arrives once after parallel requests, and events and the user show it", async () => {
    const signature = await signDeclaration(holder);
    const asked = await Promise.all(
      Array.from({ length: 6 }, () => holder.call("POST", "/ibans/emoney-profile", { signature })),
    );
    for (const answer of filled(asked))
      expect(shortOf(answer)).toEqual({ status: 200, body: { data: { success: true } } });
    await until(async () => (await ibanStatusOf(holder)) === "ASSIGNED");
    const { data } = (await holder.call("GET", "/ibans/details")).body;
    iban = data.iban;
    expect(isValidIBAN(iban)).toBe(true);
    expect(data).toEqual({ iban, bic: "MARKDEF1100", ibanStatus: "ASSIGNED", address: safe });
    const { body } = await holder.call("GET", "/user");
    expect(body.bankingDetails).toEqual({
      id: expect.any(String),
      address: safe,
      emoneyIban: iban,
      emoneyBic: "MARKDEF1100",
      emoneyIbanStatus: "ASSIGNED",
      userId: holder.userId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const { userId } = holder;
    expect((await eventsOf(holder)).map(({ eventType, data: reported }) => [eventType, reported])).toEqual([
      ["iban.status.changed", { userId, previousStatus: "NOTSTARTED", currentStatus: "PENDING" }],
      ["iban.status.changed", { userId, previousStatus: "PENDING", currentStatus: "ASSIGNED" }],
      ["iban.created", { userId, iban, bic: "MARKDEF1100" }],
    ]);
    const again = await holder.call("POST", "/ibans/emoney-profile", { signature });
    expect(shortOf(again)).toEqual({ status: 200, body: { data: { success: true } } });
    const integrated = await holder.call("POST", "/integrations/emoney", {});
    expect(integrated).toMatchObject({
      status: 200,
      body: { data: { success: true, status: 200, iban, bic: "MARKDEF1100", emoneyProfileId: expect.any(String) } },
    });
  }, 30_000);

  test("brings money to the Safe on chain and to the list of orders", async () => {
    const counterpart = { name: "Charles Babbage", iban: "GB29 NWBK 6016 1331 9268 19" };
    const sent = await holder.sandbox("POST", "/emoney/incoming", {
      iban,
      amount: "25.50",
      counterpart,
      memo: "Engine",
    });
    expect(sent).toMatchObject({ status: 200, body: { transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) } });
    const [order] = (await holder.call("GET", "/ibans/orders")).body.data;
    expect(order).toEqual({
      id: sent.body.orderId,
      kind: "issue",
      currency: "eur",
      amount: "25.50",
      address: safe,
      counterpart: {
        details: { name: "Charles Babbage" },
        identifier: { standard: "iban", iban: "GB29NWBK60161331926819" },
      },
      state: "processed",
      memo: "Engine",
      meta: {
        placedAt: expect.any(String),
        processedAt: expect.any(String),
        txHashes: [sent.body.transactionHash],
      },
    });
    await until(async () => (await eventsOf(holder)).at(-1)?.eventType === "iban.order.received");
    const [{ data: received } = { data: null }] = (await eventsOf(holder)).slice(-1);
    expect(received).toEqual({
      userId: holder.userId,
      orderId: sent.body.orderId,
      safeAddress: safe,
      currency: "eur",
      amount: "25.50",
      hash: sent.body.transactionHash,
    });
    expect((await holder.call("GET", "/account-balances")).body.total).toBe("25500000000000000000");
    for (const amount of ["-1", "0", "1e3", "0.001", ""]) {
      expect((await holder.sandbox("POST", "/emoney/incoming", { iban, amount })).status).toBe(422);
    }
    const nowhere = await holder.sandbox("POST", "/emoney/incoming", { iban: "DE89370400440532013000", amount: "1" });
    expect(nowhere.status).toBe(404);
  });

  test("tells of money received to partners that asked for all kinds alone, and leaves no gap for the others", async () => {
    const [some, all] = ["iban-some", "iban-all"];
    await registerPartner(holder, some);
    await registerPartner(holder, all, { hasAllEvents: true });
    await subscribe(holder, some);
    await subscribe(holder, all);
    await holder.sandbox("POST", "/emoney/incoming", { iban, amount: "3", memo: "Rent" });
    const typesAt = async (name: string) =>
      (await readInbox(holder, name)).map(({ body }) => JSON.parse(body).eventType as string);
    await until(async () => (await typesAt(all)).includes("iban.order.received"));
    await untilDelivered(service.runtime);
    expect(await typesAt(some)).not.toContain("iban.order.received");
    // A later event of the person follows directly.
    await publishEvents(service.runtime, holder.userId, 1);
    await untilDelivered(service.runtime);
    const sequences = (await readInbox(holder, some)).map(({ headers }) => Number(headers["webhook-sequence"]));
    expect(sequences.toSorted((a, b) => a - b)).toEqual(sequences.map((_, index) => index + 1));
  });

  test("is forgotten by reset, which keeps its orders and those that follow; it is assigned again as the same one", async () => {
    for (let times = 0; times < 2; times++) {
      const answer = await holder.call("DELETE", "/ibans/reset");
      expect(shortOf(answer)).toEqual({ status: 200, body: { data: { success: true } } });
    }
    const data = { ibanStatus: "NOTSTARTED" };
    expect((await holder.call("GET", "/ibans/details")).body).toEqual({ data });
    const memos = async () =>
      (await holder.call("GET", "/ibans/orders")).body.data.map(({ memo }: { memo: string }) => memo);
    expect(await memos()).toEqual(["Rent", "Engine"]);
    // The institution goes on receiving by the IBAN.
    const late = { iban, amount: "2.50", counterpart: { name: "Charles Babbage", iban: "GB29NWBK60161331926819" } };
    expect((await holder.sandbox("POST", "/emoney/incoming", { ...late, memo: "Late" })).status).toBe(200);
    expect(await memos()).toEqual(["Late", "Rent", "Engine"]);
    expect((await holder.call("GET", "/user")).body.bankingDetails).toBeNull();
    const changed = (await eventsOf(holder)).findLast(({ eventType }) => eventType === "iban.status.changed");
    expect(changed?.data).toMatchObject({ currentStatus: "NOTSTARTED" });
    expect(await becomeIbanHolder(holder)).toBe(iban);
  }, 30_000);

  test("accepts owners with contract wallets (ERC-1271), and no other signer for them", async () => {
    const ada = new ContractPerson(service);
    await openNode(service.rpcUrl).send(ada.wallet.creation);
    ada.isDeployed = true;
    await ada.becomeAccountHolder();
    const hash = hashMessage(declaration);
    const foreign = await ada.wallet.sign(hash, { by: holder.account });
    const refused = await ada.call("POST", "/ibans/emoney-profile", { signature: foreign });
    expect(shortOf(refused)).toEqual({ status: 422, body: { error: "Invalid signature" } });
    const asked = await ada.call("POST", "/ibans/emoney-profile", { signature: await ada.wallet.sign(hash) });
    expect(shortOf(asked)).toEqual({ status: 200, body: { data: { success: true } } });
    await until(async () => (await ibanStatusOf(ada)) === "ASSIGNED");
    expect((await ada.call("GET", "/ibans/available")).body).toEqual({ data: { available: false } });
    expect((await ada.call("GET", "/user")).body.availableFeatures).toEqual({ emoneyIban: false });

    const { iban } = (await ada.call("GET", "/ibans/details")).body.data;
    const make = (order: object) => ada.sandbox("POST", "/emoney/orders", { iban, amount: "25.50", ...order });
    for (const kind of ["issue", "redeem"]) {
      for (const state of ["placed", "pending", "processed", "rejected"]) {
        expect(await make({ kind, state })).toMatchObject({ status: 200, body: { kind, state } });
      }
    }
    const listed = (await ada.call("GET", "/ibans/orders")).body.data;
    const reported = listed.map(({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`);
    expect(new Set(reported).size).toBe(8);
    const { orderId } = (await make({ kind: "redeem" })).body;
    for (const state of ["pending", "processed"]) {
      expect((await ada.sandbox("POST", `/emoney/orders/${orderId}`, { state })).body).toMatchObject({ state });
      const [newest] = (await ada.call("GET", "/ibans/orders")).body.data;
      expect(newest).toMatchObject({ id: orderId, kind: "redeem", state, amount: "25.50" });
    }
    expect((await ada.sandbox("POST", `/emoney/orders/${orderId}`, { state: "rejected" })).status).toBe(422);
    expect((await ada.sandbox("POST", "/emoney/orders/none", { state: "rejected" })).status).toBe(404);
  }, 60_000);

  test("needs every requirement of the institution", async () => {
    const holder = new Person(service);
    await holder.becomeAccountHolder();
    const is = async (person: Person) => {
      const { body } = await person.call("GET", "/ibans/available");
      expect((await person.call("GET", "/user")).body.availableFeatures.emoneyIban).toBe(body.data.available);
      return body.data.available as boolean;
    };
    expect(await is(holder)).toBe(true);
    const without = async (applicant: Record<string, string | null>) => {
      const review = { outcome: "approved", applicant };
      expect((await holder.sandbox("POST", `/kyc/${holder.userId}/review`, review)).status).toBe(200);
      return is(holder);
    };
    const whole = {
      firstName: "Ada",
      lastName: "Lovelace",
      birthDate: "1990-12-10",
      country: "DE",
      nationality: "DE",
      address1: "Unter den Linden 1",
      city: "Berlin",
      postalCode: "10117",
    };
    for (const name of Object.keys(whole))
      expect([name, await without({ ...whole, [name]: null })]).toEqual([name, false]);
    expect(await without({ ...whole, country: "US" })).toBe(false);
    expect(await without({ ...whole, nationality: "KP" })).toBe(false);
    const unfit = await holder.call("POST", "/ibans/emoney-profile", { signature: await signDeclaration(holder) });
    expect(shortOf(unfit)).toEqual({ status: 422, body: { error: "An IBAN is not available to this user" } });
    expect(await without(whole)).toBe(true);
    await holder.sandbox("POST", `/kyc/${holder.userId}/review`, { outcome: "requiresAction" });
    expect(await is(holder)).toBe(false);
    await holder.sandbox("POST", `/kyc/${holder.userId}/review`, { outcome: "approved" });
    expect(await is(holder)).toBe(true);
    expect(await is(await (await new Person(service).signIn()).signUp())).toBe(false);
    const briton = new Person(service);
    await briton.becomeAccountHolder({ country: "GB" });
    expect(await is(briton)).toBe(false);
  }, 30_000);
});

describe("the sandbox's institution, called by its own package", () => {
  const base = () => service.runtime.settings.emoney.url;
  const accept = "application/vnd.monerium.api-v2+json";
  const grant = async (fields: Record<string, string>) => {
    const { clientId: client_id } = service.runtime.settings.emoney;
    const answer = await fetch(`${base()}/auth/token`, {
      method: "POST",
      headers: { Accept: accept },
      body: new URLSearchParams({ client_id, ...fields }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const get = async (path: string, token: string) => {
    const answer = await fetch(base() + path, { headers: { Accept: accept, Authorization: `Bearer ${token}` } });
    return { status: answer.status, body: await answer.json() };
  };

  test("an app lists its own records, by filters and one by one; a refresh token is valid once", async () => {
    const person = new Person(service);
    const address = await person.becomeAccountHolder({ firstName: "Grace", lastName: "Hopper", country: "FR" });
    const french = await becomeIbanHolder(person);
    expect([french.slice(0, 2), isValidIBAN(french)]).toEqual(["FR", true]);
    const { emoney } = service.runtime.settings;
    const first = await grant({ grant_type: "client_credentials", client_secret: emoney.clientSecret });
    const refresh = () => grant({ grant_type: "refresh_token", refresh_token: first.body.refresh_token });
    const [renewed, again] = [await refresh(), await refresh()];
    expect([renewed.status, again.status]).toEqual([200, 400]);
    const token: string = renewed.body.access_token;
    const { body: all } = await get("/ibans", token);
    const shown = all.ibans.find((each: { iban: string }) => each.iban === french);
    expect(shown).toMatchObject({ name: "Grace Hopper", address, chain: "gnosis" });
    expect((await get(`/ibans/${french}`, token)).body).toEqual(shown);
    const { profile } = shown;
    expect((await get(`/ibans?profile=${profile}&chain=gnosis`, token)).body.ibans).toEqual([shown]);
    expect((await get(`/ibans?chain=ethereum`, token)).body.ibans).toEqual([]);
    const profiles = (await get("/profiles?state=approved", token)).body.profiles;
    expect(profiles).toContainEqual({ id: profile, kind: "personal", name: "Grace Hopper", state: "approved" });
    expect((await get("/profiles?state=rejected", token)).body.profiles).toEqual([]);
    const link = { profile, address, chains: ["gnosis"] };
    expect((await get(`/addresses?profile=${profile}`, token)).body).toEqual({ addresses: [link] });
    expect((await get(`/addresses/${address.toLowerCase()}`, token)).body).toEqual(link);
    const { body: sent } = await person.sandbox("POST", "/emoney/incoming", {
      iban: french,
      amount: "2",
      memo: "Rent",
    });
    const { orders } = (await get(`/orders?profile=${profile}&memo=Rent&txHash=${sent.transactionHash}`, token)).body;
    expect(orders).toMatchObject([{ id: sent.orderId, kind: "issue", amount: "2", state: "processed" }]);
    expect((await get(`/orders/${sent.orderId}`, token)).body).toEqual(orders[0]);
    expect((await get("/orders/none", token)).status).toBe(404);
    expect((await get("/ibans?profile=none", token)).status).toBe(403);
    expect((await get("/ibans", "none")).status).toBe(401);
  });

  const ourToken = async (): Promise<string> => {
    const { clientSecret: client_secret } = service.runtime.settings.emoney;
    return (await grant({ grant_type: "client_credentials", client_secret })).body.access_token;
  };
  const post = async (path: string, body: object) =>
    fetch(base() + path, {
      method: "POST",
      headers: { Accept: accept, Authorization: `Bearer ${await ourToken()}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  test("a request without the version, or with another, is refused", async () => {
    const Authorization = `Bearer ${await ourToken()}`;
    for (const Accept of ["*/*", "application/json", accept.replace("v2", "v1")])
      expect((await fetch(`${base()}/profiles`, { headers: { Authorization, Accept } })).status).toBe(406);
  });

  test("a share token serves once, and within its time", async () => {
    const { kyc, policy } = service.runtime.services;
    const makeToken = async () => {
      const { userId } = await new Person(service).becomeApproved();
      const { applicantId = "" } = (await kyc.findApplicant(userId ?? "")) ?? {};
      const wish = { applicantId, forClientId: policy.emoney.shareClientId, ttlSeconds: 60 };
      return (await kyc.createShareToken(wish)).token;
    };
    const share = async (token: string) => {
      const id = randomUUID();
      expect((await post("/profiles", { id, kind: "personal" })).status).toBe(201);
      return (await post(`/profiles/${id}/share`, { provider: "sumsub", personal: { token } })).status;
    };
    const [used, old] = [await makeToken(), await makeToken()];
    expect([await share(used), await share(used)]).toEqual([202, 400]);
    const { store } = service.runtime;
    const known = await findEmoneyRecord(store, "shareToken", old);
    const data = { ...(known?.data as object), until: Date.now() - 1 };
    await putEmoneyRecord(store, { kind: "shareToken", id: old, data });
    expect(await share(old)).toBe(400);
  });

  test("a subscription whose receiver refuses the handshake is not made", async () => {
    const secret = `whsec_${Buffer.alloc(32).toString("base64")}`;
    const listed = async () => (await get("/webhooks", await ourToken())).body.subscriptions;
    const before = await listed();
    const refused = await post("/webhooks", { url: `${service.url}/callbacks/none`, secret, types: ["iban.updated"] });
    const message = "The service answered the callback with 404";
    expect(refused.status).toBe(422);
    expect(await refused.json()).toEqual({ code: 422, status: "Unprocessable Entity", message });
    expect(await listed()).toEqual(before);
  });

  test("takes a subscription of known types, with a secret of 24 to 64 bytes, and makes one without types of two", async () => {
    const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 9).toString("base64")}`;
    const url = `${service.url}/callbacks/none`;
    const faultOf = async (answered: Response) => [answered.status, Object.keys((await answered.json()).errors ?? {})];
    const subscribe = (change: object) =>
      post("/webhooks", { url, secret: secretOf(32), types: ["iban.updated"], ...change });
    expect(await faultOf(await subscribe({ types: ["iban.updated", "iban.made"] }))).toEqual([400, ["types.1"]]);
    for (const bytes of [0, 23, 65])
      expect(await faultOf(await subscribe({ secret: secretOf(bytes) }))).toEqual([400, ["secret"]]);
    // The service refuses a handshake by another secret than its own.
    const receiver = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(null) });
    const settings = { ...service.runtime.settings, port: receiver.port ?? 0 };
    const sandbox = createSandbox({ ...service.runtime, settings });
    const send = async (method: string, path: string, body: object) => {
      const headers = { Accept: accept, Authorization: `Bearer ${await ourToken()}` };
      const answered = await sandbox.fetch(new Request(base() + path, { method, headers, body: JSON.stringify(body) }));
      return { status: answered.status, body: await answered.json() };
    };
    for (const bytes of [24, 64]) {
      const made = await send("POST", "/webhooks", { url, secret: secretOf(bytes) });
      expect(made).toEqual({
        status: 201,
        body: { id: expect.any(String), url, types: ["iban.updated", "profile.updated"], state: "active" },
      });
      const change = (state: string) => send("PATCH", `/webhooks/${made.body.id}`, { state });
      expect(await change("paused")).toMatchObject({ status: 400, body: { errors: { state: expect.any(String) } } });
      expect(await change("inactive")).toMatchObject({ status: 200, body: { state: "inactive" } });
    }
    await receiver.stop(true);
  });

  test("links no address without the sentence that was signed, and makes the id of a profile that has none", async () => {
    const made = await post("/profiles", { kind: "personal" });
    const { id } = await made.json();
    expect([made.status, (await get(`/profiles/${id}`, await ourToken())).body.id]).toEqual([201, id]);
    const bare = await post("/addresses", { profile: id, address: safe, chain: "gnosis", signature: "0x11" });
    expect([bare.status, (await bare.json()).errors]).toEqual([400, { message: expect.any(String) }]);
  });

  test("a callback that is refused comes again under its id, signed anew", async () => {
    const seen: (string | null)[] = [];
    const receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ headers }) => {
        seen.push(headers.get("webhook-id"));
        return new Response(null, { status: seen.length < 3 ? 409 : 200 });
      },
    });
    const settings = { ...service.runtime.settings, port: receiver.port ?? 0 };
    const sent = notify({ ...service.runtime, settings }, "iban.updated", { iban: "none" });
    expect(String(await sent.catch((error: unknown) => error))).toContain("409");
    await until(() => Promise.resolve(seen.length === 3));
    expect(new Set(seen).size).toBe(1);
    await receiver.stop(true);
  });

  test("a person who agreed sees only their own records", async () => {
    const email = "own@example.org";
    const { body: made } = await holder.sandbox("POST", "/emoney/profiles", {
      email,
      name: "Edith Clarke",
      country: "NL",
    });
    const { emoney, policy } = service.runtime.services;
    const [verifier, redirectUri] = ["v".repeat(43), policy.emoney.consentReturnUrl];
    const page = emoney.buildConsentUrl({ redirectUri, state: "s", verifier, email });
    const form = new URLSearchParams({ email, decision: "allow" });
    const agreed = await fetch(page, { method: "POST", body: form, redirect: "manual" });
    const code = new URL(agreed.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const fields = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: redirectUri };
    const { body: granted } = await grant(fields);
    const renewed = await grant({ grant_type: "refresh_token", refresh_token: granted.refresh_token });
    const token: string = renewed.body.access_token;
    const own = { id: made.profileId, kind: "personal", name: "Edith Clarke", state: "approved" };
    expect((await get("/profiles", token)).body).toEqual({ profiles: [own] });
    expect((await get("/ibans", token)).body).toEqual({ ibans: [] });
    expect((await get("/orders", token)).body).toEqual({ orders: [] });
    expect((await get("/addresses", token)).body).toEqual({ addresses: [] });
  });
});
