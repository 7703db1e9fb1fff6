import { diagnose } from "@cardkeep/domain/health/diagnose";
import type { Finding } from "@cardkeep/domain/health/finding";
import { type Settings, SettingsError } from "@cardkeep/runtime/settings";
import { z } from "zod";
import { type Answer, defineCommand } from "./command.ts";
import { wrap } from "./print.ts";
import type { Session } from "./session.ts";

const widthMax = 100;

/** One line for each check, those of a long text with their rest under it. */
function renderFindings(findings: readonly Finding[]): string {
  const severityWidth = Math.max(...findings.map(({ severity }) => severity.length));
  const checkWidth = Math.max(...findings.map(({ check }) => check.length));
  const indent = severityWidth + checkWidth + 4;
  return findings
    .flatMap(({ severity, check, text }) =>
      wrap(text, widthMax - indent).map((line, index) => {
        const head = index === 0 ? `${severity.padEnd(severityWidth)}  ${check.padEnd(checkWidth)}` : "";
        return `${head.padEnd(indent)}${line}\n`;
      }),
    )
    .join("");
}

/** Where the parts are looked for, without the user and password that an address may name. */
function describeSettings({ production, databaseUrl, rpcUrl }: Settings): string {
  const host = (urls: string | undefined): string =>
    urls === undefined
      ? "nowhere"
      : urls
          .split(",")
          .map((url) => new URL(url).host)
          .join(" or ");
  return `${production ? "For production" : "For development"}; database at ${host(databaseUrl)}, node at ${host(rpcUrl)}`;
}

async function examine(session: Session): Promise<Finding[]> {
  try {
    const { settings } = await session.load();
    const findings = await diagnose(await session.open());
    return [{ check: "settings", severity: "ok", text: describeSettings(settings) }, ...findings];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const faults = error.message.split("\n");
    return [
      ...faults.map((text): Finding => ({ check: "settings", severity: "fault", text })),
      { check: "everything else", severity: "warning", text: "Not looked at: the settings come first" },
    ];
  }
}

export const doctor = defineCommand({
  summary: "What is wrong, and what to do about it",
  input: z.object({}),
  run: async (session): Promise<Answer> => {
    const checks = await examine(session);
    const isFaulty = checks.some(({ severity }) => severity === "fault");
    return { data: { isFaulty, checks }, text: renderFindings(checks), exitCode: isFaulty ? 1 : 0 };
  },
});
