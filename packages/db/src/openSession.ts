import type postgres from "postgres";
import { buildSessionSetup } from "./lostMachine.ts";
import { openClient } from "./openClient.ts";

/**
 * A client of one connection, for a run that holds locks of its session or a transaction across statements.
 *
 * The connection is never replaced, because another one has neither: once it is lost, every further statement fails.
 *
 * @param sessionUrl an address past any pooler
 * @param options.setup settings of the session besides those of lostMachine.ts
 * @throws DatabaseAddressError
 */
export function openSession(
  sessionUrl: string,
  {
    applicationName,
    setup = [],
    onLost = () => {},
  }: { applicationName: string; setup?: readonly string[]; onLost?: () => void },
): postgres.Sql {
  const client = openClient(sessionUrl, {
    max: 1,
    // The driver would otherwise replace the connection after half an hour to an hour.
    max_lifetime: null,
    onclose: () => {
      void client.end({ timeout: 0 });
      onLost();
    },
    setup: buildSessionSetup(...setup),
    connection: { application_name: applicationName },
  });
  return client;
}
