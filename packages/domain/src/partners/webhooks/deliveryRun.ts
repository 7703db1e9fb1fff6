/** What changes while a delivery run lasts, and the rules that end it. */
import type { AttemptResult, DueDelivery } from "@cardkeep/db/queries/partners/deliveries/due";
import { listPartnerKeys, type Partner } from "@cardkeep/db/queries/partners/partners";
import type { WebhookAnswer, WebhookEndpoint } from "@cardkeep/providers/webhooks/send";
import type { WorkerContext } from "../../core/context.ts";
import { clampRetryAfterMs, findRetryAfterSeconds } from "./retrySchedule.ts";

/** A run starts no attempt after this time, so that waiting endpoints get its slot. */
const runMsMax = 20_000;
const unansweredMax = 3;
const pauseMs = 60_000;

export interface DeliveryRunInput {
  readonly partner: Partner;
  readonly endpoint: WebhookEndpoint;
  /** They sign each delivery, `whsec_` and base64. */
  readonly secrets: readonly string[];
  /** What it sends by, of `readTerms`. */
  readonly terms: string;
  readonly startedAt: Date;
}

/** Where a partner's deliveries go, what they carry and which keys sign them: a run ends when any of it changes. */
export async function readTerms({ db, clock }: WorkerContext, partner: Partner): Promise<string> {
  const { id: partnerId, webhookUrl, payload, status } = partner;
  const keys = await listPartnerKeys(db, { partnerId, kind: "secret", now: await clock.now(db) });
  return JSON.stringify([webhookUrl, payload, status, keys.map(({ id }) => id)]);
}

/** Everything that changes while a run lasts; each function below changes it before its next await. */
export interface DeliveryRun extends DeliveryRunInput {
  readonly ctx: WorkerContext;
  readonly startedMs: number;
  /** Due deliveries that were read and not started yet. */
  waiting: DueDelivery[];
  readMs: number;
  /** Whether more deliveries may be due than were read. */
  isMoreDue: boolean;
  /** Attempts whose request is under way; none of these promises rejects. */
  readonly sending: Set<Promise<void>>;
  /** Ids of deliveries that were started and are not written yet. */
  readonly unwritten: Set<string>;
  results: AttemptResult[];
  /** The write under way, if any; it never rejects. */
  writing: Promise<void> | null;
  /** The first failure of an attempt or a write; the run ends with it. */
  failure: { readonly error: unknown } | null;
  isFailing: boolean;
  unanswered: number;
  pauseMs: number;
  isDisabled: boolean;
  /** Whether another run has to go on, by terms that changed. */
  isReplaced: boolean;
}

/** A run that has done nothing yet. */
export const createDeliveryRun = (ctx: WorkerContext, input: DeliveryRunInput): DeliveryRun => ({
  ...input,
  ctx,
  startedMs: performance.now(),
  waiting: [],
  readMs: Number.NEGATIVE_INFINITY,
  isMoreDue: true,
  sending: new Set(),
  unwritten: new Set(),
  results: [],
  writing: null,
  failure: null,
  isFailing: input.partner.failingSince !== null || input.partner.pausedUntil !== null,
  unanswered: 0,
  pauseMs: 0,
  isDisabled: false,
  isReplaced: false,
});

/** Whether no further attempt may start. */
export function mustEnd({ ctx, startedMs, isDisabled, isReplaced, pauseMs: pause, failure }: DeliveryRun): boolean {
  const isLate = performance.now() - startedMs > runMsMax;
  return isDisabled || isReplaced || pause > 0 || isLate || ctx.stopping.aborted || failure !== null;
}

/** What one answer means for the endpoint: a pause, or its end. */
export function updateEndpoint(run: DeliveryRun, answer: WebhookAnswer): void {
  run.unanswered = answer.status === null ? run.unanswered + 1 : 0;
  const silenceMs = run.unanswered >= unansweredMax ? pauseMs : 0;
  run.pauseMs = Math.max(run.pauseMs, silenceMs, clampRetryAfterMs(findRetryAfterSeconds(answer)));
  run.isDisabled ||= answer.status === 410;
}
