/** Where a running `bun start` is, and how one calls its programs. */
import { environment } from "@cardkeep/runtime/environment";
import { readOperatorSettings } from "@cardkeep/runtime/local";
import type { Settings } from "@cardkeep/runtime/settings";

export interface Addresses {
  readonly service: string;
  readonly sandbox: string;
  /** The data folder, where it is not the one that every command looks into. */
  readonly home: string | null;
  /** Where they come from. The default ports may be another installation's. */
  readonly origins: Settings["origins"];
  /** How one types these programs here. */
  readonly commands: { readonly start: string; readonly demo: string; readonly cardkeep: string };
}

/**
 * Finds the addresses: those of the environment, then those that the running start of CARDKEEP_HOME wrote down, then the defaults.
 * @throws SettingsError
 */
export function readAddresses(env: NodeJS.ProcessEnv): Addresses {
  const { port, sandboxPort, home, origins } = readOperatorSettings(env);
  const isInstalled = env["CARDKEEP_LAUNCHER"] !== undefined;
  return {
    service: `http://localhost:${port}`,
    sandbox: `http://localhost:${sandboxPort}`,
    origins,
    home: home === environment.shape.CARDKEEP_HOME.parse(undefined) ? null : home,
    commands: isInstalled
      ? { start: "npx cardkeep start", demo: "npx cardkeep demo", cardkeep: "npx cardkeep" }
      : { start: "bun start", demo: "bun run demo", cardkeep: "bun run cardkeep" },
  };
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** What is missing, and what to do; null if the service and its sandbox answer. */
export async function findMissing({ service, sandbox, origins, commands }: Addresses): Promise<string | null> {
  const next =
    ` Run \`${commands.start}\` first.` +
    " If it runs elsewhere, set CARDKEEP_HOME to its data folder, or PORT and SANDBOX_PORT to its ports.";
  if (origins.service === "guessed") return `No start runs from this folder.${next}`;
  if (!(await isOk(`${service}/readyz`))) return `Nothing is ready at ${service}.${next}`;
  if (origins.sandbox === "guessed") return `SANDBOX_PORT does not say where the sandbox of ${service} is.`;
  return (await isOk(`${sandbox}/chain`)) ? null : `No sandbox answers at ${sandbox}. Set SANDBOX_PORT to its port.`;
}
