import { enqueueCardholderSync } from "../../core/cardholders/syncCardholder.ts";
import type { Work } from "../../core/context.ts";
import { watchIban } from "../ibans/watchIban.ts";

/** In the commit of a change of a person's status, verification or risk: syncs the issuer, and watches the IBAN. */
export async function spreadBlock(work: Work, userId: string): Promise<void> {
  await enqueueCardholderSync(work, userId);
  await watchIban(work, userId);
}
