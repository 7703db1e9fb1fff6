/** Warning: it works, and is not as it should be. Fault: something does not work. */
export type Severity = "ok" | "warning" | "fault";

export interface Finding {
  check: string;
  severity: Severity;
  /** What was found and, unless all is well, what to do. */
  text: string;
}
