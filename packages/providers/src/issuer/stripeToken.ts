import { walletTokenStatuses } from "@cardkeep/contract/cards/walletTokens";
import { z } from "zod";
import type { WalletTokenReport } from "./port.ts";
import { issuerId, unixSeconds } from "./stripeAuthorization.ts";

const shownMax = 255;
/** Texts of a wallet and of the owner of its device. The cut may halve a character. */
const text = z
  .string()
  .transform((given) => given.slice(0, shownMax).toWellFormed())
  .nullish();

const token = z.object({
  id: issuerId,
  card: z.union([issuerId, z.object({ id: issuerId }).transform(({ id }) => id)]),
  status: z.enum(walletTokenStatuses),
  created: unixSeconds,
  network: text,
  wallet_provider: text,
  last4: text,
  network_data: z.object({ device: z.object({ type: text, name: text }).nullish() }).nullish(),
});

/**
 * A token of the issuer's API, which is a wallet token here.
 * @throws z.ZodError
 */
export function readToken(object: unknown): WalletTokenReport {
  const { id, card, status, created, network, wallet_provider: wallet, last4, network_data } = token.parse(object);
  const { type, name } = network_data?.device ?? {};
  return {
    id,
    cardToken: card,
    status,
    createdAt: new Date(created * 1000),
    wallet: wallet ?? null,
    network: network ?? "unknown",
    deviceType: type ?? null,
    deviceName: name ?? null,
    lastFourDigits: last4 ?? null,
  };
}
