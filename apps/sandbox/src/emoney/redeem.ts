/**
 * Orders that send money to a bank: the account signs, and the tokens are burned. A Safe signs as a contract (ERC-1271),
 * which no single key of a person can do for an account of ours. Source: docs.monerium.com, `POST /orders`;
 * docs.safe.global, Onramp with Monerium: the order is signed "with the Safe".
 *
 * - message: what the account signs, `Send EUR 10 to DE89370400440532013000 at 2026-01-01T10:00:00Z`.
 */
import { address } from "@cardkeep/contract/core/primitives";
import { findEmoneyRecord, insertEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { isValidIBAN } from "ibantools";
import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { Refusal } from "./answers.ts";
import { linkId } from "./links.ts";
import { notify } from "./notify.ts";
import { keepOrder, moveOrder, type Order, readTime, showOrder } from "./orderBook.ts";
import { isOwnSignature } from "./ownership.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** Our own limit: the vendor publishes none. */
const messageAgeMsMax = 300_000;
/** From this amount on a supporting document is required. */
const undocumentedMax = 15_000;
const stepMs = 200;

const text = z.string().trim().min(1).max(140);
const details = z.union([
  z.object({ firstName: text, lastName: text, country: z.string().length(2) }),
  z.object({ companyName: text, country: z.string().length(2) }),
]);
const identifier = z.discriminatedUnion("standard", [
  z.object({
    standard: z.literal("iban"),
    iban: z
      .string()
      .transform((given) => given.replaceAll(/\s/g, "").toUpperCase())
      .refine((given) => isValidIBAN(given), "must be an IBAN"),
  }),
  z.object({ standard: z.literal("chain"), address, chain: text }),
]);

const redeemBody = z.object({
  kind: z.literal("redeem"),
  id: z.uuid().optional(),
  address,
  chain: text,
  currency: z.enum(["eur", "gbp"]),
  amount: z
    .string()
    .regex(/^(0|[1-9]\d{0,8})(\.\d{1,2})?$/, "must be a decimal amount")
    .refine((amount) => Number(amount) > 0, "must be above zero"),
  counterpart: z.object({ identifier, details: details.optional() }),
  message: z.string().max(500),
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2})+$/, "must be a signature; signatures on chain are not supported here"),
  memo: z.string().max(140).nullish(),
  referenceNumber: text.optional(),
  supportingDocumentId: z.string().optional(),
});
type RedeemBody = z.output<typeof redeemBody>;

/** The IBAN as the SDK writes it into messages: its first and last four characters. */
const shortenIban = (iban: string): string => `${iban.slice(0, 4)}...${iban.slice(-4)}`;

/** Whether a message has the currency, amount and counterpart of its order. */
function describesOrder(message: string, { currency, amount, counterpart }: RedeemBody): boolean {
  const [, symbol, said, to = "", chain] = /^Send ([A-Z]{3}) (\S+) to (.+?)(?: on (\S+))? at \S+$/.exec(message) ?? [];
  if (symbol !== currency.toUpperCase() || said !== amount) return false;
  const other = counterpart.identifier;
  if (other.standard === "chain") return chain === other.chain && to.toLowerCase() === other.address.toLowerCase();
  const iban = to.replaceAll(/\s/g, "");
  return chain === undefined && (iban.toUpperCase() === other.iban || iban === shortenIban(other.iban));
}

/** The instant in a message; null when it is not an RFC 3339 instant. */
function readSignedAt(message: string): Date | null {
  const [, instant] = /at (\S+)$/.exec(message) ?? [];
  return z.iso.datetime({ offset: true }).safeParse(instant).success ? new Date(instant ?? "") : null;
}

/** A wallet uses the wall clock; the service's clock may be ahead of it. */
async function isRecent(runtime: SandboxRuntime, signedAt: Date): Promise<boolean> {
  const clocks = [Date.now(), Date.parse(await readTime(runtime))];
  return clocks.some((now) => Math.abs(now - signedAt.getTime()) <= messageAgeMsMax);
}

/**
 * Accepts an order. It is processed after the answer.
 *
 * @param mayUse whether the caller may use a profile
 * @throws Refusal
 */
export async function placeRedeem(
  runtime: SandboxRuntime,
  body: unknown,
  mayUse: (profile: string) => Promise<boolean>,
): Promise<object> {
  const given = redeemBody.parse(body);
  const link = await findEmoneyRecord(runtime.store, "address", linkId(given.address, given.chain));
  const profile = link?.profile ?? null;
  if (profile === null || !(await mayUse(profile))) throw new Refusal(403, "The address is not linked");
  if (given.counterpart.identifier.standard === "iban" && !given.counterpart.details)
    throw new Refusal(400, "Invalid order", { counterpart: "details are missing" });
  if (!describesOrder(given.message, given))
    throw new Refusal(400, "Invalid message", { message: "does not match the order" });
  const signedAt = readSignedAt(given.message);
  if (!signedAt || !(await isRecent(runtime, signedAt)))
    throw new Refusal(400, "Invalid message", { message: "is too old, or from the future" });
  if (!(await isOwnSignature(runtime, given)))
    throw new Refusal(400, "Invalid signature", { signature: "is not the account's own" });
  await requireDocument(runtime, given, profile);
  const id = given.id ?? randomUUID();
  if (await findEmoneyRecord(runtime.store, "order", id)) throw new Refusal(409, "Order already exists");
  const used = createHash("sha256").update(`${given.address.toLowerCase()} ${given.message}`).digest("hex");
  if (!(await insertEmoneyRecord(runtime.store, { kind: "orderMessage", id: used, profile, data: {} })))
    throw new Refusal(409, "The message was used already");
  const { address: account, chain, currency, amount, counterpart, memo = "", supportingDocumentId } = given;
  const placed = {
    id,
    kind: given.kind,
    profile,
    address: account,
    chain,
    currency,
    amount,
    counterpart,
    memo,
    ...(given.referenceNumber !== undefined && { referenceNumber: given.referenceNumber }),
    state: "placed" as const,
    meta: { placedAt: await readTime(runtime), ...(supportingDocumentId !== undefined && { supportingDocumentId }) },
    isSigned: true,
  };
  await keepOrder(runtime, placed);
  void process(runtime, placed);
  return showOrder(placed);
}

async function requireDocument(runtime: SandboxRuntime, given: RedeemBody, profile: string): Promise<void> {
  if (Number(given.amount) < undocumentedMax) return;
  const id = given.supportingDocumentId ?? "";
  const known = await findEmoneyRecord(runtime.store, "file", id);
  if (!known || (known.profile !== null && known.profile !== profile))
    throw new Refusal(400, "Supporting document is missing", { supportingDocumentId: "is required from 15000" });
}

/** Publishes an order and moves it to its final state. */
async function process(runtime: SandboxRuntime, placed: Order): Promise<void> {
  try {
    await Bun.sleep(stepMs);
    await notify(runtime, "order.created", showOrder(placed));
    await moveOrder(runtime, placed.id, "pending");
    await Bun.sleep(stepMs);
    await moveOrder(runtime, placed.id, "processed");
  } catch (error) {
    runtime.log.warn({ err: error, orderId: placed.id }, "processing of an order failed; move it at the bank's desk");
  }
}
