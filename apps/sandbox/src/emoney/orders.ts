/** Orders of the institution, of each kind and in each state. */
import { ibanOrderKinds, ibanOrderStates } from "@cardkeep/contract/users/ibanOrders";
import { address as checkedAddress } from "@cardkeep/contract/core/primitives";
import { isValidIBAN } from "ibantools";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { defineSandboxRoute, SandboxError } from "../core/route.ts";
import { notify } from "./notify.ts";
import { keepOrder, moveOrder, type Order, readTime, showOrder } from "./orderBook.ts";
import { findIban } from "./state.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

/** The Bundesbank's example IBAN. */
const anyIban = "DE89370400440532013000";
const ibanText = z.string().transform((text) => text.replaceAll(" ", "").toUpperCase());
const checkedIban = ibanText.refine((text) => isValidIBAN(text), "must be an IBAN");
const anyone = { name: "Charles Babbage", iban: anyIban };

/** The counterpart: a name, or name and account in the institution's form or a shorter one. */
const counterpart = z.union([
  z.string().transform((name) => ({ name, iban: anyIban })),
  z
    .object({ details: z.object({ name: z.string() }), identifier: z.object({ iban: checkedIban }) })
    .transform(({ details, identifier }) => ({ ...details, ...identifier })),
  z
    .object({ name: z.string(), iban: checkedIban.optional() })
    .transform(({ name, iban = anyIban }) => ({ name, iban })),
]);

const newOrder = z.object({
  iban: ibanText,
  amount: z
    .union([z.string(), z.number().transform(String)])
    .refine((text) => /^\d{1,9}(\.\d{1,2})?$/.test(text) && Number(text) > 0, "must be a decimal amount above zero"),
  counterpart: counterpart.optional(),
  memo: z.string().max(140).nullish(),
});

const example = { amount: "25.50", counterpart: { name: anyone.name }, memo: "Thank you" };

export const incoming = defineSandboxRoute({
  method: "POST",
  path: "/emoney/incoming",
  summary: "Sends money to an IBAN: the institution mints it to the account on chain",
  input: newOrder,
  example,
  run: async (runtime, input) => {
    const { id } = await place(runtime, "issue", input);
    const processed = await moveOrder(runtime, id, "processed");
    return { orderId: processed.id, transactionHash: hashOf(processed) };
  },
});

export const addOrder = defineSandboxRoute({
  method: "POST",
  path: "/emoney/orders",
  summary:
    "Creates an order in a state. `issue` is incoming money, minted once processed; `redeem` is outgoing and moves nothing on chain",
  input: newOrder.extend({ kind: z.enum(ibanOrderKinds), state: z.enum(ibanOrderStates).default("placed") }),
  example: { ...example, kind: "redeem", state: "placed" },
  run: async (runtime, { kind, state, ...input }) => {
    const placed = await place(runtime, kind, input);
    return describe(state === "placed" ? placed : await moveOrder(runtime, placed.id, state));
  },
});

export const stepOrder = defineSandboxRoute({
  method: "POST",
  path: "/emoney/orders/{orderId}",
  summary: "Moves an order from placed or pending to pending, processed or rejected",
  input: z.object({ orderId: z.string(), state: z.enum(["pending", "processed", "rejected"]) }),
  example: { state: "processed" },
  run: async (runtime, { orderId, state }) => describe(await moveOrder(runtime, orderId, state)),
});

const hashOf = ({ meta }: Order): unknown => z.array(z.string()).safeParse(meta["txHashes"]).data?.[0];

function describe(each: Order) {
  const transactionHash = hashOf(each);
  return {
    orderId: each.id,
    kind: each.kind,
    state: each.state,
    ...(transactionHash !== undefined && { transactionHash }),
  };
}

async function place(
  runtime: SandboxRuntime,
  kind: Order["kind"],
  { iban: own, amount, counterpart: other = anyone, memo = null }: z.output<typeof newOrder>,
): Promise<Order> {
  const account = await findIban(runtime, own);
  if (!account) throw new SandboxError(404, "No such IBAN");
  const { profile, address, chain } = account;
  const placed = {
    id: randomUUID(),
    kind,
    profile,
    address: checkedAddress.parse(address),
    chain,
    currency: "eur" as const,
    amount,
    counterpart: { details: { name: other.name }, identifier: { standard: "iban", iban: other.iban } },
    memo,
    state: "placed" as const,
    meta: { placedAt: await readTime(runtime) },
    isSigned: false,
  };
  await keepOrder(runtime, placed);
  await notify(runtime, "order.created", showOrder(placed));
  return placed;
}
