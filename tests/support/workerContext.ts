import { createContext } from "@cardkeep/domain/core/context";
import type { RelayContext } from "@cardkeep/domain/chain/relay/settler";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { settlers } from "@cardkeep/worker/settlers";

/** The context in which a worker runs a job, for a test that runs the job's verb itself: no worker runs beside it. */
export function createWorkerContext({ services, settings, log }: Runtime): RelayContext {
  const keys = createWorkerKeys(settings, () => {});
  const stopping = new AbortController().signal;
  return createContext({ ...services, ...keys, stopping, settlers }, { log, requestId: "by hand" });
}
