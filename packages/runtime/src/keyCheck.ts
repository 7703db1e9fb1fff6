import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Checks whether a text is one of the keys, in constant time. */
export function createKeyCheck(keys: readonly string[]): (given: string) => boolean {
  const expected = keys.map(digest);
  // Every key is compared, so that the time says nothing about which one it is.
  return (given) => expected.filter((each) => timingSafeEqual(digest(given), each)).length > 0;
}

/** Checks whether a request carries a key of the operator as its bearer token. Without a key every request passes. */
export function createOperatorCheck(keys: readonly string[]): (request: Request) => boolean {
  if (keys.length === 0) return () => true;
  const isExpected = createKeyCheck(keys.map((key) => `Bearer ${key}`));
  return (request) => isExpected(request.headers.get("authorization") ?? "");
}
