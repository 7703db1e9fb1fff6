import type { OperatorActor } from "@cardkeep/domain/actor";
import { createOperatorContext, type OperatorContext } from "@cardkeep/domain/context";
import { generateId } from "@cardkeep/domain/generateId";
import type { Runtime } from "@cardkeep/runtime/compose";
import { describeMachine } from "./machineOperator.ts";

/** The operator at a terminal, for one command line. */
export interface Session {
  /** The parts of this process, made at the first call. */
  load(): Promise<Runtime>;
  /** Who acts. It is asked for before the command runs. */
  identify(): Promise<OperatorActor>;
  /** The context that the operator's verbs take; `reason` is what the operator gave for the command. */
  open(reason?: string | null): Promise<OperatorContext>;
}

/** Starts a session over a runtime, which is loaded once and not before a command needs it. */
export function createSession(load: () => Promise<Runtime>): Session {
  let runtime: Promise<Runtime> | null = null;
  const loadOnce = async () => (runtime ??= load());
  const identify = async () => describeMachine();
  const requestId = generateId();
  return {
    load: loadOnce,
    identify,
    open: async (reason = null) => {
      const { services, log } = await loadOnce();
      return createOperatorContext(services, { log, requestId, actor: await identify(), reason });
    },
  };
}
