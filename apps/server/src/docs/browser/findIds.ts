/** Ids of the caller's own things, from the lists that the server names for a route. */

export type IdSources = Readonly<Record<string, { readonly path: string; readonly field: string }>>;

/** The first list in an answer, at any depth. */
function findList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "object" || value === null) return [];
  return (
    Object.values(value)
      .map(findList)
      .find((list) => list.length > 0) ?? []
  );
}

/** The first id of each source; none where the caller has no such thing. A path may hold an id that was found before it. */
export async function findIds(sources: IdSources, token: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [name, { path, field }] of Object.entries(sources)) {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, other: string) => encodeURIComponent(found.get(other) ?? ""));
    const response = await fetch(filled, { headers: { Authorization: `Bearer ${token}` } });
    if (!response.ok) continue;
    const [first] = findList(await response.json());
    const id: unknown = Object(first)[field];
    if (typeof id === "string") found.set(name, id);
  }
  return found;
}
