import { keysOf } from "@cardkeep/contract/core/keysOf";
import { formatOffset } from "@cardkeep/contract/core/durations";
import { formatNodes, parseDatabaseAddress } from "@cardkeep/db/databaseAddress";
import { diagnose } from "@cardkeep/domain/operations/health/diagnose";
import type { Finding } from "@cardkeep/domain/operations/health/finding";
import { uses } from "@cardkeep/runtime/settingUses";
import { type Settings, SettingsError } from "@cardkeep/runtime/settings";
import { type Answer, buildVerb } from "./answer.ts";
import { checkNetwork } from "./checkNetwork.ts";
import type { CliContext } from "./context.ts";
import { withJson } from "./parameters.ts";
import { wrap } from "./print.ts";
import type { TextFormat } from "./texts.ts";

const lineMax = 100;
const textMin = 30;

/** One line per check. A long text continues on the lines below. */
function formatFindings(findings: readonly Finding[], { widthMax: columns, colors }: TextFormat): string {
  const paint = { ok: colors.ok, warning: colors.warning, fault: colors.fault };
  const severityWidth = Math.max(...findings.map(({ severity }) => severity.length));
  const checkWidth = Math.max(...findings.map(({ check }) => check.length));
  const indent = severityWidth + checkWidth + 4;
  const widthMax = Math.max(Math.min(columns, lineMax), indent + textMin);
  return findings
    .flatMap(({ severity, check, text }) =>
      wrap(text, widthMax - indent).map((line, index) => {
        const head =
          index === 0
            ? `${paint[severity](severity.padEnd(severityWidth))}  ${check.padEnd(checkWidth)}  `
            : " ".repeat(indent);
        return `${head}${line}\n`;
      }),
    )
    .join("");
}

/** The hosts of the database and the node, without user and password, and a clock that the sandbox has moved. */
function describeSettings({ production, databaseUrl, rpcUrl }: Settings, offsetSeconds: number): string {
  const database = databaseUrl === undefined ? "nowhere" : formatNodes(parseDatabaseAddress(databaseUrl));
  const nodes = rpcUrl?.split(",").map((url) => new URL(url).host) ?? ["nowhere"];
  const clock = offsetSeconds === 0 ? "" : `; clock ${formatOffset(offsetSeconds)} ahead of the wall clock`;
  return `${production ? "For production" : "For development"}; database at ${database}, node at ${nodes.join(" or ")}${clock}`;
}

/** One finding for each file of a secret that others can read; nothing without such files. */
function describeFiles({ secretFiles: { paths, warnings } }: Settings): Finding[] {
  const check = "secret files";
  const names = keysOf(paths);
  const fixed = names.filter((name) => !uses[name].isRefreshed);
  if (warnings.length > 0) return warnings.map((text) => ({ check, severity: "warning", text }));
  const next = fixed.length === 0 ? "" : `. At the next start: ${fixed.join(", ")}`;
  const text = `Only this user reads the ${names.length} files. A changed one is taken up within a minute${next}`;
  return names.length === 0 ? [] : [{ check, severity: "ok", text }];
}

async function examine(cli: CliContext): Promise<Finding[]> {
  try {
    // It names no operator: it works while the database is away.
    const { settings, services } = await cli.load();
    const [network, findings, offsetSeconds] = await Promise.all([
      checkNetwork(settings),
      diagnose(services, { onProgress: (ended, began) => cli.terminal.progress.count(ended, began) }),
      // A database that is away has a finding of its own.
      services.clock.getOffsetSeconds(services.db).catch(() => 0),
    ]);
    return [
      { check: "settings", severity: "ok", text: describeSettings(settings, offsetSeconds) },
      ...describeFiles(settings),
      network,
      ...findings,
    ];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const faults = error.message.split("\n");
    return [
      ...faults.map((text): Finding => ({ check: "settings", severity: "fault", text })),
      { check: "everything else", severity: "warning", text: "Not looked at: the settings come first" },
    ];
  }
}

export const doctor = buildVerb({
  verb: "doctor.run",
  brief: "Checks the installation and prints what to do",
  waitsFor: "runs the checks",
  example: ["doctor", "doctor --json"],
  parameters: { flags: withJson({}) },
  run: async (cli: CliContext): Promise<Answer> => {
    const checks = await examine(cli);
    const isFaulty = checks.some(({ severity }) => severity === "fault");
    return { data: { isFaulty, checks }, text: (format) => formatFindings(checks, format), exitCode: isFaulty ? 1 : 0 };
  },
});
