/** Where a card was used and how, by Stripe's data. Source: Stripe's API reference, Issuing. */
import type { CardChannel } from "@cardkeep/contract/cards/cardRules";
import { z } from "zod";
import type { Merchant } from "./spending.ts";
import { text } from "./stripeVerification.ts";

type Text = z.output<typeof text>;

export const merchantData = z.object({ category_code: text, name: text, city: text, country: text, network_id: text });

export const readMerchant = (data: z.output<typeof merchantData>): Merchant => ({
  networkId: data.network_id ?? null,
  name: data.name ?? null,
  city: data.city ?? null,
  country: data.country?.toUpperCase() ?? null,
  mcc: /^\d{4}$/.test(data.category_code ?? "") ? String(data.category_code) : "0000",
});

/** ISO 18245 categories whose type is not a purchase. */
const typesByCategory: Readonly<Record<string, string>> = { "6010": "01", "6011": "01", "6538": "10", "6540": "28" };
const purchase = "00";

/** Stripe does not send the type: the metadata name it, otherwise the merchant's category. */
export const readType = (metadata: Record<string, string> | null | undefined, { mcc }: Merchant): string => {
  const parsed = metadata?.["transaction_type"] ?? "";
  return /^\d\d$/.test(parsed) ? parsed : (typesByCategory[mcc] ?? purchase);
};

const cashMachineCategory = "6011";
const cashType = "01";
const channelsByMethod: Readonly<Record<string, CardChannel>> = {
  chip: "chip",
  contactless: "contactless",
  keyed_in: "keyed",
  online: "online",
  swipe: "magstripe",
};

/** A cash machine by the merchant's category or the type; otherwise as the card was read. */
export function readChannel(
  { authorization_method: method, card_presence: presence }: { authorization_method?: Text; card_presence?: Text },
  { mcc }: Merchant,
  transactionType: string,
): CardChannel | null {
  // Category 6010 is cash at a bank's counter, which has the same type as a machine's.
  if (mcc === cashMachineCategory || (transactionType === cashType && mcc !== "6010")) return "cash_machine";
  const read = method ? channelsByMethod[method] : undefined;
  return read ?? (presence === "not_present" ? "online" : null);
}
