import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Chain } from "@cardkeep/local/chain";
import { startTestChain } from "../support/chain.ts";
import { openEns, type TestEns } from "../support/ens.ts";
import { Person } from "../support/person.ts";
import { type RpcProxy, startRpcProxy } from "../support/rpcProxy.ts";
import { type Service, startService } from "../support/service.ts";

let chain: Chain;
let ens: TestEns;
let proxy: RpcProxy;
let service: Service;
beforeAll(async () => {
  chain = await startTestChain();
  ens = openEns(chain.rpcUrl);
  proxy = startRpcProxy(chain.rpcUrl);
  service = await startService({ env: { ENS_RPC_URL: proxy.url } });
});
afterAll(async () => {
  await service.stop();
  proxy.stop();
  await chain.stop();
});

const newPerson = () => new Person(service).becomeApproved();
const create = async (person: Person, ENSName: string) => {
  const { status, body } = await person.call("POST", "/order/create", { personalizationSource: "ENS", ENSName });
  return { status, body };
};
const refused = (message: string) => ({ status: 422, body: { message } });
const elsewhere = refused("ENSName does not resolve to one of your wallets");

test("a name of a sign-in wallet is embossed in ENS form", async () => {
  const person = await newPerson();
  await ens.set("ada.eth", person.account.address);
  expect(await create(person, "ADA.eth")).toMatchObject({
    status: 200,
    body: { personalizationSource: "ENS", embossedName: "ada.eth", status: "PENDINGTRANSACTION" },
  });
});

test("a name of the user's Safe is embossed too, and one of an added wallet after its first sign-in", async () => {
  const person = new Person(service);
  const safe = await person.becomeAccountHolder();
  await ens.set("safe.eth", safe);
  const created = await create(person, "safe.eth");
  expect(created).toMatchObject({ status: 200, body: { embossedName: "safe.eth" } });
  await person.call("POST", `/order/${created.body.id}/cancel`);
  const second = new Person(service);
  await ens.set("second.eth", second.account.address);
  expect(await create(person, "second.eth")).toEqual(elsewhere);
  await person.call("POST", "/eoa-accounts", { address: second.account.address });
  expect(await create(person, "second.eth")).toEqual(elsewhere);
  await second.signIn();
  expect(await create(person, "second.eth")).toMatchObject({ status: 200 });
});

test("another person's name, an invalid name, and one behind a gateway are refused, and nothing is ordered", async () => {
  const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
  await ens.set("bob.eth", bob.account.address);
  let requests = 0;
  const gateway = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(String(++requests)) });
  try {
    await ens.setOffchain("offchain.eth", `http://127.0.0.1:${gateway.port}/{sender}/{data}.json`);
    for (const name of ["bob.eth", "unknown.eth", "offchain.eth"]) expect(await create(ada, name)).toEqual(elsewhere);
    for (const name of ["ada..eth", "a da.eth", "a_da.eth"]) {
      expect(await create(ada, name)).toEqual({ status: 400, body: "ENSName is invalid" });
    }
    expect(requests).toBe(0);
  } finally {
    await gateway.stop(true);
  }
  expect((await ada.call("GET", "/order/")).body).toEqual([]);
});

test("while the node of ENS is away the request is 503", async () => {
  const person = await newPerson();
  await ens.set("late.eth", person.account.address);
  proxy.intercept("eth_call", async () => null);
  expect(await create(person, "late.eth")).toEqual({
    status: 503,
    body: { error: "Internal server error" },
  });
  expect(await create(person, "late.eth")).toMatchObject({ status: 200 });
});
