/** Data that several kinds of events share. */
import { z } from "zod";
import { cardFields, cardStateFields, cardToken } from "../cards/cards.ts";
import { bankingFields } from "../users/ibans.ts";
import { listStates } from "../core/machine.ts";
import { orderMachine } from "../cards/orders.ts";
import { address, id, instant } from "../core/primitives.ts";
import { tokenSymbol } from "../accounts/safes.ts";
import { cardEvent } from "../spending/cardEvents.ts";
import { walletToken } from "../cards/walletTokens.ts";
import { userFields } from "../users/users.ts";

export const userId = id.meta({ description: "The user" });
export const safeAddress = address.meta({ description: "The Safe's address" });
const chainId = z.string().meta({ description: "The chain's id", examples: ["100"] });
const signInWallets = z
  .array(z.object({ address: address.meta({ description: "The wallet's address" }) }))
  .meta({ description: "The wallets that may sign in" });
const embossedName = z.string().meta({ description: "Name on the card", examples: ["ADA LOVELACE"] });
const { address: bankingAddress, emoneyIban, emoneyBic, emoneyIbanStatus } = bankingFields;
const text = (description: string, example: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `${description}; null if there is none`, examples: [example] });

export const userData = z
  .object({
    ...userFields,
    signInWallets,
    safeWallets: z
      .array(z.object({ address: safeAddress, chainId }))
      .meta({ description: "The user's Safe; empty before there is one" }),
    cards: z
      .array(
        z.object({
          ...cardFields,
          embossedName: embossedName.nullable().meta({ description: "Name on the card; null if there is none" }),
        }),
      )
      .meta({ description: "The user's cards, newest first" }),
    bankingDetails: z
      .object({ address: bankingAddress, emoneyIban, emoneyBic, emoneyIbanStatus })
      .nullable()
      .meta({ description: "The IBAN; null before one is requested" }),
  })
  .meta({ id: "UserData", description: "The user, as events carry them" });

const safeTokenSymbol = tokenSymbol.nullable().meta({ description: "The Safe's currency; null before it is set" });

export const safeData = z
  .object({
    id: id.meta({ description: "The record's id" }),
    address: safeAddress,
    salt: text("Salt of the Safe's address", "0x5a"),
    chainId: chainId.nullable().meta({ description: "The chain's id", examples: ["100"] }),
    userId,
    tokenSymbol: safeTokenSymbol,
    createdAt: instant.meta({ description: "When it was requested" }),
  })
  .meta({ id: "SafeData", description: "A Safe, as events carry it" });

export const cardData = z
  .object({ ...cardStateFields, userId })
  .meta({ id: "CardData", description: "A card, as events carry it" });

export const walletTokenData = z.object({ userId, cardToken, walletToken });

export const orderedCard = z.object({
  userId,
  cardToken,
  id: id.meta({ description: "The order's id" }),
  status: z.enum(listStates(orderMachine)).meta({ description: "Status of the order", examples: ["CARDCREATED"] }),
  embossedName,
  address1: text("Street and number to ship to", "Unter den Linden 1"),
  address2: text("Second line of the street to ship to", "2. OG"),
  city: text("City to ship to", "Berlin"),
  postalCode: text("Postal code to ship to", "10117"),
  state: text("State or province to ship to", "BE"),
  country: text("Country to ship to, ISO 3166-1 alpha-2", "DE"),
  phone: text("Phone number in E.164 form", "+4915112345678"),
});

export const transactionData = z
  .object({
    userId,
    signInWallets,
    safeWallets: z
      .array(
        z.object({
          address: safeAddress,
          chainId: chainId.nullable().meta({ description: "The chain's id", examples: ["100"] }),
          tokenSymbol: safeTokenSymbol,
          createdAt: instant.meta({ description: "When it was requested" }),
        }),
      )
      .meta({ description: "The user's Safe" }),
    event: cardEvent,
  })
  .meta({ id: "TransactionData", description: "A use of a card, as events carry it" });
