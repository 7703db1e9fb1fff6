import { checkMigrations } from "@cardkeep/domain/operations/health/checkHealth";
import type { Runtime } from "./compose.ts";

/** Logs different versions of program and database, which are normal during an upgrade. */
export async function logVersion({ services, log }: Runtime): Promise<void> {
  const { status, reason } = await checkMigrations(services).catch(() => ({ status: "ok", reason: undefined }));
  if (status !== "ok") log.warn({}, reason ?? status);
}
