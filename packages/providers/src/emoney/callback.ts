/** Verifies callbacks by Standard Webhooks, and the content that can be verified. */
import { givenInstant } from "@cardkeep/contract/core/instantOrDate";
import { ibanCurrencies, ibanOrderKinds, ibanOrderStates } from "@cardkeep/contract/users/ibanOrders";
import { address, transactionHash } from "@cardkeep/contract/core/primitives";
import { parseJsonText } from "@cardkeep/contract/core/text";
import { isValidBIC, isValidIBAN } from "ibantools";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import type { CallbackError } from "../callbackError.ts";
import type { EmoneyCallback, EmoneyChange } from "./port.ts";

interface SignedHeaders {
  id: string | null;
  timestamp: string | null;
  signature: string | null;
}

/**
 * Whether a raw body is signed by `secret` (`whsec_` and base64) within 300 s of now. One matching signature of several
 * is enough.
 *
 * Source: Standard Webhooks, symmetric signatures (`v1`).
 */
export function isAuthentic(rawBody: string, { id, timestamp, signature }: SignedHeaders, secret: string): boolean {
  // The package accepts a number with trailing text, and a signature with a comma and trailing text.
  if (id === null || timestamp === null || signature === null || !/^\d{1,12}$/.test(timestamp)) return false;
  const signatures = signature.split(" ").filter((item) => /^v1,[^,]+$/.test(item));
  const webhook = new Webhook(Buffer.from(secret.replace(/^whsec_/, ""), "base64"), { format: "raw" });
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
  try {
    webhook.verify(rawBody, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}

const ibanText = z
  .string()
  .transform((text) => text.replaceAll(" ", "").toUpperCase())
  .refine(isValidIBAN);
const decimal = z
  .string()
  .regex(/^(0|[1-9]\d{0,14})(\.\d{1,18})?$/)
  .refine((text) => Number(text) > 0);

/** An IBAN from the institution with a valid checksum (ISO 13616). */
export const assignedIban = z
  .object({ iban: ibanText, bic: z.string().refine(isValidBIC).nullish(), profile: z.string().min(1), address })
  .transform(({ bic = null, profile, ...rest }) => ({ ...rest, bic, profileId: profile }));

/** Whose account it is, for people only: another form of it is none. */
const personName = z.object({
  name: z.string().nullish(),
  firstName: z.string().nullish(),
  lastName: z.string().nullish(),
  companyName: z.string().nullish(),
});
const shortText = z.string().min(1).max(64);
/** Accounts without an IBAN are named differently by country; what is known of them is kept. */
const otherAccount = z
  .object({
    standard: shortText.refine((text) => text !== "iban" && text !== "chain"),
    accountNumber: shortText.optional().catch(undefined),
    account: shortText.optional().catch(undefined),
    sortCode: shortText.optional().catch(undefined),
    bic: shortText.optional().catch(undefined),
  })
  .transform(({ standard, account, accountNumber = account, sortCode, bic }) => ({
    standard,
    ...(accountNumber !== undefined && { accountNumber }),
    ...(sortCode !== undefined && { sortCode }),
    ...(bic !== undefined && { bic }),
  }));

/** What only helps a person to look into an order; another form of it is none. */
const note = z
  .string()
  .max(500)
  .nullish()
  .catch(null)
  .transform((text) => text ?? null);

/** An order of the institution with a possible amount and valid accounts. */
export const order = z
  .object({
    id: z.string().min(1).max(128),
    profile: z.string().min(1),
    kind: z.enum(ibanOrderKinds),
    currency: z.enum(ibanCurrencies),
    amount: decimal,
    address,
    counterpart: z.object({
      details: personName.catch({}).default({}),
      identifier: z.union([
        z.object({ standard: z.literal("iban"), iban: ibanText }),
        z.object({ standard: z.literal("chain"), address: z.string(), chain: z.string() }),
        otherAccount,
      ]),
    }),
    state: z.enum(ibanOrderStates),
    memo: z.string().nullish(),
    referenceNumber: note,
    meta: z.object({
      placedAt: givenInstant(),
      processedAt: givenInstant().nullish().catch(null),
      rejectedReason: note,
      txHashes: z.array(transactionHash).max(16).nullish().catch(null),
    }),
  })
  .transform(({ profile, counterpart: { details, identifier }, memo = null, referenceNumber, meta, ...rest }) => {
    const full = [details.firstName, details.lastName].filter(Boolean).join(" ");
    const name = details.name ?? details.companyName ?? (full === "" ? undefined : full);
    return {
      ...rest,
      profileId: profile,
      counterpart: { details: name === undefined ? {} : { name }, identifier },
      memo,
      referenceNumber,
      placedAt: new Date(meta.placedAt),
      processedAt: meta.processedAt ? new Date(meta.processedAt) : null,
      rejectedReason: meta.rejectedReason,
      txHashes: [...new Set(meta.txHashes ?? [])],
    };
  });

const envelope = z.object({
  type: z.string().min(1),
  timestamp: givenInstant(),
  data: z.unknown().optional(),
});
const profile = z.object({ id: z.string().min(1) });

const onChain = z.object({ chain: z.string() });

/** Whether the institution's IBAN or order is of another chain than this one. One that names no chain is not. */
export function isElsewhere(data: unknown, chain: string): boolean {
  const named = onChain.safeParse(data);
  return named.success && named.data.chain !== chain;
}

function readChange(type: string, data: unknown, chain: string): EmoneyChange {
  if (isElsewhere(data, chain)) return { kind: "other" };
  if (type === "iban.updated") return { kind: "iban", iban: assignedIban.parse(data) };
  if (type === "profile.updated") return { kind: "profile", profileId: profile.parse(data).id };
  if (type === "order.created" || type === "order.updated") return { kind: "order", order: order.parse(data) };
  return { kind: "other" };
}

/** Parses a callback whose signature was checked. What is of another chain than this one is no change here. */
export function parseCallback(
  rawBody: string,
  { id, chain }: { id: string; chain: string },
): EmoneyCallback | CallbackError {
  try {
    const { type, timestamp, data } = envelope.parse(parseJsonText(rawBody));
    return { id, type, reportedAt: new Date(timestamp), change: readChange(type, data, chain) };
  } catch {
    return "senseless";
  }
}
