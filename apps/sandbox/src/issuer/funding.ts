/** Bank transfers to the issuer, which top the operator's balance up. Source: docs.stripe.com/issuing/funding/balance. */
import { findIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import type { SandboxRuntime } from "../core/openStore.ts";
import { entryObject, post } from "./balance.ts";
import { defineIssuerRoute } from "./route.ts";

/** Where a bank transfer tops the balance up, by currency. The IBANs are examples of their registries. */
const fundingIbans: Readonly<Record<string, { iban: string; bic: string; country: string }>> = {
  eur: { iban: "DE02120300000000202051", bic: "BYLADEM1001", country: "DE" },
  gbp: { iban: "GB33BUKB20201555555555", bic: "BUKBGB22XXX", country: "GB" },
};

/** Receives a bank transfer: money that was sent to a funding IBAN is a top-up, once for each name. */
export async function receiveTransfer(
  runtime: SandboxRuntime,
  { name, iban, amount, memo }: { name: string; iban: string; amount: number; memo: string },
): Promise<void> {
  const found = Object.entries(fundingIbans).find(([, account]) => account.iban === iban);
  if (!found) return;
  const now = await runtime.clock.now(runtime.db);
  await runtime.store.transaction(async (tx) => {
    const id = `txn_${name.replaceAll("-", "")}`;
    if (await findIssuerObject(tx, entryObject, id)) return;
    const entry = { id, type: "topup", amount, currency: found[0], source: null, description: memo } as const;
    await post({ runtime, tx, now, emit: () => {} }, entry);
  });
}

/** The issuer answers the same account each time. */
export const findFunding = defineIssuerRoute({
  method: "POST",
  path: "/v1/issuing/funding_instructions",
  input: z.object({
    currency: z.enum(["eur", "gbp"]),
    funding_type: z.literal("bank_transfer"),
    bank_transfer: z.object({ type: z.enum(["eu_bank_transfer", "gb_bank_transfer"]) }),
  }),
  run: async (_work, { currency, funding_type, bank_transfer: { type } }) => {
    const { country, ...account } = fundingIbans[currency] ?? { country: "", iban: "", bic: "" };
    const iban = { ...account, country, account_holder_name: "Sandbox Issuer" };
    const address = { type: "iban", iban, supported_networks: [currency === "eur" ? "sepa" : "fps"] };
    const bank_transfer = { country, financial_addresses: [address], type };
    return { object: "funding_instructions", bank_transfer, currency, funding_type, livemode: false };
  },
});

/** The IBAN that tops a currency up: seeds put it on the allow-list. */
export const fundingIbanOf = (currency: "eur" | "gbp"): string => fundingIbans[currency]?.iban ?? "";
