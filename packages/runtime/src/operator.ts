import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Tells whether a text is the key, in a time that says nothing about it. */
export function createKeyCheck(key: string): (given: string) => boolean {
  const expected = digest(key);
  return (given) => timingSafeEqual(digest(given), expected);
}

/** Tells whether a request carries the operator's key as its bearer token; everybody's does where there is none. */
export function createOperatorCheck(key: string | null): (request: Request) => boolean {
  if (key === null) return () => true;
  const isExpected = createKeyCheck(`Bearer ${key}`);
  return (request) => isExpected(request.headers.get("authorization") ?? "");
}
