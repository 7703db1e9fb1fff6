/** Disputes as operators see them. */
import { dayMs } from "@cardkeep/contract/core/durations";
import type { DisputeStatus } from "@cardkeep/contract/spending/disputes";
import { fail } from "@cardkeep/contract/core/errors";
import { type CardDispute, findDispute, listDisputes } from "@cardkeep/db/queries/spending/disputes";
import { findPaymentDispute } from "@cardkeep/db/queries/spending/paymentParts";
import { type CardPayment, findPayment, findThreadPayment } from "@cardkeep/db/queries/spending/payments";
import type { Services } from "../../core/services.ts";
import { resolveUser } from "../../users/users/listUsers.ts";
import { readEvidence } from "./readEvidence.ts";

/** A dispute whose last day is so near is due. */
export const dueDays = 14;

/** What disputes are chosen by; an absent condition is none. */
export interface DisputeFilter {
  status?: DisputeStatus | null | undefined;
  /** Id, e-mail address, sign-in wallet or Safe. */
  user?: string | null | undefined;
  /** Only those that are to be submitted within two weeks, the most urgent first. */
  isDue?: boolean | undefined;
  after?: string | null | undefined;
  limit: number;
}

/** Disputes that pass the choice, newest first. @throws users.not_found */
export async function listAllDisputes(
  { db, clock }: Pick<Services, "db" | "clock">,
  { status, user, isDue = false, after, limit }: DisputeFilter,
): Promise<CardDispute[]> {
  const owner = user ? await resolveUser(db, user) : null;
  const dueBefore = isDue ? new Date((await clock.now(db)).getTime() + dueDays * dayMs) : null;
  return listDisputes(db, {
    status: status ?? null,
    userId: owner?.id ?? null,
    dueBefore,
    after: after ?? null,
    limit,
  });
}

export interface DisputeDetails extends Awaited<ReturnType<typeof readEvidence>> {
  dispute: CardDispute;
  /** Null after its month was archived. */
  payment: CardPayment | null;
}

/** One dispute, by its id, its payment's, its thread's or the issuer's. @throws disputes.not_found */
export async function getDisputeDetails(
  { db }: Pick<Services, "db">,
  { reference }: { reference: string },
): Promise<DisputeDetails> {
  const key = await findThreadPayment(db, reference);
  const dispute =
    (await findDispute(db, reference)) ??
    (await findPaymentDispute(db, key?.id ?? reference)) ??
    fail("disputes.not_found");
  const { paymentId, userId, reason } = dispute;
  const payment = await findPayment(db, { id: paymentId, userId });
  return { dispute, payment, ...(await readEvidence(db, paymentId, reason)) };
}
