import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { safes } from "@cardkeep/db/schema/tables";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { ContractPerson } from "../support/contractWallet.ts";
import { openNode } from "../support/node.ts";
import { type Answer, Person } from "../support/person.ts";
import { expectWithin, until } from "../support/poll.ts";
import { findFreePorts } from "../support/ports.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const sentinel = "0x0000000000000000000000000000000000000001";
const safeAbi = parseAbi(["function swapOwner(address prevOwner, address oldOwner, address newOwner)"]);

let service: Service;
let node: ReturnType<typeof openNode>;
beforeAll(async () => {
  service = await startService();
  node = openNode(service.rpcUrl);
});
afterAll(() => service.stop());

const shortOf = ({ status, body }: Answer) => ({ status, body });
const invalid = { status: 401, body: { error: "Invalid signature" } };
const challenge = (person: Person, body: { message: string; signature: Hex }) =>
  person.call("POST", "/auth/challenge", body);

async function deployWallet(person: ContractPerson): Promise<void> {
  await node.send(person.wallet.creation);
  person.isDeployed = true;
}

describe("POST /auth/challenge", () => {
  test("accepts a deployed contract wallet's signature (ERC-1271), and no other wallet's", async () => {
    const ada = new ContractPerson(service);
    await deployWallet(ada);
    const { status, body } = await challenge(ada, await ada.signAs());
    expect(status).toBe(200);
    expect(decodeJwt(body.token)).toMatchObject({ signerAddress: ada.wallet.address, hasSignedUp: false });
    expect(shortOf(await challenge(ada, await ada.signAs({ by: ada.account })))).toEqual(invalid);
    const [mine, other] = [await ada.signAs(), await ada.signAs()];
    expect(shortOf(await challenge(ada, { ...mine, signature: other.signature }))).toEqual(invalid);
    const plain = await ada.signMessage({ address: ada.wallet.address });
    const signature = await ada.wallet.owner.signMessage({ message: plain.message });
    expect(shortOf(await challenge(ada, { ...plain, signature }))).toEqual(invalid);
  });

  test("accepts the signature of a wallet before its deployment (ERC-6492) and after it", async () => {
    const bob = new ContractPerson(service);
    const { status, body } = await challenge(bob, await bob.signAs());
    expect(status).toBe(200);
    expect(decodeJwt(body.token)).toMatchObject({ signerAddress: bob.wallet.address });
    expect(shortOf(await challenge(bob, await bob.signAs({ by: bob.account })))).toEqual(invalid);
    // A stranger's wallet behind the message's address.
    const eve = new ContractPerson(service);
    const { message } = await bob.signMessage({ address: bob.wallet.address });
    const { signature } = await eve.signAs();
    expect(shortOf(await challenge(bob, { message, signature }))).toEqual(invalid);
    expect(await service.runtime.chain.hasCode([bob.wallet.address])).toEqual([false]);
    const early = await bob.signAs();
    await deployWallet(bob);
    expect((await challenge(bob, early)).status).toBe(200);
    expect((await challenge(bob, await bob.signAs())).status).toBe(200);
  });

  test("refuses an owner that the wallet has revoked, and accepts the new one", async () => {
    const ada = new ContractPerson(service);
    await deployWallet(ada);
    const { wallet } = ada;
    const successor = privateKeyToAccount(generatePrivateKey());
    const early = await ada.signAs();
    const args = [sentinel, wallet.owner.address, successor.address] as const;
    await node.execute(wallet.owner, wallet.address, {
      to: wallet.address,
      data: encodeFunctionData({ abi: safeAbi, args }),
    });
    expect(shortOf(await challenge(ada, early))).toEqual(invalid);
    expect(shortOf(await challenge(ada, await ada.signAs()))).toEqual(invalid);
    expect((await challenge(ada, await ada.signAs({ by: successor }))).status).toBe(200);
  });

  const hostile: [string, Hex][] = [
    ["loops for ever", "0x5b600056"],
    ["answers a megabyte of zeros", "0x621000006000f3"],
    ["answers a megabyte that begins with a yes", "0x631626ba7e60e01b600052621000006000f3"],
    ["reverts with a megabyte", "0x621000006000fd"],
    ["burns all its gas", "0xfe"],
    ["answers nothing", "0x00"],
  ];
  test.each(hostile)(
    "a wallet that %s is refused within 5 seconds, and affects no other caller",
    async (_, bytecode) => {
      const [eve, ada] = [new Person(service), new Person(service)];
      const { address } = privateKeyToAccount(generatePrivateKey());
      await node.client.setCode({ address, bytecode });
      await expectWithin(5_000, async () => {
        const messages = await Promise.all(Array.from({ length: 3 }, () => eve.signMessage({ address })));
        const startedAt = performance.now();
        const attack = Promise.all(messages.map((message) => challenge(eve, message)));
        expect((await challenge(ada, await ada.signMessage())).status).toBe(200);
        const answers = await attack;
        // A node that is late on a busy machine is no proof.
        if (answers.some(({ status }) => status === 503)) return Infinity;
        expect(answers.map(shortOf)).toEqual([invalid, invalid, invalid]);
        return performance.now() - startedAt;
      });
    },
  );

  test("is 503 for contract wallets while the node is down; a key's own signature needs no node", async () => {
    const [port = 0, deadPort] = await findFreePorts(2);
    const settings = readSettings({ ...service.env, RPC_URL: `http://127.0.0.1:${deadPort}` });
    const runtime = await createRuntime(settings, "server");
    const server = createServer(runtime);
    server.listen(port);
    const cutOff = { url: `http://127.0.0.1:${port}`, sandboxUrl: service.sandboxUrl };
    const [deployed, ada] = [new ContractPerson(cutOff), new Person(cutOff)];
    deployed.isDeployed = true;
    for (const person of [deployed, new ContractPerson(cutOff)]) {
      const { status, body, headers } = await challenge(person, await person.signAs());
      expect({ status, body }).toEqual({ status: 503, body: { error: "Internal server error" } });
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await challenge(ada, await ada.signMessage())).status).toBe(200);
    await server.stop();
    await runtime.close();
  });
});

describe("a person whose wallet is a contract", () => {
  const findOwners = async (person: Person) => {
    const [row] = await service.runtime.db
      .select()
      .from(safes)
      .where(eq(safes.userId, person.userId ?? ""));
    return row ? service.runtime.chain.listOwners(row.delayAddress) : [];
  };
  const withdraw = async (person: ContractPerson) =>
    person.call(
      "POST",
      "/accounts/withdraw",
      await person.signWithdrawal({ tokenAddress: eure, to: destination, amount: "5" }),
    );
  const executes = async (person: Person, id: string) => {
    await until(async () => (await person.findDelay(id))?.status === "WAITING");
    await person.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await person.findDelay(id))?.status === "EXECUTED");
  };

  test("has an account whose owner is the contract, and moves money out of it", async () => {
    const ada = new ContractPerson(service);
    await deployWallet(ada);
    const address = await ada.becomeAccountHolder();
    expect(await findOwners(ada)).toEqual([ada.wallet.address]);
    await ada.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "10" });
    const before = await service.runtime.chain.getTokenBalance(eure, destination);
    const { status, body } = await withdraw(ada);
    expect(status).toBe(200);
    await executes(ada, body.data.id);
    expect(await service.runtime.chain.getTokenBalance(eure, destination)).toBe(before + 5n);
  });

  test("may have it before the wallet is deployed, but moves money only afterwards", async () => {
    const bob = new ContractPerson(service);
    const address = await bob.becomeAccountHolder();
    expect(await findOwners(bob)).toEqual([bob.wallet.address]);
    await bob.sandbox("POST", "/chain/faucet", { address, token: "EURe", amount: "10" });
    expect(shortOf(await withdraw(bob))).toEqual({ status: 422, body: { error: "Invalid signature" } });
    await deployWallet(bob);
    const { status, body } = await withdraw(bob);
    expect(status).toBe(200);
    await executes(bob, body.data.id);
  });

  test("cannot use the older way, which needs a key, and is not stuck if it began before its deployment", async () => {
    const ada = new ContractPerson(service);
    await deployWallet(ada);
    await ada.becomeApproved();
    const refused = await ada.call("POST", "/account", { chainId: "100" });
    expect(shortOf(refused)).toEqual({
      status: 400,
      body: { error: "A contract wallet cannot own the Safe here: use POST /api/v1/safe/deploy" },
    });

    const bob = new ContractPerson(service);
    await bob.becomeSafeOwner();
    const payload = (await bob.call("GET", "/account/signature-payload")).body;
    const signature = await bob.wallet.owner.signTypedData(payload);
    const setUp = await bob.call("PATCH", "/account/deploy-safe-modules", { signature });
    expect(shortOf(setUp)).toEqual({ status: 400, body: { error: "Invalid signature" } });
    expect((await bob.call("DELETE", "/safe/reset")).status).toBe(200);
    await bob.call("POST", "/safe/deploy");
    await until(async () => (await bob.call("GET", "/safe/deploy")).body.status === "ok");
  });
});
