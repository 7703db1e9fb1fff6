/** A running Cardkeep as tests use it. */
import { type CardkeepClient, createCardkeepClient, type DeclineCode } from "@cardkeep/client";
import { type Delivery, listDeliveries } from "./deliveries.ts";
import { type Duration, toSeconds } from "./duration.ts";
import { createFaults, type Faults } from "./faults.ts";
import { makePerson, type PersonOptions, type TestPerson } from "./person.ts";
import { createSandboxCall } from "./sandboxCall.ts";

/** Where the parts are reached. */
export interface CardkeepAddresses {
  readonly api: string;
  readonly sandbox: string;
  /** JSON-RPC address of the chain. */
  readonly chain: string;
}

/** One use of a card at a shop. */
export interface CardUse {
  /** In the minor units of `currency`: 1250 is 12.50. */
  readonly amount: number;
  /** What the card is charged in, ISO 4217, alphabetic; EUR unless named. A card is charged in its own currency alone. */
  readonly currency?: string;
  /** Of a shop abroad: what it asks for, in the minor units of `merchantCurrency`; as `amount` unless named. */
  readonly merchantAmount?: number;
  /** What the shop asks in, ISO 4217, alphabetic; as `currency` unless named. */
  readonly merchantCurrency?: string;
  readonly merchant?: string;
  /** Merchant category code. */
  readonly mcc?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
}

interface Decided {
  /** The issuer's word for it, or the service's code. */
  readonly reason: string;
  readonly threadId: string;
  /** What is held for the payment. */
  readonly amount: number;
}

export interface CardApproval extends Decided {
  readonly approved: true;
}

export interface CardDecline extends Decided {
  readonly approved: false;
  /** Its code on `/docs/declines`. */
  readonly code: DeclineCode;
  /** What happened, what an operator can do, and what the cardholder reads. */
  readonly happened: string;
  readonly remedy: string;
  readonly user: string;
}

/** What a card's issuer decided; `approved` narrows it. */
export type CardDecision = CardApproval | CardDecline;

export interface UseCardOptions {
  /**
   * How often the card is used while a decline says that no decision was ready in time, as on a busy machine; once unless
   * named. Each use stays in the card's history.
   */
  readonly tries?: number;
}

/** A bank transfer to an IBAN. */
export interface Incoming {
  readonly iban: string;
  /** In whole units, decimal: `25.50`. */
  readonly amount: string | number;
  readonly counterpart?: string;
  readonly memo?: string;
}

export interface Cardkeep extends CardkeepAddresses {
  /** A client without a token. */
  readonly client: CardkeepClient;
  /** Switches faults of partners, chain and processes on and off. */
  readonly faults: Faults;
  /**
   * Makes a new person, as far along as asked.
   *
   * @example
   * const ada = await cardkeep.person({ balance: 500, card: "virtual" });
   * const { total } = await ada.client.accounts.balances.query();
   */
  person(options?: PersonOptions): Promise<TestPerson>;
  /** Moves the clock of service and chain, and answers the chain's time in unix seconds. */
  advance(duration: Duration): Promise<number>;
  /**
   * Uses a card, and answers the issuer's decision.
   *
   * @example
   * const { cards: [card] } = await cardkeep.person({ balance: 20, card: "virtual" });
   * const decision = await cardkeep.useCard(card, { amount: 999_00 }, { tries: 5 });
   * if (!decision.approved) console.log(decision.code, decision.user);
   */
  useCard(card: { readonly cardToken: string }, use: CardUse, options?: UseCardOptions): Promise<CardDecision>;
  /**
   * Receives a bank transfer.
   *
   * @example
   * const { iban } = await cardkeep.person({ iban: true });
   * const { orderId } = await cardkeep.incoming({ iban, amount: "25.50", memo: "Rent" });
   */
  incoming(transfer: Incoming): Promise<{ orderId: string; transactionHash: string | null }>;
  /** What the receiver of a partner got, oldest first; the seeded partner is `sandbox`. */
  deliveries(partner?: string): Promise<Delivery[]>;
  /** Any other call to the sandbox. @throws SandboxCallError */
  callSandbox(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<unknown>;
}

/** Declines for want of time, by the service and by the issuer. */
const lateCodes: readonly DeclineCode[] = ["unavailable", "issuer_webhook_timeout"];
/** Before a card is used again: what was held for a late approval is free by then. */
const pauseMs = 500;

/**
 * A Cardkeep that runs already, such as one that several test files share.
 *
 * @example
 * import { connectCardkeep } from "@cardkeep/testing";
 *
 * const cardkeep = connectCardkeep({
 *   api: "http://localhost:3000",
 *   sandbox: "http://localhost:3001",
 *   chain: "http://localhost:8545",
 * });
 * const grace = await cardkeep.person();
 */
export function connectCardkeep({ api, sandbox: sandboxUrl, chain }: CardkeepAddresses): Cardkeep {
  const sandbox = createSandboxCall(sandboxUrl);
  return {
    api,
    sandbox: sandboxUrl,
    chain,
    client: createCardkeepClient({ url: api }),
    faults: createFaults(sandbox),
    person: (options = {}) => makePerson(api, sandbox, options),
    advance: async (duration) => {
      const answer = (await sandbox("POST", "/chain/advance", { seconds: toSeconds(duration) })) as {
        timestamp: number;
      };
      return answer.timestamp;
    },
    useCard: async ({ cardToken }, use, { tries = 1 } = {}) => {
      const shop = { currency: "EUR", merchant: "Corner Shop", mcc: "5411", country: "DE", ...use };
      const path = `/issuer/cards/${encodeURIComponent(cardToken)}/authorizations`;
      for (let triesLeft = tries - 1; ; triesLeft--) {
        const decision = (await sandbox("POST", path, shop)) as CardDecision;
        if (triesLeft <= 0 || decision.approved || !lateCodes.includes(decision.code)) return decision;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
    incoming: async (transfer) =>
      (await sandbox("POST", "/emoney/incoming", transfer)) as Awaited<ReturnType<Cardkeep["incoming"]>>,
    deliveries: (partner = "sandbox") => listDeliveries(sandbox, partner),
    callSandbox: sandbox,
  };
}
