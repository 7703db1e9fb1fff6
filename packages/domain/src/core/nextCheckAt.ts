import { dayMs } from "@cardkeep/contract/core/durations";
import type { KycPolicy } from "./policy.ts";

/** Checks are spread over the last part of the time: those that were due together are not due together again. */
const spread = 0.2;

/** When the identity provider is asked about a person again who was asked about now. */
export const nextCheckAt = ({ kycRecheckDays }: Pick<KycPolicy, "kycRecheckDays">, now: Date): Date =>
  new Date(now.getTime() + kycRecheckDays * dayMs * (1 - spread * Math.random()));
