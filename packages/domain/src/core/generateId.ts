/** Identifiers of our own rows: UUID version 7 (RFC 9562), so that neighbours in time are neighbours in an index. */
export const generateId = (): string => Bun.randomUUIDv7();
