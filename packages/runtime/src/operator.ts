import { createHash, timingSafeEqual } from "node:crypto";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Tells whether a request carries the operator's key as its bearer token; everybody's does where there is none. */
export function createOperatorCheck(key: string | null): (request: Request) => boolean {
  if (key === null) return () => true;
  const expected = digest(`Bearer ${key}`);
  return (request) => timingSafeEqual(digest(request.headers.get("authorization") ?? ""), expected);
}
