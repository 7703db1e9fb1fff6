/** Money by an IBAN. */
import { z } from "zod";
import { incoming } from "../emoney/orders.ts";
import type { SandboxPerson } from "../people/openAccount.ts";
import type { Played } from "./journey.ts";

const answer = z.object({ orderId: z.string() });

/** A bank sends money to the person's IBAN. */
export async function receiveMoney({ runtime, client }: SandboxPerson): Promise<Played> {
  const { data } = await client.ibans.details.query();
  return answer.parse(await incoming.run(runtime, { iban: data.iban ?? "", amount: "25.50" }));
}
