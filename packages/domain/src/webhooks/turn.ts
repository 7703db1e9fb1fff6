/**
 * One turn at an endpoint: deliveries are sent side by side, and written down as they end, together with those beside them.
 *
 * - unanswered: no status came back. An endpoint that leaves several attempts in a row unanswered is left alone for a while.
 */
import {
  type AttemptResult,
  type DueDelivery,
  listDueDeliveries,
  recordAttempts,
} from "@cardkeep/db/queries/deliveries";
import type { Partner } from "@cardkeep/db/queries/partners";
import type { WebhookAnswer, WebhookEndpoint } from "@cardkeep/providers/webhooks/send";
import type { WorkerContext } from "../context.ts";
import { reportAttempts } from "./reportAttempts.ts";
import { buildBody } from "./buildBody.ts";
import { clampRetryAfterMs, findRetryDelayMs } from "./schedule.ts";

const parallelMax = 16;
const loadedMax = 200;
/** What was read longer ago is read again: its user may have unsubscribed since, and more may be due. */
const freshMs = 250;
/** A turn takes this long at most and what was begun then; whoever waits for a slot comes next. */
const turnMsMax = 20_000;
const unansweredMax = 3;
const pauseMs = 60_000;

export class Turn {
  readonly #beganMs = performance.now();
  #waiting: DueDelivery[] = [];
  #readMs = Number.NEGATIVE_INFINITY;
  /** Whether more is due than was read. */
  #isMoreDue = true;
  /** Begun, and not yet written down. */
  readonly #underWay = new Set<string>();
  #sending = 0;
  #sent = Promise.withResolvers<void>();
  #results: AttemptResult[] = [];
  #writing: Promise<void> | null = null;
  #fault: unknown = null;
  #isFailing: boolean;
  #unanswered = 0;
  #pauseMs = 0;
  #isDisabled = false;

  constructor(
    readonly ctx: WorkerContext,
    readonly partner: Partner,
    readonly endpoint: WebhookEndpoint,
    /** They sign each delivery, `whsec_` and base64. */
    readonly secrets: readonly string[],
    readonly startedAt: Date,
  ) {
    this.#isFailing = partner.failingSince !== null || partner.pausedUntil !== null;
  }

  /** Sends until nothing is due, the endpoint is to be left alone, or others have waited long enough. */
  async run(): Promise<{ isDisabled: boolean; pauseMs: number }> {
    while (!this.#mustEnd()) {
      if (this.#sending === parallelMax) {
        await this.#sent.promise;
        continue;
      }
      const delivery = await this.#take();
      if (delivery) void this.#send(delivery);
      else if (this.#sending === 0) break;
      else await Promise.race([this.#sent.promise, Bun.sleep(freshMs)]);
    }
    while (this.#sending > 0) await this.#sent.promise;
    await this.#flush();
    if (this.#fault !== null) throw this.#fault;
    return { isDisabled: this.#isDisabled, pauseMs: this.#pauseMs };
  }

  #mustEnd(): boolean {
    const isLate = performance.now() - this.#beganMs > turnMsMax;
    return this.#isDisabled || this.#pauseMs > 0 || isLate || this.ctx.stopping.aborted || this.#fault !== null;
  }

  /** What is to be sent next; null when nothing is known to be due. */
  async #take(): Promise<DueDelivery | null> {
    const isStale = performance.now() - this.#readMs > freshMs;
    if (isStale || (this.#waiting.length === 0 && this.#isMoreDue)) await this.#read();
    return this.#waiting.shift() ?? null;
  }

  async #read(): Promise<void> {
    const { db, clock } = this.ctx;
    const except = [...this.#underWay];
    const now = await clock.now(db);
    this.#waiting = await listDueDeliveries(db, { partnerId: this.partner.id, now, limit: loadedMax, except });
    this.#isMoreDue = this.#waiting.length === loadedMax;
    this.#readMs = performance.now();
  }

  async #send(delivery: DueDelivery): Promise<void> {
    this.#underWay.add(delivery.id);
    this.#sending += 1;
    const { id, sequence, requestId } = delivery;
    const body = buildBody(delivery, this.partner.payload);
    // By the wall clock, whatever the service's own time.
    const timestamp = Math.floor(Date.now() / 1000);
    const signed = this.ctx.webhookKeys.buildHeaders({ id, sequence, timestamp, body, secrets: this.secrets });
    const headers = { ...signed, "X-Request-Id": requestId };
    const answer = await this.endpoint.post({ headers, body, signal: this.ctx.stopping });
    if (!answer.isAborted) {
      this.#results.push(this.#judge(delivery, answer));
      void this.#flush();
    }
    this.#sending -= 1;
    this.#sent.resolve();
    this.#sent = Promise.withResolvers();
  }

  #judge({ id, attempts, scheduleFrom }: DueDelivery, answer: WebhookAnswer): AttemptResult {
    const { status, error, durationMs } = answer;
    const at = new Date(this.startedAt.getTime() + performance.now() - this.#beganMs);
    const attempt = attempts + 1;
    const isDelivered = status !== null && status >= 200 && status < 300;
    const retryAfterSeconds = status === 429 || status === 503 ? answer.retryAfterSeconds : null;
    const delayMs = findRetryDelayMs(attempt - scheduleFrom, { random: Math.random(), retryAfterSeconds });
    // What a receiver is gone for waits, in case it comes back.
    const isGone = status === 410;
    const becomes = isDelivered ? "DELIVERED" : delayMs === null && !isGone ? "FAILED" : "PENDING";
    const nextAttemptAt = new Date(at.getTime() + (isGone ? 0 : (delayMs ?? 0)));
    this.#unanswered = status === null ? this.#unanswered + 1 : 0;
    const isSilent = this.#unanswered >= unansweredMax;
    this.#pauseMs = Math.max(this.#pauseMs, isSilent ? pauseMs : 0, clampRetryAfterMs(retryAfterSeconds));
    this.#isDisabled ||= isGone;
    return { id, attempt, at, status, error, durationMs, becomes, nextAttemptAt };
  }

  /** Writes what has ended; while that is under way, whatever ends meanwhile is written next, all of it at once. */
  #flush(): Promise<void> {
    this.#writing ??= this.#write()
      .catch((error: unknown) => {
        // Whatever is not written is sent again, under the same ids.
        this.#fault = error;
      })
      .finally(() => {
        this.#writing = null;
      });
    return this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#results.length > 0) {
      const results = this.#results.splice(0);
      const noted = await this.ctx.commit(async (work) => {
        await recordAttempts(work.tx, results);
        const endpoint = { id: this.partner.id, isFailing: this.#isFailing };
        return reportAttempts(work, this.ctx.log, endpoint, { results, pauseMs: this.#pauseMs });
      });
      for (const { id } of results) this.#underWay.delete(id);
      this.#isFailing = noted.isFailing;
      this.#isDisabled ||= noted.isDisabled;
    }
  }
}
