/** What a person's life looks like: money, the delay queue of the Safe, and each status in its machine. */
import { cardMachine, cardStatusWords } from "@cardkeep/contract/cards/cards";
import { ibanMachine } from "@cardkeep/contract/users/ibans";
import { kycMachine } from "@cardkeep/contract/verification/kyc";
import { orderMachine } from "@cardkeep/contract/cards/orders";
import { safeMachine } from "@cardkeep/contract/accounts/safes";
import { listCards } from "@cardkeep/db/queries/cards/cards";
import { findIban } from "@cardkeep/db/queries/users/ibans";
import { listOrders } from "@cardkeep/db/queries/cards/orders";
import type { PersonRow } from "@cardkeep/db/sandbox/people";
import { listQueuedOperations } from "@cardkeep/domain/accounts/delays/listOperations";
import { type Html, markup } from "@cardkeep/html/markup";
import { type MachineState, renderMachineState } from "@cardkeep/html/pictures/machineState";
import type { SandboxRuntime } from "../core/openStore.ts";
import { renderBalance } from "./balancePicture.ts";
import { renderQueue } from "./queuePicture.ts";

const operationsMax = 50;
/** Newest first. */
const cardsMax = 3;

async function listStates({ db }: SandboxRuntime, { id, kycStatus, safe }: PersonRow): Promise<MachineState[]> {
  const [iban, [order], cards] = await Promise.all([findIban(db, id), listOrders(db, id), listCards(db, id)]);
  return [
    { machine: kycMachine, title: "KYC", current: kycStatus },
    ...(safe ? [{ machine: safeMachine, title: "Safe", current: safe.status }] : []),
    ...(iban ? [{ machine: ibanMachine, title: "IBAN", current: iban.status }] : []),
    ...(order ? [{ machine: orderMachine, title: "Newest order", current: order.status }] : []),
    ...cards.slice(0, cardsMax).map(({ lastFourDigits, statusCode }) => ({
      machine: cardMachine,
      title: `Card •••• ${lastFourDigits}, ${cardStatusWords[statusCode].toLowerCase()}`,
      current: statusCode,
    })),
  ];
}

/** Pictures of one person. Without a Safe there are only the machines. */
export async function renderPersonPictures(runtime: SandboxRuntime, person: PersonRow): Promise<Html> {
  const { safe } = person;
  const [block, operations, states] = await Promise.all([
    runtime.chain.getBlock(),
    safe === null ? [] : listQueuedOperations(runtime.services, { userId: person.id, limit: operationsMax }),
    listStates(runtime, person),
  ]);
  const now = new Date(block.timestamp * 1_000);
  const ofSafe = operations.filter(({ safeAddress }) => safeAddress === safe?.address);
  const balance =
    safe?.tokenSymbol != null &&
    (await renderBalance(runtime, { address: safe.address, tokenSymbol: safe.tokenSymbol, now }));
  return markup`${balance}
    ${ofSafe.length > 0 && renderQueue({ name: "person-queue", now, operations: ofSafe })}
    <div class="charts">${await Promise.all(states.map(renderMachineState))}</div>`;
}
