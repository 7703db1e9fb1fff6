/** A proxy before a partner's HTTP API: a test can change single calls or stop all of them. */

type Interceptor = (forward: () => Promise<Response>) => Promise<Response | null>;

export interface HttpProxy {
  readonly url: string;
  /** While true no call is answered. */
  isDown: boolean;
  /** The next request with this method and path goes to `interceptor`; null drops the connection without an answer. */
  intercept(request: string, interceptor: Interceptor): void;
  /** Every request goes to it, with its method and path, until null is given. */
  interceptAll(
    interceptor: ((request: string, forward: () => Promise<Response>) => Promise<Response | null>) | null,
  ): void;
  stop(): void;
}

/** @param target it may be known later than the proxy's own port */
export function startHttpProxy(target: string | (() => string), port = 0): HttpProxy {
  const interceptors = new Map<string, Interceptor>();
  let every: Parameters<HttpProxy["interceptAll"]>[0] = null;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 60,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = await request.text();
      const forward = async () => {
        const address = typeof target === "string" ? target : target();
        const answer = await fetch(address + pathname + search, { method, headers, ...(body !== "" && { body }) });
        return new Response(await answer.text(), {
          status: answer.status,
          headers: { "Content-Type": "application/json" },
        });
      };
      const name = `${method} ${pathname}`;
      const one = every;
      const interceptor = interceptors.get(name) ?? (one && ((forwarded) => one(name, forwarded)));
      interceptors.delete(name);
      const answer = interceptor ? await interceptor(forward) : proxy.isDown ? null : await forward();
      return answer ?? new Response(null, { status: 502 });
    },
  });
  const proxy: HttpProxy = {
    url: `http://127.0.0.1:${server.port}`,
    isDown: false,
    intercept: (request, interceptor) => void interceptors.set(request, interceptor),
    interceptAll: (interceptor) => {
      every = interceptor;
    },
    stop: () => void server.stop(true),
  };
  return proxy;
}
