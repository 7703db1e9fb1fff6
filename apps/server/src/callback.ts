/** Runs callbacks of partners: in a trace, within a deadline, and with every fault as a documented error. */
import { type CommitContext, createContext } from "@cardkeep/domain/core/context";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import type { Runtime } from "@cardkeep/runtime/compose";
import { requestIdOf } from "./caller.ts";
import { withDeadline } from "./deadline.ts";
import { logError } from "./observe.ts";
import { replyError } from "./reply.ts";

/** Answers a request to `/callbacks/<name>`. The jobs that it starts link to its trace. */
export async function answerCallback(
  runtime: Runtime,
  name: string,
  request: Request,
  answer: (ctx: CommitContext) => Promise<Response>,
): Promise<Response> {
  const { tracing, services } = runtime;
  const requestId = requestIdOf(request);
  const operation = `callbacks.${name.replaceAll("/", ".")}`;
  const log = runtime.log.child({ requestId });
  const ctx = createContext(services, { log, requestId, acceptLanguage: request.headers.get("accept-language") });
  const run = () => withDeadline(() => answer(ctx));
  const span = {
    requestId,
    name: operation,
    traceparent: request.headers.get("traceparent"),
    attributes: { "http.request.method": request.method, "http.route": `/callbacks/${name}` },
  };
  try {
    return await (tracing === null ? run() : tracing.request(span, run));
  } catch (error) {
    const fault = toCardkeepError(error);
    logError(runtime, fault, { requestId, operation });
    return replyError(fault, null);
  }
}
