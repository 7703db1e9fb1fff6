import { describe, expect, test } from "bun:test";
import { findRevert } from "@cardkeep/chain/revert";

const reasonOf = (message: string, value = 0n, code = -32_000) => findRevert({ code, message }, value)?.reason ?? null;

describe("an error of a node about a call", () => {
  test("without money is the sender's fault where the call moves none, and the chain's verdict where it does", () => {
    for (const message of ["insufficient funds for gas * price + value", "Out of funds", "insufficient balance"]) {
      expect(reasonOf(message)).toBeNull();
      expect(reasonOf(message, 1n)).toBe("insufficient balance");
    }
  });

  test("is a verdict where the EVM stopped the call, and none where the node failed", () => {
    expect(reasonOf("execution reverted: no more", 0n, 3)).toBe("no more");
    expect(reasonOf("out of gas")).toBe("out of gas");
    for (const message of ["rate limit exceeded", "header not found", "timeout"]) expect(reasonOf(message)).toBeNull();
  });

  test("names a contract's text in one line of at most 200 characters", () => {
    expect(reasonOf(`execution reverted: a\n\u0007b${"c".repeat(300)}`, 0n, 3)).toBe(`a b${"c".repeat(197)}`);
    expect(reasonOf("execution reverted: \n", 0n, 3)).toBe("no reason given");
  });
});
