import { describe, expect, test } from "bun:test";
import {
  type Contact,
  isContactNew,
  keepFormerPhone,
  openContactWindow,
  phoneAtIssuer,
} from "@cardkeep/domain/core/cardholders/contactWindow";
import { placeholderEmail } from "@cardkeep/contract/users/placeholderEmail";
import { parseContact } from "@cardkeep/domain/verification/contacts/contactChange";

const now = new Date("2026-03-02T00:00:00Z");
const after = (ms: number) => new Date(now.getTime() + ms);
const proven: Contact = {
  phone: "+4915100000001",
  isPhoneValidated: true,
  formerPhone: null,
  contactChangedAt: null,
  contactSettlesAt: null,
};
const changed: Contact = { ...proven, phone: "+4915100000002", formerPhone: "+4915100000001" };
const settling = (ms: number): Contact => ({ ...changed, contactChangedAt: now, contactSettlesAt: after(ms) });
const rules = { contactWindowHours: 24 };

describe("the window after a change of a proven phone number", () => {
  test("is open up to its last instant, and not without a change", () => {
    expect([isContactNew(settling(1), now), isContactNew(settling(0), now), isContactNew(proven, now)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("leaves the former number at the issuer while the new one is not proven, or the window is open", () => {
    expect(phoneAtIssuer(proven, now)).toBe("+4915100000001");
    expect(phoneAtIssuer({ ...changed, isPhoneValidated: false }, now)).toBe("+4915100000001");
    expect(phoneAtIssuer(settling(1), now)).toBe("+4915100000001");
    expect(phoneAtIssuer(settling(0), now)).toBe("+4915100000002");
  });

  test("keeps the number that was proven before it, however often a thief changes it", () => {
    expect(keepFormerPhone(proven, now)).toEqual({ formerPhone: "+4915100000001" });
    expect(keepFormerPhone({ ...changed, isPhoneValidated: false }, now)).toEqual({ formerPhone: "+4915100000001" });
    expect(keepFormerPhone(settling(1), now)).toEqual({ formerPhone: "+4915100000001" });
    expect(keepFormerPhone(settling(0), now)).toEqual({ formerPhone: "+4915100000002" });
  });

  test("opens by a proof of another number, closes by one of the former, and does neither for the first number", () => {
    expect(openContactWindow(proven, rules, now)).toEqual({});
    expect(openContactWindow(changed, rules, now)).toEqual({
      contactChangedAt: now,
      contactSettlesAt: after(24 * 3_600_000),
    });
    const repaired = { ...settling(1), phone: "+4915100000001" };
    expect(openContactWindow(repaired, rules, now)).toEqual({ contactSettlesAt: now });
    expect(openContactWindow(repaired, rules, after(1))).toEqual({});
  });

  test("begins with its first change, however often a thief makes another one", () => {
    const contactSettlesAt = after(24 * 3_600_000 + 500);
    const second = openContactWindow(settling(1_000), rules, after(500));
    expect(second).toEqual({ contactChangedAt: now, contactSettlesAt });
    // Behind the owner's repair, up to the end that the window would have had.
    expect(openContactWindow(settling(500), rules, after(500))).toEqual({ contactChangedAt: now, contactSettlesAt });
    const later = after(24 * 3_600_000);
    expect(openContactWindow(settling(500), rules, later)).toMatchObject({ contactChangedAt: later });
  });
});

test("a mail address that support gives is one that the person could sign up with", () => {
  for (const address of ["ada@example.org", "ada@example.xn--p1ai"])
    expect([address, parseContact("email", ` ${address} `)]).toEqual([address, address]);
  const refused = [
    placeholderEmail("u", "erased"),
    placeholderEmail("u", "released"),
    `${"a".repeat(250)}@example.org`,
  ];
  for (const address of refused) expect([address, parseContact("email", address)]).toEqual([address, null]);
});
