/** What is done at the institution by hand: money arrives, and people are there already. */
import { tokens } from "@cardkeep/chain/tokens";
import { putEmoneyRecord } from "@cardkeep/db/queries/sandbox";
import type { Runtime } from "@cardkeep/runtime/compose";
import { isValidIBAN } from "ibantools";
import { randomUUID } from "node:crypto";
import { parseUnits } from "viem";
import { z } from "zod";
import { faucet } from "../chain.ts";
import { defineSandboxRoute, SandboxError } from "../route.ts";
import { notify } from "./notify.ts";
import { findIban, findProfileOf } from "./state.ts";

/** The example of the German Bundesbank. */
const anyIban = "DE89370400440532013000";
const ibanText = z.string().transform((text) => text.replaceAll(" ", "").toUpperCase());
const checkedIban = ibanText.refine((text) => isValidIBAN(text), "must be an IBAN");
const sender = z.object({ name: z.string(), iban: z.string() });

/** Who sent the money: a name, or name and account in the institution's own form or in a shorter one. */
const counterpart = z.union([
  z.string().transform((name) => ({ name, iban: anyIban })),
  z
    .object({ details: z.object({ name: z.string() }), identifier: z.object({ iban: checkedIban }) })
    .transform(({ details, identifier }) => ({ ...details, ...identifier })),
  z
    .object({ name: z.string(), iban: checkedIban.optional() })
    .transform(({ name, iban = anyIban }) => ({ name, iban })),
]);

export const incoming = defineSandboxRoute({
  method: "POST",
  path: "/emoney/incoming",
  summary: "Money arrives at an IBAN: it is minted to the account on chain",
  input: z.object({
    iban: ibanText,
    amount: z
      .union([z.string(), z.number().transform(String)])
      .refine((text) => /^\d{1,9}(\.\d{1,2})?$/.test(text) && Number(text) > 0, "must be a decimal amount above zero"),
    counterpart: counterpart.optional(),
    memo: z.string().max(140).nullish(),
  }),
  example: { amount: "25.50", counterpart: { name: "Charles Babbage" }, memo: "Thank you" },
  run: async (runtime, { iban: to, amount, counterpart: from, memo = null }) => {
    const account = await findIban(runtime, to);
    if (!account) throw new SandboxError(404, "No such IBAN");
    const { name, iban } = sender.parse(from ?? { name: "Charles Babbage", iban: anyIban });
    const { profile, address, chain } = account;
    const placed = {
      id: randomUUID(),
      kind: "issue",
      profile,
      address,
      chain,
      currency: "eur",
      amount,
      counterpart: { details: { name }, identifier: { standard: "iban", iban } },
      memo,
      state: "placed",
      meta: { placedAt: new Date().toISOString() },
    };
    await keep(runtime, placed);
    await notify(runtime, "order.created", placed);
    const units = parseUnits(amount, tokens.EURe.decimals);
    const minted = await faucet.run(runtime, { address, token: "EURe", amount: String(units) });
    const { transactionHash } = z.object({ transactionHash: z.string() }).parse(minted);
    const meta = { ...placed.meta, processedAt: new Date().toISOString(), txHashes: [transactionHash] };
    const processed = { ...placed, state: "processed", meta };
    await keep(runtime, processed);
    await notify(runtime, "order.updated", processed);
    return { orderId: placed.id, transactionHash };
  },
});

const keep = (runtime: Runtime, order: { id: string; profile: string }): Promise<void> =>
  putEmoneyRecord(runtime.db, { kind: "order", id: order.id, profile: order.profile, data: order });

export const addProfile = defineSandboxRoute({
  method: "POST",
  path: "/emoney/profiles",
  summary: "Makes a profile that a person had before they came to us",
  input: z.object({ email: z.email() }),
  example: { email: "ada@example.org" },
  run: async (runtime, { email }) => {
    const known = await findProfileOf(runtime, email);
    const id = known?.id ?? randomUUID();
    const data = { state: "approved", holder: email.toLowerCase(), own: true };
    await putEmoneyRecord(runtime.db, { kind: "profile", id, data });
    return { profileId: id };
  },
});
