/** Workers with changing settings, one after the other, in the test's process. */
import { createRuntime } from "@cardkeep/runtime/compose";
import { startWorker } from "@cardkeep/worker/worker";
import { readWorkerSettings } from "./workerSettings.ts";

export interface WorkerInTurn {
  /** Ends the present worker, and starts one with these settings. */
  restart(env: Record<string, string>): Promise<void>;
  /** Ends the present worker; does nothing without one. */
  stop(): Promise<void>;
}

export function createWorkerInTurn(): WorkerInTurn {
  let stopPresent = async () => {};
  return {
    restart: async (env) => {
      await stopPresent();
      const runtime = await createRuntime(readWorkerSettings(env), "worker");
      const worker = await startWorker(runtime);
      stopPresent = async () => {
        await worker.stop();
        await runtime.close();
        stopPresent = async () => {};
      };
    },
    stop: () => stopPresent(),
  };
}
