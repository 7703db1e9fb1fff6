/** Helpers for tests of IBANs. */
import type { Person } from "./person.ts";
import { until } from "./poll.ts";

export const declaration = "I hereby declare that I am the address owner.";

export const signDeclaration = (person: Person) => person.account.signMessage({ message: declaration });

export const ibanStatusOf = async (person: Person): Promise<string> =>
  (await person.call("GET", "/ibans/details")).body.data.ibanStatus;

/** Requests an IBAN, waits for it and returns it. */
export async function becomeIbanHolder(person: Person): Promise<string> {
  const asked = await person.call("POST", "/ibans/emoney-profile", { signature: await signDeclaration(person) });
  if (asked.status !== 200) throw new Error(`emoney-profile: ${asked.status} ${JSON.stringify(asked.body)}`);
  await until(async () => (await ibanStatusOf(person)) === "ASSIGNED");
  return (await person.call("GET", "/ibans/details")).body.data.iban;
}
