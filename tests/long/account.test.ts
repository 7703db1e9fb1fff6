import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addMissingJobs } from "@cardkeep/db/queue/missing";
import { events, relayTransactions, safes } from "@cardkeep/db/schema/tables";
import { createServer, type Server } from "@cardkeep/server/server";
import { startWorker, type Worker } from "@cardkeep/worker/worker";
import { eq, sql } from "drizzle-orm";
import type { Address, Hex } from "viem";
import { deployments } from "@cardkeep/chain/deployments";
import { ChainUnavailable } from "@cardkeep/chain/errors";
import { checkSafe } from "@cardkeep/domain/accounts/integrity/checkSafe";
import { deploySafe } from "@cardkeep/domain/accounts/safes/deploySafe";
import { settleIfDeployed } from "@cardkeep/domain/accounts/safes/settleDeployment";
import { buildApproval, tokens } from "@cardkeep/chain/tokens";
import { unpackSteps } from "@cardkeep/chain/packSteps";
import { decodeFunctionData, parseAbi } from "viem";
import { openHostileOwner, queueCall } from "../support/attacks.ts";
import { filled } from "../support/filled.ts";
import { openNode } from "../support/node.ts";
import { type Answer, Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";
import { createWorkerContext } from "../support/workerContext.ts";

let service: Service;
let node: ReturnType<typeof openNode>;
let worker: Worker | null = null;
beforeAll(async () => {
  service = await startService({ worker: false });
  node = openNode(service.rpcUrl);
  await resume();
});
afterAll(async () => {
  await worker?.stop();
  await service.stop();
});

async function resume(): Promise<void> {
  worker ??= await startWorker(service.runtime);
}
async function pause(): Promise<void> {
  await worker?.stop();
  worker = null;
}

const shortOf = ({ status, body }: Answer) => ({ status, body });
const refusal = (status: number, error: string) => ({ status, body: { error } });
const create = (person: Person) => person.call("POST", "/account", { chainId: "100" });
const setUp = (person: Person, signature: string) =>
  person.call("PATCH", "/account/deploy-safe-modules", { signature });
const listSafes = (person: Person) =>
  service.runtime.db
    .select()
    .from(safes)
    .where(eq(safes.userId, person.userId ?? ""));
const getSafe = async (person: Person) => {
  const [safe] = await listSafes(person);
  if (!safe) throw new Error("no Safe");
  return safe;
};
const listRelayed = (subjectId: string) =>
  service.runtime.db.select().from(relayTransactions).where(eq(relayTransactions.subjectId, subjectId));
const listEvents = async (person: Person) => {
  const rows = await service.runtime.db
    .select()
    .from(events)
    .where(eq(events.userId, person.userId ?? ""))
    .orderBy(events.sequence);
  return rows.filter(({ eventType }) => eventType.startsWith("safe."));
};
const approved = () => new Person(service).becomeApproved();

describe("POST /account", () => {
  test("creates a Safe that its user owns, without a currency, and shows it", async () => {
    const ada = await approved();
    const { status, body, headers } = await create(ada);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      userId: ada.userId,
      chainId: "100",
      salt: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      createdAt: expect.any(String),
      deployed: true,
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(headers.get("deprecation")).not.toBeNull();
    expect(headers.get("link")).toStartWith('</api/v1/safe/deploy>; rel="successor-version", ');
    const owners = await node.client.readContract({
      address: body.address,
      abi: parseAbi(["function getOwners() view returns (address[])"]),
      functionName: "getOwners",
    });
    expect(owners).toEqual([ada.account.address]);
    expect((await ada.call("GET", "/safe/config")).body).toEqual({
      hasNoApprovals: true,
      isDeployed: true,
      address: body.address,
      tokenSymbol: null,
      fiatSymbol: null,
      accountStatus: 2,
      accountAllowance: { balance: "0", refill: "0", period: "0", nextRefill: null },
    });
    expect((await ada.call("GET", "/safe/deploy")).body.status).toBe("not_deployed");
    expect((await ada.call("GET", "/user")).body.safeWallets).toMatchObject([
      { address: body.address, chainId: "100", tokenSymbol: null },
    ]);
    expect(await listEvents(ada)).toMatchObject([
      { eventType: "safe.created", data: { id: body.id, address: body.address, salt: body.salt, tokenSymbol: null } },
    ]);
  });

  test("twenty parallel requests, beside twenty of POST /safe/deploy, create one Safe of a way by one transaction", async () => {
    const bob = await approved();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? create(bob) : bob.call("POST", "/safe/deploy"))),
    );
    const made = answers.filter(({ body }) => "address" in body);
    expect(made).toHaveLength(20);
    expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(made[0]).toMatchObject({ status: 200, body: { deployed: true } });
    // The way of the first request is the way of all, except that one for the other way gives up a Safe that stands.
    const opened = await listSafes(bob);
    expect(new Set(opened.map(({ setUpBy }) => setUpBy)).size).toBe(opened.length);
    const safe = opened.find(({ address }) => address === made[0]?.body.address);
    expect(await listRelayed(safe?.id ?? "")).toHaveLength(1);
  });

  test("under way, has POST /safe/deploy wait for it, or try again: it does not exist yet", async () => {
    const kim = await approved();
    const deploy = () => kim.call("POST", "/safe/deploy", undefined, { "Idempotency-Key": "beside" });
    await pause();
    const older = create(kim);
    await until(async () => (await listSafes(kim)).length === 1);
    const early = await deploy();
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "5"]);
    expect((await kim.call("GET", "/safe/deploy")).body.status).toBe("processing");
    await older;
    await resume();
    expect((await deploy()).status).toBe(202);
    await until(async () => (await kim.call("GET", "/safe/deploy")).body.status === "ok");
    expect((await listSafes(kim)).map(({ status }) => status).toSorted()).toEqual(["ok", "reset"]);
  }, 60_000);

  test("later POST /safe/deploy abandons the empty Safe and deploys another", async () => {
    const dora = await approved();
    const { body: older } = await create(dora);
    expect((await dora.call("GET", "/safe/deploy")).body.status).toBe("not_deployed");
    await dora.sandbox("POST", "/chain/faucet", { address: older.address, token: "EURe", amount: "5" });
    const error =
      "Safe account already exists and holds money: set it up with PATCH /api/v1/account/deploy-safe-modules";
    expect(shortOf(await dora.call("POST", "/safe/deploy"))).toEqual({ status: 422, body: { error } });

    const eric = await approved();
    const { body: given } = await create(eric);
    const answers = await Promise.all([1, 2, 3].map(() => eric.call("POST", "/safe/deploy")));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    await until(async () => (await eric.call("GET", "/safe/deploy")).body.status === "ok");
    const config = (await eric.call("GET", "/safe/config")).body;
    expect(config.accountStatus).toBe(0);
    expect(config.address).not.toBe(given.address);
    expect((await listSafes(eric)).map(({ status }) => status).toSorted()).toEqual(["ok", "reset"]);
  });

  test("returns the Safe of POST /safe/deploy to a user who has one", async () => {
    const eve = new Person(service);
    const address = await eve.becomeAccountHolder();
    expect((await create(eve)).body).toMatchObject({ address, userId: eve.userId, deployed: true });
    expect(await listSafes(eve)).toHaveLength(1);
  });

  test("needs an approved user, and the chain as a string", async () => {
    const newcomer = await (await new Person(service).signIn()).signUp();
    expect(shortOf(await create(newcomer))).toEqual(refusal(422, "User needs to complete KYC successfully"));
    expect(shortOf(await newcomer.call("POST", "/account", {}))).toEqual(refusal(400, "chainId is missing"));
    for (const body of [{ chainId: 100 }, { chainId: "1" }, { chainId: null }]) {
      const answer = await newcomer.call("POST", "/account", body);
      expect(shortOf(answer)).toEqual(refusal(400, 'chainId must be "100"'));
    }
    expect(shortOf(await new Person(service).call("POST", "/account", {}))).toEqual(refusal(401, "Unauthorized"));
    expect(await listSafes(newcomer)).toEqual([]);
  });

  test("refuses a contract wallet, which could not sign for the Safe, and names the right endpoint", async () => {
    const wallet = await approved();
    await node.client.setCode({ address: wallet.account.address, bytecode: "0x00" });
    expect(shortOf(await create(wallet))).toEqual(
      refusal(400, "A contract wallet cannot own the Safe here: use POST /api/v1/safe/deploy"),
    );
    expect(await listSafes(wallet)).toEqual([]);
  });
});

describe("the set-up that the user signs", () => {
  test("is a Safe transaction without gas fields, the Safe's first", async () => {
    const ada = new Person(service);
    const safe = await ada.becomeSafeOwner();
    const { status, body } = await ada.call("GET", "/account/signature-payload");
    expect(status).toBe(200);
    expect(body).toMatchObject({ domain: { verifyingContract: safe, chainId: 100 }, primaryType: "SafeTx" });
    expect(body.types.SafeTx.map(({ name }: { name: string }) => name)).toEqual(Object.keys(body.message));
    expect(body.message).toEqual({
      to: deployments.multiSend,
      value: 0,
      data: expect.stringMatching(/^0x8d80ff0a/),
      operation: 1,
      safeTxGas: 0,
      baseGas: 0,
      gasPrice: 0,
      gasToken: "0x0000000000000000000000000000000000000000",
      refundReceiver: "0x0000000000000000000000000000000000000000",
      nonce: 0,
    });
  });

  test("puts the account into service, and repeats the answer for the same signature", async () => {
    const ada = new Person(service);
    const address = await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    const { status, body } = await setUp(ada, signature);
    expect({ status, body }).toEqual({
      status: 200,
      body: { deployed: true, transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
    const receipt = await node.client.getTransactionReceipt({ hash: body.transactionHash });
    expect(receipt.status).toBe("success");
    expect((await setUp(ada, signature)).body).toEqual(body);
    expect((await ada.call("GET", "/safe/deploy")).body.status).toBe("ok");
    expect((await ada.call("GET", "/safe/config")).body).toMatchObject({
      hasNoApprovals: false,
      isDeployed: true,
      address,
      tokenSymbol: "EURe",
      fiatSymbol: "EUR",
      accountStatus: 0,
      accountAllowance: { balance: (350n * 10n ** 18n).toString(), period: "86400" },
    });
    expect(
      (await listEvents(ada)).map(({ eventType, data }) => [
        eventType,
        (data as Record<string, unknown>)["tokenSymbol"],
      ]),
    ).toEqual([
      ["safe.created", null],
      ["safe.currency.updated", "EURe"],
      ["safe.modules.deployed", "EURe"],
    ]);
  });

  test("is the same over tRPC and REST", async () => {
    const bea = await approved();
    const { accounts, safes } = bea.trpc();
    const account = await accounts.create.mutate({ chainId: "100" });
    expect(account).toEqual((await create(bea)).body);
    expect(await safes.setCurrency.mutate()).toEqual({ tokenSymbol: "EURe" });
    const payload = await accounts.signaturePayload.query();
    expect(payload as unknown).toEqual((await bea.call("GET", "/account/signature-payload")).body);
    const done = await accounts.deployModules.mutate({ signature: await bea.signSetUp() });
    expect(done).toEqual({ deployed: true, transactionHash: expect.any(String) });
  });

  test("accepts signatures of wallets that end them in 0 or 1", async () => {
    const ledger = new Person(service);
    await ledger.becomeSafeOwner();
    const signature = await ledger.signSetUp();
    const low = signature.slice(0, -2) + (signature.endsWith("1b") ? "00" : "01");
    expect((await setUp(ledger, low)).body).toMatchObject({ deployed: true });
  });

  test("twenty parallel requests send it once; two of them wait, the others get 503", async () => {
    const ada = new Person(service);
    await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    const answers = await Promise.all(Array.from({ length: 20 }, () => setUp(ada, signature)));
    const waited = answers.filter(({ status }) => status === 200);
    expect(waited.length).toBeGreaterThanOrEqual(2);
    expect(new Set(waited.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(waited[0]).toMatchObject({ status: 200, body: { deployed: true } });
    expect(answers.filter(({ status }) => status === 503)).toHaveLength(20 - waited.length);
    const relayed = await listRelayed((await getSafe(ada)).id);
    expect(relayed.map(({ purpose }) => purpose).sort()).toEqual(["safe.create", "safe.setUp"]);
  });

  test("needs a Safe, a currency, and an owner's signature of exactly this payload", async () => {
    const noSafe = refusal(404, "Couldn't find associated Safe for the user");
    const noCurrency = refusal(400, "The Safe has no currency set");
    const invalid = refusal(400, "Invalid signature");
    const ada = await approved();
    const bob = new Person(service);
    await bob.becomeSafeOwner();
    const some = await bob.signSetUp();
    expect(shortOf(await ada.call("GET", "/account/signature-payload"))).toEqual(noSafe);
    expect(shortOf(await setUp(ada, some))).toEqual(noSafe);
    await create(ada);
    expect(shortOf(await ada.call("GET", "/account/signature-payload"))).toEqual(noCurrency);
    expect(shortOf(await setUp(ada, some))).toEqual(noCurrency);
    await ada.call("POST", "/safe/set-currency");
    for (const signature of [some, "0x12", `0x${"00".repeat(65)}`, `0x${"ff".repeat(64)}1b`]) {
      expect(shortOf(await setUp(ada, signature))).toEqual(invalid);
    }
    const cases: [unknown, string][] = [
      [{}, "signature is missing"],
      [{ signature: "0x" }, "signature is missing"],
      [{ signature: "12" }, "signature is invalid"],
      [{ signature: 12 }, "signature is invalid"],
    ];
    for (const [body, error] of cases) {
      expect(shortOf(await ada.call("PATCH", "/account/deploy-safe-modules", body))).toEqual(refusal(400, error));
    }
    const visitor = new Person(service);
    expect(shortOf(await setUp(visitor, some))).toEqual(refusal(401, "Unauthorized"));
    expect(shortOf(await visitor.call("GET", "/account/signature-payload"))).toEqual(refusal(401, "Unauthorized"));
    expect((await getSafe(ada)).status).toBe("created");
    expect((await setUp(ada, await ada.signSetUp())).status).toBe(200);
  });

  test("is refused once the approval was withdrawn, and answered again where it began before", async () => {
    const review = (outcome: string) => ada.sandbox("POST", `/kyc/${ada.userId}/review`, { outcome });
    const ada = new Person(service);
    await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    await review("rejected");
    const { status, body } = await setUp(ada, signature);
    expect({ status, body }).toMatchObject({ status: 422 });
    expect(JSON.stringify(body)).toContain("User needs to complete KYC successfully");
    const safe = await getSafe(ada);
    expect(safe).toMatchObject({ status: "created", setUpData: null });
    expect((await listRelayed(safe.id)).map(({ purpose }) => purpose)).toEqual(["safe.create"]);
    await review("approved");
    const done = await setUp(ada, signature);
    expect(done).toMatchObject({ status: 200, body: { deployed: true } });
    await review("rejected");
    expect((await setUp(ada, signature)).body).toEqual(done.body);
  });

  test("is refused for a set-up Safe", async () => {
    const done = refusal(400, "Safe modules are already deployed");
    const ada = new Person(service);
    await ada.becomeAccountHolder();
    expect(shortOf(await ada.call("GET", "/account/signature-payload"))).toEqual(done);
    expect(shortOf(await setUp(ada, "0x12"))).toEqual(done);
    const bob = new Person(service);
    await bob.becomeSafeOwner();
    await setUp(bob, await bob.signSetUp());
    expect(shortOf(await setUp(bob, "0x12"))).toEqual(done);
    expect(shortOf(await bob.call("GET", "/account/signature-payload"))).toEqual(done);
  });

  const used = refusal(400, "The Safe was used before its set-up and cannot be set up: reset it and begin again");

  test("is refused for a Safe with earlier transactions: no query shows the rights that it granted", async () => {
    const ada = new Person(service);
    const safe = await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    await node.execute(ada.account, safe, { to: ada.account.address, data: "0x" });
    expect(shortOf(await ada.call("GET", "/account/signature-payload"))).toEqual(used);
    expect(shortOf(await setUp(ada, signature))).toEqual(used);
    expect((await ada.call("DELETE", "/safe/reset")).status).toBe(200);
    const again = await create(ada);
    expect(again.body.address).not.toBe(safe);
  });

  const approve = (safe: Address, amount: bigint) =>
    node.sendAs(safe, buildApproval({ token: tokens.USDCe.address, spender: deployments.multicall, amount }));

  test("is refused for a Safe that approved another account without a transaction of its own, and not for an approval of nothing", async () => {
    const ada = new Person(service);
    const safe = await ada.becomeSafeOwner();
    await approve(safe, 0n);
    const signature = await ada.signSetUp();
    await approve(safe, 1n);
    await approve(safe, 0n);
    expect(shortOf(await ada.call("GET", "/account/signature-payload"))).toEqual(used);
    expect(shortOf(await setUp(ada, signature))).toEqual(used);
    expect((await getSafe(ada)).status).toBe("created");
  });

  test("ends without a service where the Safe approves another account before the signed set-up runs", async () => {
    const ada = new Person(service);
    const safe = await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    await pause();
    const answer = setUp(ada, signature);
    await until(async () => (await getSafe(ada)).status === "settingUp");
    await approve(safe, 1n);
    await resume();
    expect(shortOf(await answer)).toEqual(
      refusal(400, "The set-up failed on chain: get the payload and sign it again"),
    );
    expect(await getSafe(ada)).toMatchObject({
      status: "created",
      reason: "It let another account move its tokens before its set-up",
    });
    expect(shortOf(await ada.call("GET", "/account/signature-payload"))).toEqual(used);
    expect((await ada.call("DELETE", "/safe/reset")).status).toBe(200);
  });
});

describe("strangers and owners who act first", () => {
  /** The steps of a payload that deploy the account's parts, as a stranger could copy them. */
  async function listDeploySteps(person: Person) {
    const { body } = await person.call("GET", "/account/signature-payload");
    const abi = parseAbi(["function multiSend(bytes transactions)"]);
    const steps = unpackSteps(decodeFunctionData({ abi, data: body.message.data }).args[0]);
    const factories: string[] = [deployments.moduleProxyFactory, deployments.singletonFactory];
    return steps.filter(({ to }) => factories.includes(to));
  }

  test("with the modules: the next payload leaves them out, and a signature of the old one is invalid", async () => {
    const ada = new Person(service);
    await ada.becomeSafeOwner();
    const parts = await listDeploySteps(ada);
    expect(parts).toHaveLength(3);
    for (const [index, part] of filled(parts.entries())) {
      const stale = await ada.signSetUp();
      await node.send(part);
      expect(shortOf(await setUp(ada, stale))).toEqual(refusal(400, "Invalid signature"));
      expect(await listDeploySteps(ada)).toHaveLength(2 - index);
    }
    expect((await setUp(ada, await ada.signSetUp())).body).toMatchObject({ deployed: true });
    expect((await ada.call("GET", "/safe/config")).body.accountStatus).toBe(0);
  });

  test("with the very set-up that was signed: it counts", async () => {
    const ada = new Person(service);
    await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    await pause();
    const answer = setUp(ada, signature);
    await until(async () => (await getSafe(ada)).status === "settingUp");
    const { address, setUpData } = await getSafe(ada);
    expect((await ada.call("GET", "/safe/deploy")).body.status).toBe("processing");
    await node.send({ to: address, data: setUpData ?? "0x" });
    await resume();
    expect(shortOf(await answer)).toEqual({ status: 200, body: { deployed: true } });
    expect((await listRelayed((await getSafe(ada)).id)).map(({ purpose }) => purpose)).toEqual(["safe.create"]);
  });

  test("with the very set-up that was signed: it counts also where the nodes that are asked first lag", async () => {
    const ada = new Person(service);
    await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    await pause();
    const answer = setUp(ada, signature);
    await until(async () => (await getSafe(ada)).status === "settingUp");
    const safe = await getSafe(ada);
    const { chain, ...ctx } = createWorkerContext(service.runtime);
    const before = await chain.getBlock();
    await node.send({ to: safe.address, data: safe.setUpData ?? "0x" });
    let heads = 0;
    const getBlock: typeof chain.getBlock = async () => (++heads === 2 ? before : chain.getBlock());
    expect(await settleIfDeployed({ ...ctx, chain: { ...chain, getBlock } }, safe)).not.toBeNull();
    let looks = 0;
    const getLogs: typeof chain.getLogs = (asked) =>
      chain.getLogs(
        asked.addresses[0] === safe.address && ++looks === 1 ? { ...asked, toBlock: before.number } : asked,
      );
    await deploySafe({ ...ctx, chain: { ...chain, getLogs } }, { safeId: safe.id });
    expect(looks).toBe(2);
    expect(await getSafe(ada)).toMatchObject({ status: "ok", reason: null });
    await resume();
    expect(shortOf(await answer)).toEqual({ status: 200, body: { deployed: true } });
  });

  test("a set-up that another sender sent is not void while the node is behind the block of our own", async () => {
    const ada = new Person(service);
    await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    await pause();
    const answer = setUp(ada, signature);
    await until(async () => (await getSafe(ada)).status === "settingUp");
    const safe = await getSafe(ada);
    const { chain, ...ctx } = createWorkerContext(service.runtime);
    const { number: blockNumber } = await chain.getBlock();
    const seen = { logs: [], blockNumber: blockNumber + 1_000n };
    const settling = settleIfDeployed({ ...ctx, chain }, safe, seen);
    await expect(settling).rejects.toThrow(ChainUnavailable);
    await resume();
    expect((await answer).body).toMatchObject({ deployed: true });
  });

  test("with another transaction of the Safe: the set-up is void with that error, and no step is half done", async () => {
    const ada = new Person(service);
    const safe = await ada.becomeSafeOwner();
    const signature = await ada.signSetUp();
    await pause();
    const answer = setUp(ada, signature);
    await until(async () => (await getSafe(ada)).status === "settingUp");
    await node.execute(ada.account, safe, { to: ada.account.address, data: "0x" });
    await resume();
    expect(shortOf(await answer)).toEqual(
      refusal(400, "The set-up failed on chain: get the payload and sign it again"),
    );
    const reason = "It ran a transaction of its own before its set-up";
    expect(await getSafe(ada)).toMatchObject({ status: "created", reason });
    expect((await ada.call("GET", "/safe/deploy")).body.status).toBe("not_deployed");
  });
});

test("a set-up whose job was lost is found by its row and sent", async () => {
  const ada = new Person(service);
  await ada.becomeSafeOwner();
  const signature = await ada.signSetUp();
  await pause();
  const answer = setUp(ada, signature);
  await until(async () => (await getSafe(ada)).status === "settingUp");
  await service.runtime.db.execute(sql`delete from graphile_worker._private_jobs`);
  expect(await addMissingJobs(service.runtime.db, { chainId: 100, now: new Date() })).toBeGreaterThan(0);
  await resume();
  expect((await answer).body).toMatchObject({ deployed: true });
});

describe("a chain that is slower than a request's time limit", () => {
  /** The same service with a time limit of half a second per request. */
  let hasty: Server;
  let places: { url: string; sandboxUrl: string };
  beforeAll(() => {
    const { runtime, sandboxUrl } = service;
    const { services } = runtime;
    hasty = createServer({ ...runtime, services: { ...services, policy: { ...services.policy, answerMsMax: 500 } } });
    places = { url: `http://127.0.0.1:${hasty.listen(0)}`, sandboxUrl };
  });
  afterAll(() => hasty.stop());
  const inHaste = ({ account, token, userId }: Person): Person =>
    Object.assign(new Person(places), { account, token, userId });

  test("the answer is true and in time, and the worker completes the request later", async () => {
    const [ada, bob] = [await approved(), new Person(service)];
    await bob.becomeSafeOwner();
    const signature = await bob.signSetUp();
    expect(service.runtime.services.policy.answerMsMax).toBeLessThan(10_000);
    await pause();
    const [created, modules] = await Promise.all([create(inHaste(ada)), setUp(inHaste(bob), signature)]);
    expect(created).toMatchObject({ status: 200, body: { deployed: false } });
    expect(shortOf(modules)).toEqual({ status: 200, body: { deployed: false } });
    expect(shortOf(await ada.call("GET", "/account/signature-payload"))).toEqual(
      refusal(400, "The Safe is not deployed yet"),
    );
    expect((await ada.call("GET", "/safe/config")).body).toMatchObject({ isDeployed: false, address: null });
    for (const person of [ada, bob]) {
      expect((await person.call("GET", "/safe/deploy")).body.status).toBe("processing");
    }
    await resume();
    expect((await setUp(bob, signature)).body).toMatchObject({ deployed: true, transactionHash: expect.any(String) });
    expect((await create(ada)).body).toMatchObject({ address: created.body.address, deployed: true });
  });

  test("shows the hash of a transaction that is not mined yet", async () => {
    const ada = await approved();
    await node.client.setAutomine(false);
    await node.client.setIntervalMining({ interval: 0 });
    const created = create(inHaste(ada));
    await until(
      async () => (await listSafes(ada)).length === 1 && (await listRelayed((await getSafe(ada)).id)).length === 1,
    );
    await created;
    const answer = await create(inHaste(ada)).finally(async () => {
      await node.client.setAutomine(true);
      await node.client.setIntervalMining({ interval: 1 });
    });
    expect(answer).toMatchObject({ status: 200, body: { deployed: false, transactionHash: expect.any(String) } });
    const again = await create(ada);
    expect(again.body).toEqual({ ...answer.body, deployed: true });
  });
});

test("Idempotency-Key: a repetition gets the answer from after the wait", async () => {
  const ada = await approved();
  const keyed = (method: string, path: string, body?: unknown) =>
    ada.call(method, path, body, { "Idempotency-Key": `${method} ${path}` });
  const created = await keyed("POST", "/account", { chainId: "100" });
  expect(created.body.deployed).toBe(true);
  await ada.call("POST", "/safe/set-currency");
  const signature: Hex = await ada.signSetUp();
  const done = await keyed("PATCH", "/account/deploy-safe-modules", { signature });
  expect(done.body.deployed).toBe(true);
  expect((await keyed("POST", "/account", { chainId: "100" })).body).toEqual(created.body);
  expect((await keyed("PATCH", "/account/deploy-safe-modules", { signature })).body).toEqual(done.body);
  expect((await keyed("PATCH", "/account/deploy-safe-modules", { signature: "0x12" })).status).toBe(422);
});

test("a set-up Safe that its owner changes before the worker looks leaves the deployment, and may be reset", async () => {
  const ada = new Person(service);
  const address = await ada.becomeSafeOwner();
  const signature = await ada.signSetUp();
  await pause();
  const answer = setUp(ada, signature);
  await until(async () => (await getSafe(ada)).status === "settingUp");
  const { id: safeId, setUpData } = await getSafe(ada);
  await node.send({ to: address, data: setUpData ?? "0x" });
  await queueCall(openHostileOwner(service, ada, address), { to: address, value: 0n, data: "0x12345678" });
  const ctx = createWorkerContext(service.runtime);
  await checkSafe(ctx, { safeId });
  await deploySafe(ctx, { safeId });
  expect(await getSafe(ada)).toMatchObject({ status: "ok" });
  await resume();
  await answer;
  expect((await ada.call("DELETE", "/safe/reset")).body).toEqual({ message: "Safe account reset successfully" });
});
