/** A running service that the files of a test process share. */
import { atEnd } from "./ends.ts";
import { type RunningService, startService } from "./service.ts";

const running = new Map<boolean, Promise<RunningService>>();

async function startUntilEnd(worker: boolean): Promise<RunningService> {
  const service = await startService({ worker });
  // A process of a parallel run calls the ends after each file. Its own end ends everything of the service.
  if (process.env["BUN_TEST_WORKER_ID"] === undefined) atEnd(service.stop);
  return service;
}

/**
 * The service of this process, for files whose tests touch only people of their own. What they refuse to touch is in
 * `tests/architecture/sharedFiles.ts`. The first file starts it, and it runs until the last test of the process.
 */
export function shareService({ worker = true } = {}): Promise<RunningService> {
  const started = running.get(worker) ?? startUntilEnd(worker);
  running.set(worker, started);
  return started;
}
