import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { createContext, createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import { generateId } from "@cardkeep/domain/core/generateId";
import { findSignedIn } from "@cardkeep/domain/operators/operatorSessions/sessions";
import type { Runtime } from "@cardkeep/runtime/compose";
import { CommandError } from "./errors.ts";
import { describeMachine } from "./machineOperator.ts";
import { readSessionSecret } from "./sessionFile.ts";

/** The operator at a terminal, for one command line. */
export interface CliOperator {
  /** The parts of this process, made at the first call. */
  load(): Promise<Runtime>;
  /** Who acts. It is asked for before the command runs. */
  identify(): Promise<OperatorActor>;
  /** The instant by the service's clock; without a service by the machine's. */
  now(): Promise<Date>;
  /** The context that the operator's verbs take; `reason` is what the operator gave for the command. */
  open(reason?: string | null): Promise<OperatorContext>;
}

/** The person who signed in at this terminal, or else the machine. @throws CommandError if the sign-in has ended */
async function identifyOperator({ services, settings, log }: Runtime, requestId: string): Promise<OperatorActor> {
  const secret = readSessionSecret(settings);
  if (secret === null) return describeMachine();
  const operator = await findSignedIn(createContext(services, { log, requestId }), secret);
  // The machine's own name would hide who acts.
  if (operator === null)
    throw new CommandError(
      "your sign-in has ended: run `cardkeep operators sign-in`, or `cardkeep operators sign-out`",
    );
  return operator;
}

/** Starts a session over a runtime, which is loaded once and not before a command needs it. */
export function createCliOperator(load: () => Promise<Runtime>): CliOperator {
  let runtime: Promise<Runtime> | null = null;
  const loadOnce = async () => (runtime ??= load());
  const requestId = generateId();
  let operator: Promise<OperatorActor> | null = null;
  const identify = async () => (operator ??= loadOnce().then((loaded) => identifyOperator(loaded, requestId)));
  return {
    load: loadOnce,
    now: async () => {
      try {
        const loaded = await runtime;
        return loaded === null ? new Date() : await loaded.services.clock.now(loaded.db);
      } catch {
        // The doctor prints its findings although the settings are wrong, or no database answers.
        return new Date();
      }
    },
    identify,
    open: async (reason = null) => {
      const { services, log } = await loadOnce();
      return createOperatorContext(services, { log, requestId, actor: await identify(), reason });
    },
  };
}
