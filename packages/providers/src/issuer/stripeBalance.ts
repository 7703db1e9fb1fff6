/** The operator's balance at Stripe. Source: docs.stripe.com/issuing/funding/balance, docs.stripe.com/api/balance_transactions. */
import type Stripe from "stripe";
import { z } from "zod";
import type { BalanceEntry, CardIssuer } from "./port.ts";

/** What an authorization holds is still the operator's. */
const heldKinds: ReadonlySet<string> = new Set(["issuing_authorization_hold", "issuing_authorization_release"]);

/** The kind of bank transfer that tops a currency up. Source: docs.stripe.com/api/issuing/funding_instructions. */
const fundingTransfers: Readonly<Record<string, string>> = { EUR: "eu_bank_transfer", GBP: "gb_bank_transfer" };
const fundingAnswer = z.object({
  bank_transfer: z.object({
    financial_addresses: z.array(
      z.object({
        iban: z
          .object({ iban: z.string(), bic: z.string().nullish().default(null), account_holder_name: z.string() })
          .nullish(),
      }),
    ),
  }),
});

/** What reads the operator's balance. */
export const createBalanceIssuer = (
  stripe: Stripe,
  ask: <T>(what: string, call: () => Promise<T>) => Promise<T>,
): Pick<CardIssuer, "readBalances" | "listBalanceEntries" | "findFundingAccount"> => ({
  readBalances: () =>
    ask("read the balance", async () => {
      const { issuing } = await stripe.balance.retrieve();
      return (issuing?.available ?? []).map(({ amount, currency }) => ({
        currency: currency.toUpperCase(),
        amountCents: amount,
      }));
    }),
  findFundingAccount: (currency) =>
    ask("read the funding instructions", async () => {
      const transfer = fundingTransfers[currency];
      if (transfer === undefined) return null;
      // The package has no method for it. The issuer answers the same account each time.
      const answered: unknown = await stripe.rawRequest("POST", "/v1/issuing/funding_instructions", {
        currency: currency.toLowerCase(),
        funding_type: "bank_transfer",
        bank_transfer: { type: transfer },
      });
      const [found] = fundingAnswer.parse(answered).bank_transfer.financial_addresses.flatMap(({ iban }) => iban ?? []);
      return found ? { iban: found.iban.replaceAll(" ", ""), bic: found.bic, name: found.account_holder_name } : null;
    }),
  listBalanceEntries: ({ from, to, kind }) =>
    ask("list what moved the balance", async () => {
      const [gte, lt] = [Math.floor(from.getTime() / 1000), Math.ceil(to.getTime() / 1000)];
      const found: BalanceEntry[] = [];
      const page = { created: { gte, lt }, limit: 100, ...(kind !== undefined && { type: kind }) };
      for await (const entry of stripe.balanceTransactions.list(page)) {
        if (heldKinds.has(entry.type)) continue;
        const source = typeof entry.source === "string" ? entry.source : (entry.source?.id ?? null);
        found.push({
          id: entry.id,
          kind: entry.type,
          currency: entry.currency.toUpperCase(),
          amountCents: BigInt(entry.net),
          source,
          at: new Date(entry.created * 1000),
        });
      }
      // The issuer lists the newest first.
      return found.toReversed();
    }),
});
