/** One line of time of everything that happened to a user, for operators. */
import { type HistoryPosition, nameEntry } from "@cardkeep/db/queries/operations/userHistory";
import type { User } from "@cardkeep/db/queries/users/users";
import type { Services } from "../../core/services.ts";
import { type HistoryEntry, type HistoryKind, historySources } from "./historySources.ts";

/** A page of a user's history, newest first; `after` is the key and instant of the last entry that is known already. */
export async function listUserHistory(
  ctx: Pick<Services, "db">,
  user: User,
  {
    kind,
    without = null,
    after,
    limit,
  }: { kind: HistoryKind | null; without?: HistoryKind | null; after: HistoryPosition | null; limit: number },
): Promise<HistoryEntry[]> {
  const wanted = historySources.filter((source) => (kind === null ? source.kind !== without : source.kind === kind));
  const pages = await Promise.all(
    wanted.map(async ({ kind: of, name, read }) => {
      const entries = await read(ctx, user, { kind: name, before: after, limit });
      return entries.map(({ id, ...entry }) => ({ ...entry, kind: of, key: nameEntry(name, id) }));
    }),
  );
  return pages.flat().toSorted(newestFirst).slice(0, limit);
}

const newestFirst = (one: HistoryEntry, other: HistoryEntry): number => {
  const ms = other.at.getTime() - one.at.getTime();
  if (ms !== 0) return ms;
  return one.key < other.key ? 1 : -1;
};
