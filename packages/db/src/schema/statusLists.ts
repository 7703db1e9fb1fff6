/** Lists of statuses as SQL text, for statements that name their tables by an alias. The state machines are the source. */
import { delayMachine } from "@cardkeep/contract/delays";
import { listFinalStates } from "@cardkeep/contract/machine";
import { transferMachine } from "@cardkeep/contract/spending";
import { spell } from "./columns.ts";

export const finalDelaysText = spell(listFinalStates(delayMachine));
export const finalTransfersText = spell(listFinalStates(transferMachine));
