/** Settings of the brand and the languages that people see. */
import { email } from "@cardkeep/contract/users/auth";
import { createLanguages, type LanguageTexts } from "@cardkeep/domain/core/languages/languages";
import type { ProgrammePolicy } from "@cardkeep/domain/core/policy";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import type { Values } from "./types.ts";

const nameLengthMax = 60;

const pageUrl = z.url({ protocol: /^https$/, error: "must be an https address" }).optional();

export const programmeEnvironment = {
  PROGRAMME_NAME: z
    .string()
    .max(nameLengthMax)
    .regex(/^[^\p{Cc}\p{Cf}<>"]+$/u, "must be a name of one line, without < > and quotation marks")
    .default("Cardkeep")
    .describe("Name of the card programme, in every mail, message and page for people"),
  PROGRAMME_LOGO: z
    .url({ protocol: /^https?$/, error: "must be an https address of a picture" })
    .optional()
    .describe("Address of the programme's logo, a picture 32 pixels high or more; unset: its name stands alone"),
  PROGRAMME_COLOR: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, "must be a colour such as #2f5fd0")
    .default("#2f5fd0")
    .describe("Colour of the programme, #rrggbb"),
  PROGRAMME_LANGUAGE: z
    .string()
    .regex(/^[a-z]{2}$/, "must be two lower-case letters")
    .default("en")
    .describe("Language of people who named none, as ISO 639-1: en, de, es, or one of LANGUAGES_FOLDER"),
  SUPPORT_ADDRESS: z
    .union([email, z.url({ protocol: /^https$/ })], "must be a mail address or an https address")
    .optional()
    .describe("Where people ask for help, a mail address or a page; unset: messages name none"),
  PROGRAMME_APP_URL: pageUrl.describe(
    "Page of the programme's app, to which mails, messages and pages lead; unset: none",
  ),
  PROGRAMME_IMPRINT_URL: pageUrl.describe("Page that says who runs the programme, below mails and pages; unset: none"),
  PROGRAMME_PRIVACY_URL: pageUrl.describe("Page about personal data, below mails and pages; unset: none"),
  LANGUAGES_FOLDER: z
    .string()
    .optional()
    .describe(
      "Folder of language files, for example fr.json; a file adds a language, or replaces texts of one. " +
        "packages/domain/src/core/languages/files/en.json has every text",
    ),
};

type Environment = Values<typeof programmeEnvironment>;

export const readProgramme = (e: Environment): ProgrammePolicy => ({
  name: e.PROGRAMME_NAME,
  logo: e.PROGRAMME_LOGO ?? null,
  color: e.PROGRAMME_COLOR,
  supportAddress: e.SUPPORT_ADDRESS ?? null,
  links: {
    app: e.PROGRAMME_APP_URL ?? null,
    imprint: e.PROGRAMME_IMPRINT_URL ?? null,
    privacy: e.PROGRAMME_PRIVACY_URL ?? null,
  },
});

/** The operator's own language files, and the programme's language. @throws Error for a folder that cannot be read */
export const readLanguageFiles = ({ LANGUAGES_FOLDER: folder, PROGRAMME_LANGUAGE: fallback }: Environment) => ({
  own: folder === undefined ? {} : readFolder(folder),
  fallback,
});

const textsSchema = z.record(z.string(), z.string());

function readFolder(folder: string): Record<string, LanguageTexts> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return Object.fromEntries(files.map((name) => [basename(name, ".json"), readTexts(folder, name)]));
}

function readTexts(folder: string, name: string): LanguageTexts {
  try {
    return textsSchema.parse(JSON.parse(readFileSync(join(folder, name), "utf8")));
  } catch (error) {
    throw new Error(`${name} must be one JSON object of texts`, { cause: error });
  }
}

/** The faults of the language files. */
export function listProgrammeFaults(e: Environment): string[] {
  try {
    createLanguages(readLanguageFiles(e));
    return [];
  } catch (error) {
    const name = e.LANGUAGES_FOLDER === undefined ? "PROGRAMME_LANGUAGE" : "LANGUAGES_FOLDER";
    return [`${name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
