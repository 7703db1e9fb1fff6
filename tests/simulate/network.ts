/**
 * The network of a simulated world in place of `fetch`: calls between the service, its partners and its people stay in this
 * process, and calls to the node go to the real one. Each request is a message, and so is each answer.
 */
import { isAlone } from "./native.ts";
import type { Process, Scheduler } from "./scheduler.ts";

/** A call to the node, alone or one of several that it answers together. */
interface Question {
  id: number;
  method: string;
  params?: unknown;
}

interface Answer {
  id: number;
}

/** Who answers at an origin, and in whose name. */
export interface Host {
  readonly process: Process;
  readonly name: string;
  handle(request: Request): Promise<Response>;
}

/** What becomes of a request: it arrives, it arrives twice, it is lost, or its answer is lost. */
export type Fate = "arrives" | "arrivesTwice" | "isLost" | "answerIsLost";

export interface Network {
  /** Ends the connections of a process that died: who called it gets no answer. */
  endConnections(process: Process): void;
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
}

/** What a client sees of a connection that ended without an answer. */
const dropped = () =>
  Object.assign(new TypeError("The socket connection was closed unexpectedly"), { code: "ECONNRESET" });

export function createNetwork(input: {
  scheduler: Scheduler;
  rpcUrl: string;
  fetchReally: typeof fetch;
  /** The process that answers now; null where none runs. */
  findHost(origin: string): Host | null;
  drawFate(request: { from: string; host: string; path: string }): Fate;
  onAnswer(host: string, what: string, status: number): void;
}): Network {
  const { scheduler } = input;
  let handled = 0;
  const open = new Set<{ process: Process; end: () => void }>();

  const callNode = async (init: RequestInit | undefined): Promise<Response> => {
    const body = String(init?.body);
    const asked = JSON.parse(body) as Question | Question[];
    const questions = [asked].flat();
    const text = questions.map(({ method, params }) => `${method} ${JSON.stringify(params ?? [])}`).join(" and ");
    const answers = await scheduler.pass({ kind: "rpc", text }, async () => {
      const headers = { "Content-Type": "application/json" };
      const answered = await input.fetchReally(input.rpcUrl, { method: "POST", headers, body });
      const said = [(await answered.json()) as Answer | Answer[]].flat();
      // A client counts its calls, also those before the world began.
      return questions.map(({ id }) => {
        const { id: _, ...answer } = said.find((one) => one.id === id) ?? { id };
        return answer;
      });
    });
    const named = answers.map((answer, index) => ({ ...answer, id: questions[index]?.id }));
    return Response.json(Array.isArray(asked) ? named : named[0]);
  };

  const handle = async (host: Host, request: Request, what: string): Promise<{ text: string; response: Response }> => {
    const actor = { name: `${host.name} ${what} #${++handled}`, process: host.process };
    const died = Promise.withResolvers<never>();
    const connection = { process: host.process, end: () => died.reject(dropped()) };
    open.add(connection);
    const answered = scheduler.run(actor, async () => {
      const response = await host.handle(request);
      input.onAnswer(host.name, what, response.status);
      return { text: await response.text(), response };
    });
    try {
      return await Promise.race([answered, died.promise]);
    } finally {
      open.delete(connection);
    }
  };

  const call = async (origin: string, request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const what = `${request.method} ${pathname}`;
    const body = await request.clone().text();
    const from = scheduler.current()?.name ?? "";
    const text = `${what}${search} ${body}`;
    const fate = { now: "arrives" as Fate, host: null as Host | null };
    await scheduler.pass({ kind: "request", text }, async () => {
      fate.host = input.findHost(origin);
      fate.now = input.drawFate({ from, host: fate.host?.name ?? "", path: pathname });
      return `${fate.now} at ${fate.host?.name ?? "no host"}`;
    });
    const { host } = fate;
    if (host === null || fate.now === "isLost") throw dropped();
    if (fate.now === "arrivesTwice") handle(host, request.clone(), what).catch(() => null);
    const { text: answer, response } = await handle(host, request, what);
    await scheduler.pass(
      { kind: "answer", text: `${what} from ${host.name}` },
      async () => `${response.status} ${answer}`,
    );
    if (fate.now === "answerIsLost") throw dropped();
    return new Response(answer === "" ? null : answer, response);
  };

  return {
    endConnections: (process) => {
      for (const connection of open) if (connection.process === process) connection.end();
    },
    fetch: async (given, init) => {
      const request = new Request(given, init);
      const { origin } = new URL(request.url);
      if (isAlone() && origin === new URL(input.rpcUrl).origin) return input.fetchReally(given, init);
      const signal = init?.signal ?? null;
      signal?.throwIfAborted();
      const answered = origin === new URL(input.rpcUrl).origin ? callNode(init) : call(origin, request);
      if (!signal) return answered;
      const aborted = Promise.withResolvers<never>();
      const abort = () => aborted.reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      aborted.promise.catch(() => {});
      answered.catch(() => {});
      try {
        return await Promise.race([answered, aborted.promise]);
      } finally {
        signal.removeEventListener("abort", abort);
      }
    },
  };
}
