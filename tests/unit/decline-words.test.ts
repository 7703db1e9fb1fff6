import { expect, test } from "bun:test";
import { declineReasons } from "@cardkeep/contract/spending/declineReasons";
import { declineCatalogue, describeDecline, nameIssuerReason } from "@cardkeep/contract/spending/declineWords";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Reasons of approvals in the same list of the issuer. */
const approvals = ["card_active", "webhook_approved"];

/** The reasons that the issuer's SDK names. */
function listIssuerReasons(): string[] {
  const file = new URL("./resources/Issuing/Authorizations.d.ts", import.meta.resolve("stripe"));
  const [, names = ""] =
    /type Reason = ('account_disabled'[^;]*);/.exec(readFileSync(fileURLToPath(file), "utf8")) ?? [];
  return [...names.matchAll(/'(\w+)'/g)].map(([, name = ""]) => name);
}

test("each reason of the service and of the issuer has sentences of its own for operator and user", () => {
  const ofIssuer = listIssuerReasons();
  expect(ofIssuer.length).toBeGreaterThan(15);
  const codes = [
    ...Object.keys(declineReasons),
    ...ofIssuer.filter((reason) => !approvals.includes(reason)).map(nameIssuerReason),
  ];
  expect([...declineCatalogue.keys()].toSorted()).toEqual(codes.toSorted());
  for (const code of codes) {
    const { happened, remedy, user } = describeDecline(code);
    for (const sentence of [happened, remedy, user])
      expect([code, sentence]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/)]);
  }
  const happened = codes.map((code) => describeDecline(code).happened);
  expect(new Set(happened).size).toBe(codes.length);
});

test("a reason that is in no catalogue is described too", () => {
  for (const code of [null, "constructor", "issuer_invented"])
    expect(describeDecline(code).user).toBe("This payment was declined. Please contact support.");
});
