/** What doctor found, short enough for a page: one line, and the parts that run. */
import { formatCount } from "../../core/wording.ts";
import { type Finding, finding, type Severity } from "./finding.ts";

/** The findings that stand for a part which runs by itself, with the part's name for people. */
const partNames: Readonly<Record<string, string>> = {
  server: "Server",
  worker: "Worker",
  database: "Postgres",
  chain: "Chain node",
  "identity provider": "Identity provider",
  "e-money institution": "E-money institution",
  "card issuer": "Card issuer",
};

/** The parts that run, in one order. A check that was not run has no part. */
export const listParts = (findings: readonly Finding[]): { name: string; severity: Severity; text: string }[] =>
  Object.entries(partNames).flatMap(([check, name]) =>
    findings.filter((each) => each.check === check).map(({ severity, text }) => ({ name, severity, text })),
  );

/** All findings in one line. It names the first of the worst; `cardkeep doctor` prints the rest. */
export function summariseFindings(findings: readonly Finding[]): Finding {
  const of = (wanted: Severity): Finding[] => findings.filter(({ severity }) => severity === wanted);
  const [faults, warnings] = [of("fault"), of("warning")];
  const [worst] = [...faults, ...warnings];
  if (worst === undefined) return finding("doctor", "ok", "All checks are ok.");
  const sums = [
    ...(faults.length === 0 ? [] : [formatCount(faults.length, "fault")]),
    ...(warnings.length === 0 ? [] : [formatCount(warnings.length, "warning")]),
  ];
  const others = faults.length + warnings.length === 1 ? "" : " `cardkeep doctor` prints all of them.";
  const text = `${sums.join(" and ")}. ${worst.check}: ${worst.text}.${others}`;
  return finding("doctor", worst.severity, text.replace(/\.\.(?= |$)/, "."));
}
