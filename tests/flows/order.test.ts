import { afterAll, beforeAll, expect, test } from "bun:test";
import { tokens } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { addMissingJobs } from "@cardkeep/db/queue/missing";
import { sql } from "drizzle-orm";
import { parseAbiItem } from "viem";
import { openNode } from "../support/node.ts";
import { answerSourceOfFunds, fullPrice, order, payFromNowhere, statusOf, validatePhone } from "../support/orders.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { CONFIRMATIONS: "2" } });
});
afterAll(() => service.stop());

const transferEvent = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");

/** The hash of a Safe's EURe transfer to the treasury, from the public chain. */
async function findPayment(from: Address) {
  const { client } = openNode(service.rpcUrl);
  const to = service.runtime.settings.policy.treasuryAddress;
  const args = { from, to };
  const logs = await client.getLogs({ address: tokens.EURe.address, event: transferEvent, args, fromBlock: 0n });
  return logs[0]?.transactionHash;
}

test("a card is ordered, paid from the Safe through the delay, and ready once the person's data is complete", async () => {
  const ada = new Person(service);
  const safe = await ada.becomeAccountHolder();
  const id = await order(ada);
  await payFromNowhere(service, { to: safe });
  const body = await ada.signWithdrawal({
    tokenAddress: tokens.EURe.address,
    to: service.runtime.settings.policy.treasuryAddress,
    amount: String(fullPrice),
  });
  const { data } = (await ada.call("POST", "/accounts/withdraw", body)).body;
  await until(async () => (await ada.findDelay(data.id))?.status === "WAITING");
  await ada.sandbox("POST", "/chain/advance", { seconds: 181 });
  await until(async () => (await ada.findDelay(data.id))?.status === "EXECUTED");

  const transactionHash = await findPayment(safe);
  expect((await ada.call("PUT", `/order/${id}/attach-transaction`, { transactionHash })).body).toEqual({ ok: true });
  expect((await ada.call("PUT", `/order/${id}/confirm-payment`)).body).toEqual({ ok: true });
  expect(await statusOf(ada, id)).toBe("CONFIRMATIONREQUIRED");
  await validatePhone(ada);
  await answerSourceOfFunds(ada);
  expect(await statusOf(ada, id)).toBe("READY");
});

test("an early confirmation finds its payment, although its job was lost", async () => {
  const { db } = service.runtime;
  const bob = await new Person(service).becomeApproved();
  const id = await order(bob);
  const { client } = openNode(service.rpcUrl);
  await client.setAutomine(true);
  const transactionHash = await payFromNowhere(service);
  await bob.call("PUT", `/order/${id}/attach-transaction`, { transactionHash });
  expect((await bob.call("PUT", `/order/${id}/confirm-payment`)).status).toBe(400);
  await until(async () => {
    await db.execute(
      sql`delete from graphile_worker._private_jobs where key = ${`order.payment:${id}`} and locked_at is null`,
    );
    const left = await db.execute(sql`select from graphile_worker._private_jobs where key = ${`order.payment:${id}`}`);
    return left.length === 0;
  });
  await client.mine({ blocks: 1 });
  await addMissingJobs(db, { chainId: service.runtime.settings.policy.chainId, now: new Date() });
  await until(async () => (await statusOf(bob, id)) === "CONFIRMATIONREQUIRED");
});
