import type { EvidenceField, EvidenceFile } from "@cardkeep/contract/spending/disputeEvidence";
import type { Language } from "../../core/languages/languages.ts";

/** Pieces of evidence as a person reads them, in one line. */
export const nameEvidence = (language: Language, pieces: readonly (EvidenceField | EvidenceFile)[]): string =>
  pieces.map((piece) => language.say("evidence.piece", { kind: piece })).join(", ");
