import type { Routes } from "@cardkeep/contract/routes";
import { syncBesideAnswer, syncInRequest } from "@cardkeep/domain/cards/cards/syncInRequest";
import type { Finishes } from "./apiOperation.ts";

/** What some operations do between commit and answer. */
export const finishes: Finishes<Routes> = {
  cards: {
    activate: syncInRequest,
    unfreeze: syncInRequest,
    freeze: syncBesideAnswer,
    markLost: syncBesideAnswer,
    markStolen: syncBesideAnswer,
    void: syncBesideAnswer,
  },
};
