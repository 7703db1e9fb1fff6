/** Each command of the CLI, with a command line that its help text shows. */
import { listVerbsOf } from "@cardkeep/cli/commandVerbs";
import { nouns } from "@cardkeep/cli/nouns";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const splitWords = (line: string): string[] => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? "");

/** Words that replace an example's, because it names a file or waits for a worker. */
const replaceWords = (folder: string): Record<string, string[]> => ({
  "questions set": ["questions", "set", join(folder, "questions.json")],
  "rules create": ["rules", "create", join(folder, "rule.json"), "--name", "None"],
  "rules draft": ["rules", "draft", "none", join(folder, "rule.json")],
  "users erase-again": ["users", "erase-again", join(folder, "server.log")],
  "actions export": ["actions", "export", "--out", join(folder, "actions.jsonl")],
  "exports run": splitWords(
    `exports run clearings --from 2026-11-01 --to 2026-11-30 --out ${join(folder, "clearings.csv")}`,
  ),
  "books export": ["books", "export", "2026-11-30", "--out", join(folder, "books")],
  "database archive": ["database", "archive", "--months", "24", "--out", folder],
  reconcile: ["reconcile", "--accept", "none"],
});

/** Its name, its verbs, and words that it takes. The files that they name are written to `folder`. */
export function listCommands(folder: string) {
  writeFileSync(join(folder, "questions.json"), "[]");
  writeFileSync(join(folder, "rule.json"), `{"conditions":[{"type":"new_merchant","per":"card"}]}`);
  writeFileSync(join(folder, "server.log"), "");
  const replaced = replaceWords(folder);
  return nouns.getAllEntries().flatMap(({ name, target }) => {
    const commands =
      "getAllEntries" in target
        ? target.getAllEntries().map((entry) => ({ words: [name, entry.name], target: entry.target }))
        : [{ words: [name], target }];
    return commands.flatMap((command) => {
      if ("getAllEntries" in command.target) return [];
      const called = command.words.map((word) => word["convert-camel-to-kebab"]).join(" ");
      const example = /Examples?\n {2}cardkeep (.*)/.exec(command.target.fullDescription ?? "")?.[1] ?? "";
      return [{ name: called, words: replaced[called] ?? splitWords(example), verbs: listVerbsOf(command.target) }];
    });
  });
}
