/** Erasures in the log of servers and commands, which a restored database does not take back. */
import { z } from "zod";
import { UsageError } from "./errors.ts";
import { readTextFile } from "./inputFile.ts";

const line = z.object({ msg: z.literal("a person was erased"), userId: z.string().min(1).max(100) });

/** The users that a log names as erased; lines of other kinds are left out. @throws UsageError for a file that cannot be read */
export function readErasedUsers(path: string): string[] {
  return readTextFile(path, UsageError)
    .split("\n")
    .flatMap((each) => {
      // A log may hold lines of other programs.
      const start = each.indexOf("{");
      if (start < 0) return [];
      try {
        const read = line.safeParse(JSON.parse(each.slice(start)));
        return read.success ? [read.data.userId] : [];
      } catch {
        return [];
      }
    });
}
