/** How the adapter calls an OpenID provider: with a time limit. */
import { ProviderUnavailable, type ReportCall } from "../http.ts";

/** The part of a request that calls to a provider need: all of them are forms or have no body. */
interface ProviderRequest {
  readonly method: string;
  readonly headers: HeadersInit;
  readonly body?: unknown;
}

export type ProviderFetch = (url: string, options: ProviderRequest) => Promise<Response>;

const bytesMax = 1024 * 1024;
const isTemporary = (status: number): boolean => status >= 500 || status === 429 || status === 408;

/**
 * A `fetch` that follows no redirect, ends after the time limit and takes no answer above 1 MiB.
 *
 * It throws ProviderUnavailable without an answer, and for an answer that says that the provider cannot answer now.
 */
export function createProviderFetch({
  timeoutMs,
  report = () => {},
}: {
  timeoutMs: number;
  report?: ReportCall | undefined;
}): ProviderFetch {
  return async (url, { method, headers, body: form }) => {
    const startedAt = performance.now();
    const { host, pathname } = new URL(url);
    const count = (outcome: Parameters<ReportCall>[0]["outcome"]) =>
      report({ outcome, seconds: (performance.now() - startedAt) / 1000 });
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: form instanceof URLSearchParams ? form : null,
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      const body = await response.arrayBuffer();
      if (isTemporary(response.status)) throw new ProviderUnavailable(`${host}${pathname} answered ${response.status}`);
      if (body.byteLength > bytesMax) throw new ProviderUnavailable(`${host}${pathname} answered too much`);
      count(response.ok ? "answered" : "refused");
      return new Response(body.byteLength === 0 ? null : body, response);
    } catch (cause) {
      count("unavailable");
      if (cause instanceof ProviderUnavailable) throw cause;
      throw new ProviderUnavailable(`${host}${pathname} did not answer`, { cause });
    }
  };
}
