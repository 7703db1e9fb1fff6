import { createOperatorContext, type OperatorContext } from "@cardkeep/domain/context";
import { generateId } from "@cardkeep/domain/generateId";
import type { Runtime } from "@cardkeep/runtime/compose";

/** The operator at a terminal, for one command line. */
export interface Session {
  /** The parts of this process, made at the first call. */
  load(): Promise<Runtime>;
  /** The context that the operator's verbs take. */
  open(): Promise<OperatorContext>;
}

/** Starts a session over a runtime, which is loaded once and not before a command needs it. */
export function createSession(load: () => Promise<Runtime>): Session {
  let runtime: Promise<Runtime> | null = null;
  const loadOnce = async () => (runtime ??= load());
  const requestId = generateId();
  return {
    load: loadOnce,
    open: async () => {
      const { services, log } = await loadOnce();
      return createOperatorContext(services, { log, requestId, via: "cli" });
    },
  };
}
