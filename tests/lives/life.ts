/** One life: an account holder with random actions, honest or hostile, and its possible cost for the operator. */
import { buildAddOwner } from "@cardkeep/chain/owners";
import { buildTransfer, tokens } from "@cardkeep/chain/tokens";
import type { Address } from "@cardkeep/contract/core/primitives";
import { privateKeyToAccount } from "viem/accounts";
import { keccak256, toHex, type PrivateKeyAccount } from "viem";
import {
  approveThief,
  hideModule,
  hideOwner,
  installFakeSingleton,
  openHostileOwner,
  pullApproved,
  queueCall,
  runQueue,
  setBouncerAllowance,
  setFallbackHandler,
  takeAsModule,
  takeAsOwner,
} from "../support/attacks.ts";
import type { Service } from "../support/service.ts";
import { atIssuer, becomeCardHolder, cent, euro, follow, raise, useOnce } from "../support/spending.ts";
import { burnGas, type CostlyOwner, redeem } from "./costlyOwner.ts";
import type { Random } from "./random.ts";

const token = tokens.EURe.address;
const funds = 300n * euro;
const dayLimit = 8_000n * euro;

/** One approved use of the card, in cents. */
interface Thread {
  id: string;
  authorized: number;
  claimed: number;
  refunded: number;
  isOpen: boolean;
}

export interface Life extends CostlyOwner {
  readonly isHostile: boolean;
  readonly thief: PrivateKeyAccount;
  readonly threads: Thread[];
  /** Cents that merchants captured without or above an authorization: the operator may have to wait for them. */
  unauthorizedCents: number;
}

export async function beginLife(service: Service, index: number, random: Random): Promise<Life> {
  const holder = await becomeCardHolder(service, funds);
  // The world advances the time, once for all lives.
  const owner = { ...openHostileOwner(service, holder.person, holder.safe as Address), advance: async () => {} };
  const thief = privateKeyToAccount(keccak256(toHex(`thief ${index} ${random(2 ** 31)}`)));
  const costly = { hasIban: false, burner: null, redeemed: 0, signedBySafe: 0 };
  return { holder, isHostile: index % 2 === 0, owner, thief, threads: [], unauthorizedCents: 0, ...costly };
}

/** A random step of a life. A step that the service, the issuer or the chain rejects counts too. */
export async function step(service: Service, life: Life, random: Random): Promise<void> {
  const dice = random(life.isHostile ? 26 : 12);
  if (dice < 4) return useCard(life, random);
  if (dice < 7) return claim(life, random);
  if (dice === 7) return giveUp(life, random);
  if (dice === 8) return refund(life, random);
  if (dice === 9) return queueKnown(life, random);
  if (dice === 10) return withdraw(life, random);
  if (dice === 11) return grow(life, random);
  if (dice === 12) return captureByForce(service, life, random);
  if (dice < 16) return attack(life, random);
  if (dice === 19) return captureNothing(life, random);
  if (dice === 20) return overflowLimit(life, random);
  if (dice === 21) return signTwice(life, random);
  if (dice === 22) return redeem(service, life, random);
  if (dice > 22) return burnGas(service, life, random);
  await useCard(life, random);
  return take(life);
}

async function useCard({ holder, threads }: Life, random: Random): Promise<void> {
  const partial = random(3) === 0;
  const { approved, threadId: id, amount: authorized } = await useOnce(holder, 1 + random(20_000), { partial });
  if (approved) threads.push({ id, authorized, claimed: 0, refunded: 0, isOpen: true });
}

/** The merchant asks for more. */
async function grow({ holder, threads }: Life, random: Random): Promise<void> {
  const thread = threads.find(({ isOpen }) => isOpen);
  if (thread) thread.authorized += await raise(holder, thread.id, 1 + random(10_000));
}

async function claim(life: Life, random: Random): Promise<void> {
  const thread = life.threads.find(({ isOpen }) => isOpen);
  if (!thread) return;
  const amount = random(4) === 0 ? thread.authorized + random(5_000) : thread.authorized;
  await follow(life.holder, thread.id, "clear", { amount });
  thread.isOpen = false;
  thread.claimed = amount;
  life.unauthorizedCents += amount - thread.authorized;
}

async function giveUp({ holder, threads }: Life, random: Random): Promise<void> {
  const thread = threads.find(({ isOpen }) => isOpen);
  if (!thread) return;
  const amount = 1 + random(thread.authorized);
  await follow(holder, thread.id, "reverse", { amount });
  thread.authorized -= amount;
  thread.isOpen = thread.authorized > 0;
}

async function refund({ holder, threads }: Life, random: Random): Promise<void> {
  const thread = threads.find(({ claimed, refunded }) => claimed > refunded);
  if (!thread) return;
  const amount = 1 + random(thread.claimed - thread.refunded);
  await follow(holder, thread.id, "refund", { amount });
  thread.refunded += amount;
}

/** Entries of known kinds, queued without the service. */
async function queueKnown({ owner, thief }: Life, random: Random): Promise<void> {
  const { delay } = owner.addresses;
  const calls = [
    () => queueCall(owner, buildTransfer({ token, to: thief.address, amount: BigInt(1 + random(30_000)) * cent })),
    () => queueCall(owner, { to: thief.address, value: 0n, data: "0x" }),
    () => queueCall(owner, buildAddOwner(delay, thief.address)),
    () => setBouncerAllowance(owner, { refill: dayLimit, periodSeconds: 86_400 }),
  ];
  await calls[random(calls.length)]?.();
}

async function withdraw({ holder: { person }, thief }: Life, random: Random): Promise<void> {
  const transfer = { tokenAddress: token, to: thief.address, amount: String(BigInt(1 + random(30_000)) * cent) };
  await person.call("POST", "/accounts/withdraw", await person.signWithdrawal(transfer));
}

/** Two owners sign one message, at once: a batch that held both would keep the operations of others in the queue. */
async function signTwice({ holder: { person }, owner, thief }: Life, random: Random): Promise<void> {
  await queueCall(owner, buildAddOwner(owner.addresses.delay, thief.address));
  const transfer = { tokenAddress: token, to: thief.address, amount: String(BigInt(1 + random(300)) * cent) };
  const { status, body } = await person.call(
    "GET",
    `/accounts/withdraw/transaction-data?${new URLSearchParams(transfer)}`,
  );
  if (status !== 200) return;
  await Promise.all(
    [person.account, thief].map(async (key) => {
      const signature = await key.signTypedData(body.data);
      return person.call("POST", "/accounts/withdraw", { ...transfer, signature, message: body.data.message });
    }),
  );
}

/** The cardholder is the merchant too: captures a verification of 0, or an authorization that it had reversed or let expire. */
async function captureNothing(life: Life, random: Random): Promise<void> {
  const { holder } = life;
  const end = (["verified", "reverse", "expire"] as const)[random(3)] ?? "verified";
  const { approved, threadId } = await useOnce(holder, end === "verified" ? 0 : 1 + random(300));
  if (!approved) return;
  if (end !== "verified") await follow(holder, threadId, end);
  const amount = 1 + random(2_000);
  await follow(holder, threadId, "clear", { amount });
  life.unauthorizedCents += amount;
}

const edges = [2n ** 62n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];

/** A limit whose clock overflows in the Roles module, or is at its edge. */
async function overflowLimit({ owner }: Life, random: Random): Promise<void> {
  const edge = edges[random(edges.length)] ?? 0n;
  const at = random(2) === 0 ? { periodSeconds: 86_400, startsAt: edge } : { periodSeconds: edge };
  await setBouncerAllowance(owner, { refill: dayLimit, ...at });
}

/** The issuer lets a merchant capture an amount that was never authorized. */
async function captureByForce(service: Service, life: Life, random: Random): Promise<void> {
  const amount = 1 + random(2_000);
  await atIssuer(service, "transactions/create_force_capture", { amount: String(amount), card: life.holder.cardToken });
  life.unauthorizedCents += amount;
}

async function attack({ owner, thief: { address: thief } }: Life, random: Random): Promise<void> {
  const attacks: (() => Promise<unknown>)[] = [
    () => installFakeSingleton(owner, thief),
    () => approveThief(owner, { token, thief, amount: funds }),
    () => hideModule(owner, thief),
    () => hideOwner(owner, thief),
    () => setFallbackHandler(owner),
    () => setBouncerAllowance(owner, { refill: 50_000n * euro, periodSeconds: 60 }),
  ];
  await attacks[random(attacks.length)]?.();
}

/** The thief tries every way to the money before the spend of the last use can run; most ways are closed. */
async function take({ owner, thief }: Life): Promise<void> {
  const loot = { token, amount: funds, to: thief.address };
  const ways = [
    () => pullApproved(owner, thief.address, loot),
    () => takeAsModule(owner, thief.address, loot),
    () => takeAsOwner(owner, thief, loot),
  ];
  for (const way of ways) await way().catch(() => null);
}

/** All cooled-down entries run. An entry that the chain rejects blocks the rest, as in production. */
export const runCooledDown = (life: Life): Promise<void> => runQueue(life.owner).catch(() => undefined);
