/** How long a node's answer may take, and how long it may be. */

/**
 * Options of viem's HTTP transport and client.
 *
 * @param input.timeoutMs longest wait for an answer, with its body: the transport's own timeout ends with the headers, and a
 *   machine that vanishes after them would be waited for without an end
 * @param input.bodyBytesMax longest accepted answer; by default enough for the logs of a full block
 */
export const buildAnswerLimits = ({
  timeoutMs,
  bodyBytesMax = 64 * 1024 * 1024,
}: {
  timeoutMs: number;
  bodyBytesMax?: number | undefined;
}) => ({
  timeout: timeoutMs,
  maxResponseBodySize: bodyBytesMax,
  fetchFn: (address: string | URL | Request, init?: RequestInit) =>
    fetch(address, { ...init, signal: joinSignals(init?.signal, AbortSignal.timeout(timeoutMs)) }),
});

const joinSignals = (given: AbortSignal | null | undefined, own: AbortSignal): AbortSignal =>
  given ? AbortSignal.any([given, own]) : own;
