/** Calls to partners: a deadline on each, the answer read whole and never too much of it, failures told apart. */

/** A partner did not answer, or not in time, or said that it cannot just now: the same call may work later. */
export class ProviderUnavailable extends Error {
  override readonly name = "ProviderUnavailable";
}

/** A partner understood and refused; the same call will be refused again. */
export class ProviderRefused extends Error {
  override readonly name = "ProviderRefused";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const answerBytesMax = 1024 * 1024;
const isTemporary = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/**
 * Sends one request and answers its JSON.
 *
 * @throws ProviderUnavailable, ProviderRefused; neither carries the partner's own text
 */
export async function callJson(input: {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
}): Promise<unknown> {
  const { url, timeoutMs, ...init } = input;
  const { host, pathname } = new URL(url);
  const what = `${init.method} ${host}${pathname}`;
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
    status = response.status;
    text = await response.text();
  } catch (cause) {
    throw new ProviderUnavailable(`${what} was not answered`, { cause });
  }
  if (isTemporary(status) || text.length > answerBytesMax) throw new ProviderUnavailable(`${what} answered ${status}`);
  if (status >= 400) throw new ProviderRefused(status, `${what} answered ${status}`);
  try {
    return text === "" ? null : JSON.parse(text);
  } catch (cause) {
    throw new ProviderUnavailable(`${what} answered no JSON`, { cause });
  }
}
