/** What doctor reports, a finding for each check. */
import type { PartHealth } from "./checkHealth.ts";

/** Warning: it works, and is not as it should be. Fault: something does not work. */
export type Severity = "ok" | "warning" | "fault";

export interface Finding {
  check: string;
  severity: Severity;
  /** What was found and, unless all is well, what to do. */
  text: string;
  /** Names of what is concerned, where more may come while the finding stands: each is an alert of its own. */
  parts?: readonly string[];
}

/** Builds a finding. */
export const finding = (check: string, severity: Severity, text: string): Finding => ({ check, severity, text });

/** The finding of a part of `/readyz`; `well` is its text where the part is ok. */
export const reportPart = (check: string, { status, reason }: PartHealth, well: string, advice: string): Finding =>
  status === "ok" ? finding(check, "ok", well) : finding(check, "fault", `${reason ?? status}; ${advice}`);

/** The message of an error's cause. The message of a failed query itself quotes its parameters, which are personal data. */
export function formatCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
