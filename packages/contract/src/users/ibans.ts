/**
 * A bank account number for the user's Safe, from an e-money institution.
 *
 * - profile: the person at the institution; an existing customer links it by consent (OAuth).
 * - order: incoming (`issue`) or outgoing (`redeem`) money, reported by the institution.
 */
import { z } from "zod";
import { iban, ibanCurrencies, safeAddress } from "./ibanOrders.ts";
import { defineMachine, listStates, type StateOf } from "../core/machine.ts";
import { id, instant, transactionHash } from "../core/primitives.ts";

export const ibanMachine = defineMachine({
  name: "BankingDetails.emoneyIbanStatus",
  initial: "NOTSTARTED",
  states: {
    NOTSTARTED: { means: "No IBAN was requested, or it was forgotten" },
    PENDING: { means: "The institution has the person's file; it assigns the IBAN without further requests" },
    PENDING_OAUTH: { means: "The person already has a profile at the institution and must agree to its use" },
    ASSIGNED: { means: "The IBAN is assigned; money sent to it arrives in the Safe" },
  },
  transitions: [
    { from: "NOTSTARTED", to: "PENDING", when: "the institution accepts the person" },
    { from: "NOTSTARTED", to: "PENDING_OAUTH", when: "the institution reports an existing profile" },
    { from: "PENDING", to: "PENDING_OAUTH", when: "the consent expired before the setup was complete" },
    { from: "PENDING", to: "ASSIGNED", when: "the institution assigns the IBAN" },
    { from: "PENDING", to: "NOTSTARTED", when: "the institution rejects the person, the approval ends, or reset" },
    { from: "PENDING_OAUTH", to: "PENDING", when: "the person agrees" },
    { from: "PENDING_OAUTH", to: "NOTSTARTED", when: "reset" },
    { from: "ASSIGNED", to: "NOTSTARTED", when: "reset" },
  ],
});
export type IbanStatus = StateOf<typeof ibanMachine>;
export const ibanStatus = z
  .enum(listStates(ibanMachine))
  .meta({ description: "Status of the IBAN", examples: ["ASSIGNED"] });

/** The text that an owner of the Safe signs (EIP-191), unchanged. Source: Monerium API v2, `POST /addresses`. */
export const addressDeclaration = "I hereby declare that I am the address owner.";

export const bic = z.string().meta({ description: "BIC of the institution", examples: ["COBADEFFXXX"] });

export const bankingFields = {
  id: id.meta({ description: "The record's id" }),
  address: safeAddress,
  emoneyIban: iban.nullable().meta({ description: "IBAN, without blanks; null until it is assigned" }),
  emoneyBic: bic.nullable().meta({ description: "BIC of the institution; null until the IBAN is assigned" }),
  emoneyIbanStatus: ibanStatus,
  userId: id.meta({ description: "The user" }),
  createdAt: instant.meta({ description: "When it was requested" }),
  updatedAt: instant.meta({ description: "Last change" }),
};

export const bankingDetails = z
  .object(bankingFields)
  .meta({ id: "BankingDetails", description: "The user's IBAN and its status" });

/** Data of `iban.created`. */
export const ibanCreated = z.object({
  userId: id.meta({ description: "The user" }),
  iban,
  bic: bic.meta({ description: "BIC of the institution; empty if it sends none" }),
});
/** Data of `iban.order.received`. */
export const ibanOrderReceived = z.object({
  userId: id.meta({ description: "The user" }),
  orderId: id.meta({ description: "The order's id at the institution, as in `GET /ibans/orders`" }),
  safeAddress,
  currency: z.enum(ibanCurrencies).meta({ description: "ISO 4217 code in lower case", examples: ["eur"] }),
  amount: z.string().meta({ description: "Decimal amount in the currency", examples: ["25.50"] }),
  hash: transactionHash.meta({ description: "The transaction that brought the tokens" }),
});
/** Data of `iban.status.changed`. */
export const ibanStatusChanged = z.object({
  userId: id.meta({ description: "The user" }),
  previousStatus: ibanStatus.meta({ description: "The IBAN's status before" }),
  currentStatus: ibanStatus.meta({ description: "The IBAN's status now" }),
});
