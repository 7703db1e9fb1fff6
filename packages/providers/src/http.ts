/** Calls partners with a time limit and a size limit for the answer, and classifies failures. */
import { IllFormedText, parseJsonText } from "@cardkeep/contract/core/text";
import type { z } from "zod";

/** A partner did not answer in time, or sent an invalid answer: the same call may work later. */
export class ProviderUnavailable extends Error {
  override readonly name: string = "ProviderUnavailable";
  /** Whether the call is known to have had no effect; false where it may have had one. */
  readonly isWithoutEffect: boolean;

  constructor(
    message: string,
    { isWithoutEffect = false, ...options }: ErrorOptions & { isWithoutEffect?: boolean } = {},
  ) {
    super(message, options);
    this.isWithoutEffect = isWithoutEffect;
  }
}

/** A partner answered, and the answer cannot be read. That says nothing about other calls. */
export class ProviderUnreadable extends ProviderUnavailable {}

/** A partner answered that this request may succeed later. That says nothing about other calls, which may have a limit of their own. */
export class ProviderPostponed extends ProviderUnavailable {
  override readonly name = "ProviderPostponed";

  constructor(message: string) {
    super(message, { isWithoutEffect: true });
  }
}

/** A partner answered with a refusal; the same call will be refused again. */
export class ProviderRefused extends Error {
  override readonly name = "ProviderRefused";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The result of one call to a partner, for metrics. */
export interface CallReport {
  outcome: "answered" | "refused" | "unavailable";
  seconds: number;
}
export type ReportCall = (report: CallReport) => void;

/** Far above any partner's answer about one thing, and small enough to hold in memory. */
const answerBytesStandard = 1024 * 1024;
const isTemporary = (status: number): boolean => status >= 500 || status === 408;
const tooMany = 429;
/** A proxy's answers: what became of the call behind it is not known. */
const ofProxies: readonly number[] = [502, 504];
/** Codes of errors before a connection stood. */
const unconnected: readonly unknown[] = ["ConnectionRefused", "ECONNREFUSED", "ENOTFOUND", "FailedToOpenSocket"];

/**
 * Sends one request and parses its JSON answer by `answer`. The body is always read to its end or cut off.
 * @throws ProviderUnavailable, ProviderUnreadable, ProviderRefused; no message contains the partner's own text
 */
export const callJson = <T extends z.ZodType>(input: Call<T>): Promise<z.output<T>> =>
  measure(input, (text) => (text === "" ? null : parseJsonText(text)));

/** The same for an answer that is plain text. @throws ProviderUnavailable, ProviderUnreadable, ProviderRefused */
export const callText = <T extends z.ZodType>(input: Call<T>): Promise<z.output<T>> => measure(input, (text) => text);

interface Call<T extends z.ZodType> {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  /** The longest answer that is read; a MiB unless named. */
  answerBytesMax?: number | undefined;
  answer: T;
  /** Sorts an answer of 4xx by its body, which is null where it cannot be read; ProviderRefused unless given. */
  sortRefusal?: ((refusal: { status: number; body: unknown; message: string }) => Error) | undefined;
  report?: ReportCall | undefined;
}

async function measure<T extends z.ZodType>(input: Call<T>, parse: (text: string) => unknown): Promise<z.output<T>> {
  const startedAt = performance.now();
  const report = (outcome: CallReport["outcome"]) =>
    input.report?.({ outcome, seconds: (performance.now() - startedAt) / 1000 });
  try {
    const answer = await ask(input, parse);
    report("answered");
    return answer;
  } catch (error) {
    report(error instanceof ProviderRefused ? "refused" : "unavailable");
    throw error;
  }
}

async function ask<T extends z.ZodType>(
  { url, timeoutMs, answerBytesMax = answerBytesStandard, answer, sortRefusal, report: _, ...init }: Call<T>,
  parse: (text: string) => unknown,
): Promise<z.output<T>> {
  const { host, pathname } = new URL(url);
  const what = `${init.method} ${host}${pathname}`;
  const bounds = { what, answerBytesMax };
  const { status, text } = await exchange(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }, bounds);
  // Most partners have a limit for each kind of call: one that is used up must not stop the others.
  if (status === tooMany) throw new ProviderPostponed(`${what} answered ${status}`);
  if (isTemporary(status)) {
    throw new ProviderUnavailable(`${what} answered ${status}`, { isWithoutEffect: !ofProxies.includes(status) });
  }
  if (status >= 400) {
    const message = `${what} answered ${status}`;
    throw sortRefusal?.({ status, body: readRefusal(text), message }) ?? new ProviderRefused(status, message);
  }
  // Without a cause: both kinds of error quote the answer, which holds personal data.
  const invalid = `${what} answered ${status} with an invalid body`;
  if (text === null) throw new ProviderUnreadable(`${what} answered ${status} with more than ${answerBytesMax} bytes`);
  const parsed = answer.safeParse(readBody(() => parse(text), invalid));
  if (!parsed.success) throw new ProviderUnreadable(invalid);
  return parsed.data;
}

/** A body that is no JSON is a gateway's, or was cut off: the partner did not answer. One with ill-formed text is its answer. */
function readBody(parse: () => unknown, invalid: string): unknown {
  try {
    return parse();
  } catch (error) {
    throw error instanceof IllFormedText ? new ProviderUnreadable(invalid) : new ProviderUnavailable(invalid);
  }
}

function readRefusal(text: string | null): unknown {
  try {
    return parseJsonText(text ?? "null");
  } catch {
    return null;
  }
}

async function exchange(
  url: string,
  init: RequestInit,
  { what, answerBytesMax }: { what: string; answerBytesMax: number },
): Promise<{ status: number; text: string | null }> {
  try {
    const response = await fetch(url, { ...init, redirect: "error" });
    return { status: response.status, text: await readCapped(response, answerBytesMax) };
  } catch (cause) {
    const isWithoutEffect = cause instanceof Error && unconnected.includes(Reflect.get(cause, "code"));
    throw new ProviderUnavailable(`${what} did not answer`, { cause, isWithoutEffect });
  }
}

/** The body as text; null for a body above the limit, which is cut off. */
async function readCapped(response: Response, answerBytesMax: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // The return leaves the loop, which cancels the stream.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
