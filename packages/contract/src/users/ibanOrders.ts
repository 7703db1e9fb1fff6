/** Payments by an IBAN, as the institution reports them. */
import { z } from "zod";
import { address, id, instant, nativeToken, omitNull, transactionHash } from "../core/primitives.ts";

export const ibanOrderKinds = ["redeem", "issue"] as const;
export const ibanCurrencies = ["eur", "usd", "gbp", "isk"] as const;
export const ibanOrderStates = ["placed", "pending", "processed", "rejected"] as const;

export const iban = z.string().meta({ description: "IBAN, without blanks", examples: ["DE89370400440532013000"] });
export const safeAddress = address.meta({ description: "The Safe that receives money sent to the IBAN" });

const standard = { description: "Identification of the counterpart" };
const counterpart = z.object({
  details: z
    .object({
      name: z
        .string()
        .optional()
        .meta({ description: "Name; absent if the bank sends none", examples: ["Grace Hopper"] }),
    })
    .meta({ description: "The person or company" }),
  identifier: z
    .union([
      z
        .object({ standard: z.literal("iban").meta(standard), iban })
        .meta({ id: "IbanIdentifier", description: "A bank account" }),
      z
        .object({
          standard: z.literal("chain").meta(standard),
          address: z.string().meta({ description: "Address on that chain", examples: [nativeToken] }),
          chain: z.string().meta({ description: "Name of the chain", examples: ["gnosis"] }),
        })
        .meta({ id: "ChainIdentifier", description: "An address on a chain" }),
      z
        .object({
          standard: z.string().meta({ ...standard, examples: ["account"] }),
          accountNumber: z
            .string()
            .optional()
            .meta({ description: "Number of the account", examples: ["31926819"] }),
          sortCode: z
            .string()
            .optional()
            .meta({ description: "Sort code of the bank, in Great Britain", examples: ["601613"] }),
          bic: z
            .string()
            .optional()
            .meta({ description: "BIC of the bank", examples: ["NWBKGB2L"] }),
        })
        .meta({ id: "AccountIdentifier", description: "An account of another kind, as the institution names it" }),
    ])
    .meta({ id: "CounterpartIdentifier", description: "The counterpart's account, or its address on a chain" }),
});
export type IbanCounterpart = z.output<typeof counterpart>;

export const ibanOrder = z
  .object({
    id: id.meta({ description: "The order's id at the institution" }),
    kind: z
      .enum(ibanOrderKinds)
      .meta({ description: "`issue` for incoming money, `redeem` for outgoing money", examples: ["issue"] }),
    currency: z.enum(ibanCurrencies).meta({ description: "ISO 4217 code in lower case", examples: ["eur"] }),
    amount: z.string().meta({ description: "Decimal amount in the currency", examples: ["25.50"] }),
    address: safeAddress,
    counterpart: counterpart.meta({ description: "The counterpart" }),
    state: z.enum(ibanOrderStates).meta({ description: "Status", examples: ["processed"] }),
    memo: z
      .string()
      .nullable()
      .meta({ description: "Reference of the payment; null without one", examples: ["Rent"] }),
    referenceNumber: omitNull(z.string()).meta({
      description: "The bank's reference; absent without one",
      examples: ["RF18539007547034"],
    }),
    meta: z
      .object({
        placedAt: instant.meta({ description: "When the institution accepted it" }),
        processedAt: omitNull(instant).meta({ description: "When the institution paid it out; absent before" }),
        rejectedReason: omitNull(z.string()).meta({
          description: "Why the institution rejected it; absent otherwise",
          examples: ["Recalled by the sender's bank"],
        }),
        txHashes: z
          .array(transactionHash)
          .meta({ description: "The transactions that moved its tokens; empty before" }),
      })
      .meta({ description: "Further data of the institution" }),
  })
  .meta({ id: "IbanOrder", description: "A payment by the IBAN" });
