/**
 * Cards in digital wallets, such as Apple Pay and Google Pay.
 *
 * - wallet token: stands for a card in one wallet on one device, with a number of its own. A card has any number of them.
 */
import { z } from "zod";
import { cards } from "./cardRoutes.ts";
import { givenId, id, instant } from "../core/primitives.ts";
import { defineRoute } from "../core/route.ts";

export const walletTokenStatuses = ["requested", "active", "suspended", "deleted"] as const;
export type WalletTokenStatus = (typeof walletTokenStatuses)[number];

export const walletTokenStatus = z.enum(walletTokenStatuses).meta({
  description:
    "requested: the wallet asks for it; active: it pays; suspended: it declines; deleted: it declines for good",
  examples: ["active"],
});

const text = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description}; null if unknown`, examples: [example] });

const walletTokenFields = {
  id: z.string().meta({
    description: "The wallet token's id. It is also the issuer's",
    examples: ["intok_1a2b3c4d5e6f708192a3b4c5"],
  }),
  cardId: id.meta({ description: "The card's id" }),
  status: walletTokenStatus,
  wallet: text("The wallet: apple_pay, google_pay or samsung_pay", "apple_pay"),
  network: z.string().meta({ description: "The card network that made it", examples: ["visa"] }),
  deviceType: text("Kind of the device: phone, watch or other", "phone"),
  deviceName: text("The name that its owner gave the device", "Ada's phone"),
  lastFourDigits: text("Last four digits of the wallet token's own number", "8842"),
  createdAt: instant.meta({ description: "When it was first seen" }),
  updatedAt: instant.meta({ description: "When it changed last" }),
};

export const walletToken = z
  .object(walletTokenFields)
  .meta({ id: "WalletToken", description: "A card in a digital wallet" });

const input = z.object({
  cardId: givenId.meta({ description: "The card's id, from `GET /cards`" }),
  walletTokenId: givenId.meta({ description: "The wallet token's id, from `GET /cards/{cardId}/wallet-tokens`" }),
});

export const list = defineRoute({
  ...cards,
  method: "GET",
  path: "/cards/{cardId}/wallet-tokens",
  summary: "The wallet tokens of a card, newest first",
  input: input.pick({ cardId: true }),
  output: z.array(walletToken),
  errors: ["cards.not_found"],
});

const moveErrors = [
  "cards.not_found",
  "walletTokens.not_found",
  "walletTokens.wrong_status",
  "cards.issuer_unavailable",
] as const;

export const suspend = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/wallet-tokens/{walletTokenId}/suspend",
  summary: "Suspends a wallet token: payments from that wallet decline until it is resumed",
  input,
  output: walletToken,
  errors: moveErrors,
});

export const resume = defineRoute({
  ...cards,
  method: "POST",
  path: "/cards/{cardId}/wallet-tokens/{walletTokenId}/resume",
  summary: "Resumes a suspended wallet token",
  input,
  output: walletToken,
  errors: [...moveErrors, "cards.contact_changed"],
});

export const remove = defineRoute({
  ...cards,
  method: "DELETE",
  path: "/cards/{cardId}/wallet-tokens/{walletTokenId}",
  summary: "Deletes a wallet token for good: the card leaves that wallet",
  input,
  output: walletToken,
  errors: moveErrors,
});
