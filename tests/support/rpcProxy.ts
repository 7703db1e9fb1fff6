/** A proxy before the chain's RPC, through which a test meddles with single calls. */

type Interceptor = (forward: () => Promise<Response>) => Promise<Response | null>;

export interface RpcProxy {
  readonly url: string;
  /** The next call of this method goes to `interceptor`; null drops the connection without an answer. */
  intercept(method: string, interceptor: Interceptor): void;
  stop(): void;
}

export function startRpcProxy(target: string): RpcProxy {
  const interceptors = new Map<string, Interceptor>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      const forward = () => fetch(target, { method: "POST", headers: { "Content-Type": "application/json" }, body });
      const { method } = JSON.parse(body);
      const interceptor = interceptors.get(method);
      interceptors.delete(method);
      const answer = interceptor ? await interceptor(forward) : await forward();
      return answer ?? new Response(null, { status: 502 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    intercept: (method, interceptor) => void interceptors.set(method, interceptor),
    stop: () => void server.stop(true),
  };
}
