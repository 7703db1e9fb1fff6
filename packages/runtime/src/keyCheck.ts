import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Checks whether a text is the key, in constant time. */
export function createKeyCheck(key: string): (given: string) => boolean {
  const expected = digest(key);
  return (given) => timingSafeEqual(digest(given), expected);
}

/** Checks whether a request carries the operator's key as its bearer token. Without a key every request passes. */
export function createOperatorCheck(key: string | null): (request: Request) => boolean {
  if (key === null) return () => true;
  const isExpected = createKeyCheck(`Bearer ${key}`);
  return (request) => isExpected(request.headers.get("authorization") ?? "");
}
