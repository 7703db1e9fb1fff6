import { checkMigrations } from "@cardkeep/domain/health/checkHealth";
import type { Runtime } from "./compose.ts";

/** Says in the log when program and database are not of one version, as they are for a while in every upgrade. */
export async function logVersion({ services, log }: Runtime): Promise<void> {
  const { status, reason } = await checkMigrations(services).catch(() => ({ status: "ok", reason: undefined }));
  if (status !== "ok") log.warn({}, reason ?? status);
}
