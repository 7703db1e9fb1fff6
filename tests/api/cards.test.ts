import { afterAll, beforeAll, expect, test } from "bun:test";
import { becomeCardholder, createPhysical, createVirtual, seal } from "../support/cards.ts";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let ada: Person;
beforeAll(async () => {
  service = await startService();
  ada = await becomeCardholder(new Person(service));
});
afterAll(() => service.stop());

test("a virtual card is active at once; a physical one has the PIN that travelled encrypted", async () => {
  const id = await createVirtual(ada);
  expect((await ada.call("GET", `/cards/${id}/status`)).body).toMatchObject({ statusCode: 1000, isFrozen: false });
  const key: string = (await ada.call("GET", "/user/card-public-key")).body.publicKey;
  const { encrypted, ...rest } = seal(key, "1379");
  const card = await createPhysical(ada, { pinData: { ...rest, encryptedPin: encrypted } });
  const known = (await ada.sandbox("GET", `/issuer/cards/${card?.cardToken}`)).body;
  expect(known).toMatchObject({ pin: "1379", type: "physical", status: "inactive" });
});
