/** The data of a fresh sandbox: the partner `sandbox` and the coupon `FREECARD`. */
import { insertClock } from "@cardkeep/db/queries/core/clock";
import { createCoupon } from "@cardkeep/domain/cards/coupons/createCoupon";
import { changePartner } from "@cardkeep/domain/partners/partners/changePartner";
import { createPartner, type NewPartner } from "@cardkeep/domain/partners/partners/createPartner";
import { getPartner } from "@cardkeep/domain/partners/partners/getPartner";
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { hasDestinations, insertDestination } from "@cardkeep/db/queries/treasury/destinations";
import { insertEmoneyRecord } from "@cardkeep/db/sandbox/emoneyRecords";
import { generateId } from "@cardkeep/domain/core/generateId";
import { nameChain } from "@cardkeep/providers/emoney/chainNames";
import { linkId } from "./emoney/links.ts";
import { fundingIbanOf } from "./issuer/funding.ts";
import { restoreClock } from "./core/restoreClock.ts";
import { operatorOf } from "./operator.ts";
import type { SandboxRuntime } from "./core/openStore.ts";

/** Inserts the seeds. Existing rows stay unchanged, but for the port of the partner's inbox. */
export async function seed(runtime: SandboxRuntime): Promise<void> {
  await insertClock(runtime.db);
  await restoreClock(runtime);
  const webhookUrl = `${runtime.settings.sandboxUrl}/inbox/sandbox`;
  const asked = { payload: "full", hasAllEvents: true } as const;
  const sandbox: NewPartner = { id: "sandbox", name: "Sandbox", domains: [], webhookUrl, ...asked };
  await once(createPartner(operatorOf(runtime), sandbox));
  await moveInbox(runtime, "sandbox", webhookUrl);
  await once(createCoupon(operatorOf(runtime), { code: "FREECARD", percent: 100 }));
  await seedTreasury(runtime);
}

/** A sandbox that starts on another port than before is where its partner's deliveries go. An endpoint of another program stays. */
async function moveInbox(runtime: SandboxRuntime, id: string, webhookUrl: string): Promise<void> {
  const operator = operatorOf(runtime);
  const former = (await getPartner(operator, { id })).webhookUrl;
  const isInbox = former !== null && new URL(former).pathname === new URL(webhookUrl).pathname;
  if (!isInbox || former === webhookUrl || operator.policy.operators.twoPersons.includes("partners.change")) return;
  await changePartner(operator, { id, webhookUrl });
}

/** The Universally Unique Identifier of the operator's own profile at the institution. */
const operatorProfile = "0198f000-0000-7000-8000-000000000001";

/** The operator is known at the institution with the treasury, and the allow-list has treasury and issuer from the start. */
async function seedTreasury(runtime: SandboxRuntime): Promise<void> {
  const { treasuryAddress: address, chainId } = runtime.settings.policy;
  const profile = { state: "approved", holder: null, own: false, name: "Sandbox Programme", kind: "corporate" };
  await insertEmoneyRecord(runtime.store, { kind: "profile", id: operatorProfile, data: profile });
  const chain = nameChain(chainId);
  const link = { address, chain };
  await insertEmoneyRecord(runtime.store, {
    kind: "address",
    id: linkId(address, chain),
    profile: operatorProfile,
    data: link,
  });
  const now = await runtime.clock.now(runtime.db);
  const row = { addedBy: "Sandbox", addedAt: now, usableAt: now };
  const issuer = { kind: "iban", label: "Sandbox Issuer" } as const;
  await runtime.db.transaction(async (tx) => {
    if (await hasDestinations(tx)) return;
    await insertDestination(tx, { id: generateId(), kind: "address", value: address, label: "Treasury", ...row });
    for (const currency of ["eur", "gbp"] as const)
      await insertDestination(tx, { id: generateId(), ...issuer, value: fundingIbanOf(currency), ...row });
  });
}

async function once(made: Promise<unknown>): Promise<void> {
  await made.catch((error: unknown) => {
    if (!(error instanceof CardkeepError) || error.status !== 409) throw error;
  });
}
