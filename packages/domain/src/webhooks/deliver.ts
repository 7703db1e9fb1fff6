/**
 * Writes to one endpoint what is due to it; each endpoint has one such job at a time, so none waits for another.
 *
 * - unanswered: no status came back. An endpoint that leaves several attempts in a row unanswered is left alone for a while.
 */
import type { AttemptResult, DueDelivery } from "@cardkeep/db/queries/deliveries";
import { findNextAttempt, listDueDeliveries, recordAttempts } from "@cardkeep/db/queries/deliveries";
import { enqueue } from "@cardkeep/db/jobs";
import { findPartner, type Partner } from "@cardkeep/db/queries/partners";
import { WebhookRefused, type WebhookAnswer, type WebhookEndpoint } from "@cardkeep/providers/webhooks/send";
import type { WorkerContext } from "../context.ts";
import { listSecrets } from "../partners/keys.ts";
import { type EndpointChange, noteEndpoint } from "./endpoint.ts";
import { buildBody } from "./payload.ts";
import { clampRetryAfterMs, findRetryDelayMs } from "./schedule.ts";

const parallelMax = 16;
const loadedMax = 200;
/** A turn takes this long at most and what was begun then; whoever waits for a slot comes next. */
const turnMsMax = 20_000;
const unansweredMax = 3;
const pauseMs = 60_000;

/** Sends what is due until nothing is, then comes back when something will be. */
export async function deliver(ctx: WorkerContext, { partnerId }: { partnerId: string }): Promise<void> {
  const partner = await findPartner(ctx.db, partnerId);
  if (!partner || partner.webhookUrl === null || partner.status !== "ACTIVE" || partner.webhookStatus !== "ACTIVE")
    return;
  const now = await ctx.clock.now(ctx.db);
  const { pausedUntil } = partner;
  if (pausedUntil && pausedUntil > now) return comeBack(ctx, partnerId, (at) => pausedUntil.getTime() - at.getTime());
  const endpoint = await openEndpoint(ctx, partner.webhookUrl);
  try {
    const { hasStopped, pauseMs: pausing } = await new Turn(ctx, partner, endpoint, now).run();
    if (hasStopped) return;
    const next = await findNextAttempt(ctx.db, partnerId);
    if (next !== null) await comeBack(ctx, partnerId, (at) => Math.max(pausing, next.getTime() - at.getTime()));
  } finally {
    endpoint.close();
  }
}

const comeBack = (ctx: WorkerContext, partnerId: string, findDelayMs: (now: Date) => number): Promise<void> =>
  ctx.commit(({ tx, now, requestId }) => enqueue(tx, "webhook.deliver", { partnerId, requestId }, findDelayMs(now)));

/** The endpoint, or where its address may not be connected to or is not found, one that says so. */
async function openEndpoint({ webhookSender }: WorkerContext, url: string): Promise<WebhookEndpoint> {
  try {
    return await webhookSender.open(url);
  } catch (error) {
    const why = error instanceof WebhookRefused ? error.message : "the address was not found";
    const answer = { status: null, error: why, retryAfterSeconds: null, isAborted: false, durationMs: 0 };
    return { post: async () => answer, close: () => {} };
  }
}

interface Ended {
  hasStopped: boolean;
  pauseMs: number;
}

/** One turn at an endpoint: deliveries are sent side by side, and written down as they end, together with those beside them. */
class Turn {
  readonly #endsAt = performance.now() + turnMsMax;
  readonly #waiting: DueDelivery[] = [];
  readonly #underWay = new Set<string>();
  #results: AttemptResult[] = [];
  #writing: Promise<void> | null = null;
  #change: EndpointChange = { hasSucceeded: false, hasFailed: false, isGone: false };
  #isFailing: boolean;
  #unanswered = 0;
  #pauseMs = 0;
  #isOver = false;

  constructor(
    readonly ctx: WorkerContext,
    readonly partner: Partner,
    readonly endpoint: WebhookEndpoint,
    readonly startedAt: Date,
  ) {
    this.#isFailing = partner.failingSince !== null || partner.pausedUntil !== null;
  }

  async run(): Promise<Ended> {
    const { ctx, partner, startedAt } = this;
    const secrets = await listSecrets(ctx, { partnerId: partner.id, now: startedAt });
    while (!this.#mustEnd() && (await this.#load())) {
      await Promise.all(Array.from({ length: parallelMax }, () => this.#work(secrets)));
      await this.#flush();
    }
    return { hasStopped: this.#isOver, pauseMs: this.#pauseMs };
  }

  #mustEnd(): boolean {
    const isLate = performance.now() > this.#endsAt;
    return this.#isOver || this.#pauseMs > 0 || isLate || this.ctx.stopping.aborted;
  }

  async #load(): Promise<boolean> {
    const now = await this.ctx.clock.now(this.ctx.db);
    const except = [...this.#underWay];
    const due = await listDueDeliveries(this.ctx.db, { partnerId: this.partner.id, now, limit: loadedMax, except });
    this.#waiting.splice(0, this.#waiting.length, ...due);
    return due.length > 0;
  }

  async #work(secrets: readonly string[]): Promise<void> {
    for (;;) {
      const delivery = this.#mustEnd() ? undefined : this.#waiting.shift();
      if (!delivery) return;
      const body = buildBody(delivery, this.partner.payload);
      const { id, sequence } = delivery;
      // By the wall clock, whatever the service's own time.
      const timestamp = Math.floor(Date.now() / 1000);
      const headers = this.ctx.webhookKeys.buildHeaders({ id, sequence, timestamp, body, secrets });
      const answer = await this.endpoint.post({ headers, body, signal: this.ctx.stopping });
      if (answer.isAborted) return;
      this.#conclude(delivery, answer);
      void this.#flush();
    }
  }

  #conclude({ id, attempts, scheduleFrom }: DueDelivery, answer: WebhookAnswer): void {
    const { status, error, durationMs } = answer;
    const at = new Date(this.startedAt.getTime() + performance.now() - (this.#endsAt - turnMsMax));
    const isDelivered = status !== null && status >= 200 && status < 300;
    const isAsked = status === 429 || status === 503;
    const retryAfterSeconds = isAsked ? answer.retryAfterSeconds : null;
    const attempt = attempts + 1;
    const delayMs = findRetryDelayMs(attempt - scheduleFrom, { random: Math.random(), retryAfterSeconds });
    const isGone = status === 410;
    // What a receiver is gone for waits, in case it comes back.
    const becomes = isDelivered ? "DELIVERED" : delayMs === null && !isGone ? "FAILED" : "PENDING";
    const nextAttemptAt = new Date(at.getTime() + (isGone ? 0 : (delayMs ?? 0)));
    this.#results.push({ id, attempt, at, status, error, durationMs, becomes, nextAttemptAt });
    this.#unanswered = status === null ? this.#unanswered + 1 : 0;
    if (this.#unanswered >= unansweredMax) this.#pauseMs = pauseMs;
    this.#pauseMs = Math.max(this.#pauseMs, clampRetryAfterMs(retryAfterSeconds));
    const { hasSucceeded, hasFailed } = this.#change;
    this.#change = {
      hasSucceeded: hasSucceeded || isDelivered,
      hasFailed: hasFailed || !isDelivered,
      isGone: this.#change.isGone || isGone,
    };
    if (isGone) this.#isOver = true;
  }

  /** Writes what has ended; while that is under way, whatever ends meanwhile is written next, all of it at once. */
  #flush(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#results.length > 0) {
      const results = this.#results;
      const change = { ...this.#change, pauseMs: this.#pauseMs };
      this.#results = [];
      this.#change = { hasSucceeded: false, hasFailed: false, isGone: false };
      const noted = await this.ctx.commit(async (work) => {
        await recordAttempts(work.tx, results);
        return noteEndpoint(work, this.ctx.log, { id: this.partner.id, isFailing: this.#isFailing }, change);
      });
      this.#isFailing = noted.isFailing;
      if (noted.isDisabled) this.#isOver = true;
    }
  }
}
