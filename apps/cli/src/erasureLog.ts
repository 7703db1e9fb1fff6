/** Erasures in the log of servers and commands, which a restored database does not take back. */
import { z } from "zod";
import { UsageError } from "./errors.ts";

const line = z.object({ msg: z.literal("a person was erased"), userId: z.string().min(1).max(100) });

/** The users that a log names as erased; lines of other kinds are left out. @throws UsageError for a file that cannot be read */
export async function readErasedUsers(path: string): Promise<string[]> {
  const text = await Bun.file(path)
    .text()
    .catch((error: unknown) => {
      throw new UsageError(`${path}: ${error instanceof Error ? error.message : "cannot be read"}`);
    });
  return text.split("\n").flatMap((each) => {
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
