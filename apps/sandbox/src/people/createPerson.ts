/** A new person with a key, as far along as asked. Every step goes through the public API, as an app would. */
import { type CardkeepClient, createCardkeepClient } from "@cardkeep/client/client";
import { kycStatuses } from "@cardkeep/contract/verification/kyc";
import type { Hex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage } from "viem/siwe";
import { z } from "zod";
import { overrides } from "../kyc/kycApplicant.ts";
import { review } from "../kyc/kycReview.ts";
import { defineSandboxRoute } from "../core/route.ts";
import {
  answerQuestions,
  cardSteps,
  fundSafe,
  openCard,
  openIban,
  openSafe,
  type SandboxPerson,
  verifyPhone,
} from "./openAccount.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** The partner that every sandbox has. */
export const partnerId = "sandbox";

const decimalAmount = z
  .union([z.string(), z.number().transform(String)])
  .refine((text) => /^\d{1,9}(\.\d{1,18})?$/.test(text), "must be a decimal amount such as 500 or 12.5");

const options = z
  .strictObject({
    kyc: z.enum(kycStatuses).optional(),
    terms: z.boolean().default(true),
    phone: z.boolean().default(false),
    sourceOfFunds: z.boolean().default(false),
    safe: z.boolean().default(false),
    /** In whole units of the Safe's token. */
    balance: decimalAmount.optional(),
    card: z.enum(cardSteps).optional(),
    iban: z.boolean().default(false),
    /** Whether the partner `sandbox` receives the person's events. */
    subscribed: z.boolean().default(true),
    email: z.email().optional(),
    applicant: overrides.optional(),
  })
  .transform((given) => {
    const isCardNeeded = given.card !== undefined;
    const safe = given.safe || given.balance !== undefined || isCardNeeded || given.iban;
    const phone = given.phone || isCardNeeded;
    const sourceOfFunds = given.sourceOfFunds || isCardNeeded;
    const isVerdictNeeded = safe || phone || sourceOfFunds;
    const kyc = given.kyc ?? (isVerdictNeeded ? ("approved" as const) : undefined);
    return { ...given, safe, phone, sourceOfFunds, kyc, isVerdictNeeded };
  })
  .refine(({ isVerdictNeeded, kyc }) => !isVerdictNeeded || kyc === "approved", {
    path: ["kyc"],
    message: "must be `approved` for a phone, answers about funds, a Safe, a balance, a card or an IBAN",
  })
  .refine(({ safe, terms }) => !safe || terms, {
    path: ["terms"],
    message: "must be accepted for a Safe, a balance, a card or an IBAN",
  });

/** How far along a person is made. */
export type PersonOptions = z.input<typeof options>;

export const createPerson = defineSandboxRoute({
  method: "POST",
  path: "/people",
  summary:
    "Creates a person with a key, as far along as asked: signed up, verified, with a Safe, money, a card, an IBAN",
  input: options,
  example: { kyc: "approved", balance: "500", card: "virtual" },
  // The documents' pages run routes as a new person.
  isOpenToApps: true,
  run: makePerson,
});

/** What the sandbox answers about a person that it made. */
export interface MadePerson {
  readonly id: string;
  readonly privateKey: Hex;
  readonly address: string;
  readonly token: string;
  readonly safe: string | null;
  readonly cards: readonly { readonly id: string; readonly cardToken: string }[];
  readonly iban: string | null;
}

/** Makes a person through the public API. */
async function makePerson(runtime: SandboxRuntime, given: z.output<typeof options>): Promise<MadePerson> {
  const { kyc, balance, card, subscribed, applicant } = given;
  const privateKey = generatePrivateKey();
  const { person, token } = await signUp(runtime, privateKey, given.email);
  if (given.terms) await acceptTerms(person);
  if (subscribed) await subscribe(person);
  if (kyc !== undefined) await review.run(runtime, { userId: person.id, outcome: kyc, applicant });
  const safe = given.safe ? await openSafe(person) : null;
  if (safe !== null && balance !== undefined) await fundSafe(person, safe, balance);
  if (given.phone) await verifyPhone(person);
  if (given.sourceOfFunds) await answerQuestions(person);
  if (card !== undefined) await openCard(person, card);
  const iban = given.iban ? await openIban(person) : null;
  const cards = await person.client.cards.list.query({});
  return { id: person.id, privateKey, address: person.wallet.address, token, safe, cards, iban };
}

/** Makes a person, and opens it for the steps that follow. */
export async function startPerson(
  runtime: SandboxRuntime,
  given: PersonOptions,
): Promise<{ made: MadePerson; person: SandboxPerson }> {
  const made = await makePerson(runtime, options.parse(given));
  const wallet = privateKeyToAccount(made.privateKey);
  return { made, person: { runtime, id: made.id, wallet, client: connect(runtime, () => made.token) } };
}

async function subscribe({ client, wallet }: SandboxPerson): Promise<void> {
  const { message } = await client.webhooks.message.query({ partnerId });
  await client.webhooks.subscribe.mutate({ partnerId, message, signature: await wallet.signMessage({ message }) });
}

/** The server runs on this machine; its public address need not be reachable. */
const connect = ({ settings }: SandboxRuntime, token: () => string | null): CardkeepClient =>
  createCardkeepClient({ url: `http://127.0.0.1:${settings.port}`, token });

async function acceptTerms({ client }: SandboxPerson): Promise<void> {
  const { terms } = await client.users.terms.query();
  for (const { type, currentVersion } of terms) {
    await client.users.acceptTerms.mutate({ terms: type, version: currentVersion });
  }
}

/** Signs a new wallet in and up. */
async function signUp(
  runtime: SandboxRuntime,
  privateKey: Hex,
  email: string | undefined,
): Promise<{ person: SandboxPerson; token: string }> {
  const wallet = privateKeyToAccount(privateKey);
  let token: string | null = null;
  const client = connect(runtime, () => token);
  const message = createSiweMessage({
    address: wallet.address,
    chainId: runtime.settings.policy.chainId,
    domain: "localhost",
    uri: "http://localhost",
    version: "1",
    nonce: await client.auth.nonce.query(),
  });
  const signature = await wallet.signMessage({ message });
  ({ token } = await client.auth.challenge.mutate({ message, signature }));
  const authEmail = email ?? `${wallet.address.slice(2, 14).toLowerCase()}@example.org`;
  const signedUp = await client.auth.signUp.mutate({ authEmail, partnerId });
  token = signedUp.token;
  return { person: { runtime, id: signedUp.id, wallet, client }, token };
}
