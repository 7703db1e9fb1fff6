/** What a delivery carries, byte for byte the same at every attempt. */
export function buildBody(
  { eventType, data, userId }: { eventType: string; data: unknown; userId: string },
  payload: "full" | "thin",
): string {
  return JSON.stringify({ eventType, data: payload === "thin" ? { userId } : data });
}
