/** What a test file that shares a running service must not do: other files meet it, or it meets what they did. */
import { isSharing } from "../support/fileOrder.ts";
import type { Source } from "./sources.ts";

const refused: Readonly<Record<string, RegExp>> = {
  "causes faults": /\/faults\b|\.fault\(/,
  "moves the clock": /\/chain\/advance|setSystemTime|increaseTime|\/trigger\b|\bplayMission\b/,
  "changes the chain's blocks": /reorgani[sz]e|setAutomine|\.mine\(|\.(?:snapshot|revert)\(/,
  "changes settings": /\.refresh\(|setQuestions|publishDocument|process\.env\["[A-Z_]+"\] =/,
  "counts or changes a whole table":
    /\$count\(\w+\)|count\(\*\)(?![^`]*where)|\.from\(\w+\)(?!\s*\.(?:where|\w+Join)\b)|\.(?:delete|update)\(\w+\)(?:(?!\.where)[^;])*;/,
  "reads metrics": /metrics\.render\(|fetch\([^;]*\/metrics\b/,
  "asks the doctor": /\bdoctor\b/,
  "acts as the database's owner": /\bowner(?:Db|Url)\b/,
};

/** The faults of files that share a service: `path: what`. */
export const findUnshareable = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ text }) => isSharing(text))
    .flatMap(({ path, text }) =>
      Object.entries(refused).flatMap(([what, pattern]) => (pattern.test(text) ? [`${path}: ${what}`] : [])),
    );
