/** People with a wallet, as far along as a test needs them. */
import { type Card, type CardkeepClient, createCardkeepClient } from "@cardkeep/client";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { SandboxCall } from "./sandboxCall.ts";

/** How far along a person is. A card, a balance and an IBAN come with a Safe, and a Safe with a verified person. */
export interface PersonOptions {
  /** The verdict of the identity provider; none unless a later step needs `approved`. */
  readonly kyc?:
    | "notStarted"
    | "documentsRequested"
    | "pending"
    | "processing"
    | "approved"
    | "resubmissionRequested"
    | "rejected"
    | "requiresAction";
  /** Whether the person has accepted every document; true unless named. A Safe needs it. */
  readonly terms?: boolean;
  /** `true`: a validated phone number. A card brings one. */
  readonly phone?: boolean;
  /** `true`: the questions about the source of funds are answered. A card brings that. */
  readonly sourceOfFunds?: boolean;
  readonly safe?: boolean;
  /** Whole units of the Safe's token, in decimal: `500` or `12.5`. */
  readonly balance?: string | number;
  /**
   * `physical` is delivered and activated. The others are steps on its way: `ordered` and not paid, `paid` and not made,
   * `made` and not sent, `shipped`, and `delivered` and not activated.
   */
  readonly card?: "virtual" | "physical" | "ordered" | "paid" | "made" | "shipped" | "delivered";
  readonly iban?: boolean;
  /** Whether the partner `sandbox` receives the person's events, which `deliveries()` lists; true unless named. */
  readonly subscribed?: boolean;
  readonly email?: string;
  /** Fields of the person that the identity provider verifies; others have defaults. */
  readonly applicant?: Readonly<Record<string, string | null>>;
}

export interface TestPerson {
  readonly id: string;
  /** The access token. */
  readonly token: string;
  /** A viem account: it signs messages and typed data. */
  readonly wallet: PrivateKeyAccount;
  /** A client that calls as this person. */
  readonly client: CardkeepClient;
  /** Address of the Safe; null without one. */
  readonly safe: `0x${string}` | null;
  readonly cards: readonly Card[];
  readonly iban: string | null;
}

type Made = Pick<TestPerson, "id" | "token" | "safe" | "cards" | "iban"> & { readonly privateKey: `0x${string}` };

/** Makes a new person. @throws SandboxCallError 422 for options that contradict each other */
export async function makePerson(api: string, sandbox: SandboxCall, options: PersonOptions): Promise<TestPerson> {
  const { privateKey, ...made } = (await sandbox("POST", "/people", options)) as Made;
  return {
    ...made,
    wallet: privateKeyToAccount(privateKey),
    client: createCardkeepClient({ url: api, token: made.token }),
  };
}
