/** The data of a fresh sandbox: the partner `sandbox` and the coupon `FREECARD`. */
import { insertClock } from "@cardkeep/db/queries/core/clock";
import { createCoupon } from "@cardkeep/domain/cards/coupons/createCoupon";
import { createPartner, type NewPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { restoreClock } from "./core/restoreClock.ts";
import { operatorOf } from "./operator.ts";
import type { SandboxRuntime } from "./core/openStore.ts";

/** Inserts the seeds. Existing rows stay unchanged. */
export async function seed(runtime: SandboxRuntime): Promise<void> {
  await insertClock(runtime.db);
  await restoreClock(runtime);
  const webhookUrl = `${runtime.settings.sandboxUrl}/inbox/sandbox`;
  const asked = { payload: "full", hasAllEvents: true } as const;
  const sandbox: NewPartner = { id: "sandbox", name: "Sandbox", domains: [], webhookUrl, ...asked };
  await once(createPartner(operatorOf(runtime), sandbox));
  await once(createCoupon(operatorOf(runtime), { code: "FREECARD", percent: 100 }));
}

async function once(made: Promise<unknown>): Promise<void> {
  await made.catch((error: unknown) => {
    if (!(error instanceof CardkeepError) || error.status !== 409) throw error;
  });
}
