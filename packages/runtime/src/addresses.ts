import { proveAddresses, UnusableAddressError } from "@cardkeep/db/proveAddresses";
import type { Runtime } from "./compose.ts";
import { pollCheck } from "./pollCheck.ts";
import type { Life } from "./runUntilStopped.ts";

type Checked = Pick<Runtime, "settings" | "log">;

/**
 * Rejects addresses of the database that keep no sessions or lose prepared statements.
 *
 * Without an answer of the database the process still starts, and the log says so. The check is then repeated until the
 * database answers; a rejected address ends the process.
 * @throws UnusableAddressError
 */
export async function checkAddresses(checked: Checked, { stopping, fail }: Life): Promise<void> {
  if (await isChecked(checked)) return;
  checked.log.warn({}, "The database does not answer, so its addresses were not checked. Trying again");
  void repeat(checked, stopping).catch(fail);
}

async function repeat(checked: Checked, stopping: AbortSignal): Promise<void> {
  if (await pollCheck(() => isChecked(checked), stopping))
    checked.log.info({}, "The addresses of the database were checked");
}

/** False if the database does not answer. */
async function isChecked({ settings, log }: Checked): Promise<boolean> {
  try {
    await proveSettings(settings);
    return true;
  } catch (error) {
    if (error instanceof UnusableAddressError) throw error;
    log.debug({ err: error }, "the addresses of the database cannot be checked");
    return false;
  }
}

/** Proves the addresses of the settings. @throws UnusableAddressError; the driver's error without an answer */
export async function proveSettings(settings: Runtime["settings"]): Promise<void> {
  const { databaseUrl: url, databaseSessionUrl: sessionUrl = url } = settings;
  if (url !== undefined && sessionUrl !== undefined) await proveAddresses({ url, sessionUrl });
}
