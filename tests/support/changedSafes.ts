/** Safes that an owner's key changes from outside, and the ones that come after them. */
import { expect } from "bun:test";
import { encodeFunctionData, getAddress, parseAbi } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type HostileOwner, openHostileOwner, queueCall, runQueue } from "./attacks.ts";
import { until } from "./poll.ts";
import type { RunningService } from "./service.ts";
import type { CardHolder } from "./spending.ts";

const abi = parseAbi(["function enableModule(address)"]);

/** Ends a person's card and gives another one a right to the Safe's money; with `isRun: false` it waits in the queue. Returns the owner. */
export async function changeSafe(
  service: RunningService,
  { person, safe }: CardHolder,
  { isRun = true }: { isRun?: boolean } = {},
): Promise<HostileOwner> {
  const [card] = (await person.call("GET", "/cards")).body;
  expect((await person.call("POST", `/cards/${card.id}/void`)).status).toBe(200);
  const to = getAddress(safe);
  const owner = openHostileOwner(service, person, to);
  const thief = privateKeyToAccount(generatePrivateKey()).address;
  await queueCall(owner, { to, value: 0n, data: encodeFunctionData({ abi, args: [thief] }) });
  if (isRun) await runQueue(owner);
  return owner;
}

/** Sets a person's next Safe up. Returns its address. */
export async function deployAgain(
  { person }: Pick<CardHolder, "person">,
  patience: { timeoutMs?: number } = {},
): Promise<string> {
  await person.call("POST", "/safe/deploy");
  await until(async () => (await person.call("GET", "/safe/deploy")).body.status === "ok", patience);
  return (await person.call("GET", "/safe/config")).body.address;
}
