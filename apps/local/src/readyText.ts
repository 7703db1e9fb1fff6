/** What a start prints when every part is ready. */
import { development } from "@cardkeep/runtime/development";
import { environment } from "@cardkeep/runtime/environment";
import type { Settings } from "@cardkeep/runtime/settings";
import type { Colors } from "@cardkeep/terminal/colors";

const nameWidth = 17;

/** The addresses of the parts. */
export interface Addresses {
  readonly api: string;
  readonly sandbox: string;
  readonly chain: string;
  readonly database: string;
  /** Null without operator pages. */
  readonly operatorKey: string | null;
}

/** The address of the service, then those of its pages, then what to do next. */
export function buildReadyText(settings: Settings, { api, sandbox, chain }: Addresses, colors: Colors): string[] {
  const addresses = [
    ["Reference page", `${api}/docs`],
    ["Sandbox console", `${sandbox}/`],
    ["Card elements", `http://localhost:${settings.elementsPort}/`],
    ["Chain", chain],
    ["Operator pages", `${api}/operator`, formatOperatorKey(settings)],
  ] as const;
  return [
    "",
    colors.strong(`Cardkeep is ready at ${api}`),
    ...addresses.map(([name, url, hint = ""]) => `  ${name.padEnd(nameWidth)}${colors.address(url)}${hint}`),
    `  ${"Demo".padEnd(nameWidth)}${formatDemo(settings)}`,
  ];
}

/** Prints the public development key; an operator's own key stays secret. */
const formatOperatorKey = ({ operatorApiKeys: [key] }: Settings): string =>
  key === development.OPERATOR_API_KEY ? `  (key: ${key})` : "";

/** The demo finds this start by its data folder. */
function formatDemo({ home }: Settings): string {
  const command = process.env["CARDKEEP_LAUNCHER"] === undefined ? "bun run demo" : "npx cardkeep demo";
  return home === environment.shape.CARDKEEP_HOME.parse(undefined) ? command : `CARDKEEP_HOME=${home} ${command}`;
}
