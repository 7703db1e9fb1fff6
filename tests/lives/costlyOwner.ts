/** What an owner tries beside the card and the Delay module: the institution burns the money, and a wallet burns our gas. */
import { buildAddOwner } from "@cardkeep/chain/owners";
import { tokens } from "@cardkeep/chain/tokens";
import { Currency, placeOrderMessage } from "@monerium/sdk";
import type { Address } from "@cardkeep/contract/core/primitives";
import { type HostileOwner, queueCall } from "../support/attacks.ts";
import { deployTestContract } from "../support/contracts.ts";
import { signDeclaration } from "../support/ibans.ts";
import type { Service } from "../support/service.ts";
import type { CardHolder } from "../support/spending.ts";
import { hashMessage } from "viem";
import type { Random } from "./random.ts";

/** The state of one person's tries. */
export interface CostlyOwner {
  readonly holder: CardHolder;
  readonly owner: HostileOwner;
  hasIban: boolean;
  /** A wallet that burns gas, once the owner has queued it as a further owner. */
  burner: Address | null;
  /** Orders of the Safe's money that the institution took by the owner's key. */
  redeemed: number;
  /** Orders that the institution took because the Safe itself accepts the owner's signatures. */
  signedBySafe: number;
}

const bank = { standard: "iban", iban: "DE89370400440532013000" } as const;
const details = { firstName: "Ada", lastName: "Lovelace", country: "DE" };

/** Orders the institution to pay the Safe's money out to a bank, signed by the owner's key alone. */
export async function redeem({ runtime, sandboxUrl }: Service, life: CostlyOwner, random: Random): Promise<void> {
  const { holder, owner } = life;
  // The worker links the Safe at the institution, now or once it is back.
  if (!life.hasIban)
    await holder.person.call("POST", "/ibans/emoney-profile", { signature: await signDeclaration(holder.person) });
  life.hasIban = true;
  const { clientId, clientSecret } = runtime.settings.emoney;
  const api = `${sandboxUrl}/emoney/api`;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const accept = "application/vnd.monerium.api-v2+json";
  const grant = { method: "POST", headers: { accept }, body: new URLSearchParams(form) };
  const granted = await fetch(`${api}/auth/token`, grant);
  const { access_token: token } = await granted.json();
  const amount = String(1 + random(300));
  const message = placeOrderMessage(amount, Currency.eur, bank.iban);
  const signed = await owner.key.signMessage({ message });
  const signature = `0x${signed.slice(2)}` as const;
  const placed = await fetch(`${api}/orders`, {
    method: "POST",
    headers: {
      accept,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({
      kind: "redeem",
      address: holder.safe,
      chain: "gnosis",
      currency: Currency.eur,
      amount,
      counterpart: { identifier: bank, details },
      message,
      signature,
    }),
  });
  if (placed.ok) {
    // A Safe whose owner installed a handler may sign as a contract (ERC-1271): that order is the Safe's own.
    const isOfSafe = await runtime.services.chain.verifyHash({
      address: owner.addresses.safe,
      hash: hashMessage(message),
      signature,
    });
    if (isOfSafe) life.signedBySafe += 1;
    else life.redeemed += 1;
  } else if (![400, 403].includes(placed.status)) throw new Error(`orders: ${placed.status} ${await placed.text()}`);
}

/** Withdraws with a wallet that behaves in the estimate and burns the gas of the block. The first time, queues it as an owner. */
export async function burnGas({ rpcUrl }: Service, life: CostlyOwner, random: Random): Promise<void> {
  const { holder, owner } = life;
  if (life.burner === null) {
    life.burner = await deployTestContract(rpcUrl, "AlternatingWallet");
    await queueCall(owner, buildAddOwner(owner.addresses.delay, life.burner));
    return;
  }
  const transfer = { tokenAddress: tokens.EURe.address, to: life.burner, amount: String(1 + random(1_000)) };
  const signed = await holder.person.signWithdrawal(transfer);
  await holder.person.call("POST", "/accounts/withdraw", { ...signed, smartWalletAddress: life.burner });
}
