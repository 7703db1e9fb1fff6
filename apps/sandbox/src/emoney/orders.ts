/** Orders of the institution, of each kind and in each state. */
import { tokens } from "@cardkeep/chain/tokens";
import { ibanOrderKinds, ibanOrderStates } from "@cardkeep/contract/ibanOrders";
import { findEmoneyRecord, putEmoneyRecord } from "@cardkeep/db/queries/sandbox";
import type { Runtime } from "@cardkeep/runtime/compose";
import { isValidIBAN } from "ibantools";
import { randomUUID } from "node:crypto";
import { parseUnits } from "viem";
import { z } from "zod";
import { faucet } from "../chain.ts";
import { defineSandboxRoute, SandboxError } from "../route.ts";
import { notify } from "./notify.ts";
import { findIban } from "./state.ts";

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

const order = z.looseObject({
  id: z.string(),
  kind: z.enum(ibanOrderKinds),
  profile: z.string(),
  address: z.string(),
  amount: z.string(),
  state: z.enum(ibanOrderStates),
  meta: z.looseObject({ placedAt: z.string() }),
});
type Order = z.output<typeof order>;

const example = { amount: "25.50", counterpart: { name: anyone.name }, memo: "Thank you" };

export const incoming = defineSandboxRoute({
  method: "POST",
  path: "/emoney/incoming",
  summary: "Sends money to an IBAN: the institution mints it to the account on chain",
  input: newOrder,
  example,
  run: async (runtime, input) => {
    const processed = await move(runtime, await place(runtime, "issue", input), "processed");
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
    return describe(state === "placed" ? placed : await move(runtime, placed, state));
  },
});

export const moveOrder = defineSandboxRoute({
  method: "POST",
  path: "/emoney/orders/{orderId}",
  summary: "Moves an order from placed or pending to pending, processed or rejected",
  input: z.object({ orderId: z.string(), state: z.enum(["pending", "processed", "rejected"]) }),
  example: { state: "processed" },
  run: async (runtime, { orderId, state }) => {
    const found = await findEmoneyRecord(runtime.db, "order", orderId);
    if (!found) throw new SandboxError(404, "No such order");
    const known = order.parse(found.data);
    if (known.state === "processed" || known.state === "rejected")
      throw new SandboxError(422, `The order is already ${known.state}`);
    return describe(await move(runtime, known, state));
  },
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
  runtime: Runtime,
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
    address,
    chain,
    currency: "eur",
    amount,
    counterpart: { details: { name: other.name }, identifier: { standard: "iban", iban: other.iban } },
    memo,
    state: "placed" as const,
    meta: { placedAt: await readTime(runtime) },
  };
  await keep(runtime, placed);
  await notify(runtime, "order.created", placed);
  return placed;
}

async function move(runtime: Runtime, known: Order, state: Order["state"]): Promise<Order> {
  const hasEnded = state === "processed" || state === "rejected";
  const meta = {
    ...known.meta,
    ...(hasEnded && { processedAt: await readTime(runtime) }),
    ...(state === "processed" && known.kind === "issue" && { txHashes: [await mint(runtime, known)] }),
  };
  const moved = { ...known, state, meta };
  await keep(runtime, moved);
  await notify(runtime, "order.updated", moved);
  return moved;
}

/** The service's clock, which the whole sandbox uses. */
const readTime = async ({ db, clock }: Runtime): Promise<string> => (await clock.now(db)).toISOString();

async function mint(runtime: Runtime, { address, amount }: Order): Promise<string> {
  const units = parseUnits(amount, tokens.EURe.decimals);
  const minted = await faucet.run(runtime, { address, token: "EURe", amount: String(units) });
  return z.object({ transactionHash: z.string() }).parse(minted).transactionHash;
}

const keep = (runtime: Runtime, each: Order): Promise<void> =>
  putEmoneyRecord(runtime.db, { kind: "order", id: each.id, profile: each.profile, data: each });
