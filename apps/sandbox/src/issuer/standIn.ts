/** What the issuer decides where it has no valid answer of the service in time: a setting of its account. */
import {
  findIssuerObject,
  insertIssuerObject,
  lockIssuerObject,
  updateIssuerObject,
} from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { defineSandboxRoute } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";
import type { Verdict } from "./decision.ts";

/** Its row among the issuer's objects; the API shows no object of this kind. */
const settingObject = "account.stand_in";
const settingId = "stand_in";

const setting = z.object({
  decision: z.enum(["decline", "approve"]).default("decline"),
  /** With `approve`: the largest amount, in minor units. */
  amountMax: z.int().min(0).max(99_999_999).default(99_999_999),
});

async function readSetting({ store }: SandboxRuntime): Promise<z.output<typeof setting>> {
  const row = await findIssuerObject(store, settingObject, settingId);
  return setting.parse(row?.data ?? {});
}

export const showStandIn = defineSandboxRoute({
  method: "GET",
  path: "/issuer/stand-in",
  summary: "What the issuer decides where the service does not answer in time, or not validly",
  input: z.object({}),
  example: {},
  run: (runtime) => readSetting(runtime),
});

export const setStandIn = defineSandboxRoute({
  method: "PUT",
  path: "/issuer/stand-in",
  summary: "Sets what the issuer decides where the service does not answer: `decline`, or `approve` up to an amount",
  input: setting,
  example: { decision: "approve", amountMax: 5_000 },
  run: async ({ store, clock, db }, data) => {
    const createdAt = await clock.now(db);
    await store.transaction(async (tx) => {
      const known = await lockIssuerObject(tx, settingObject, settingId);
      await (known
        ? updateIssuerObject(tx, settingId, { data })
        : insertIssuerObject(tx, { id: settingId, object: settingObject, data, hidden: {}, createdAt }));
    });
    return data;
  },
});

/** The issuer's own decision about an amount, with its reason for not having ours. */
export async function decideAlone(
  runtime: SandboxRuntime,
  amount: number,
  reason: "webhook_timeout" | "webhook_error",
): Promise<Verdict> {
  const { decision, amountMax } = await readSetting(runtime);
  return { approved: decision === "approve" && amount <= amountMax, reason, metadata: {} };
}
