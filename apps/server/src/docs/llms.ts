/** `llms.txt` (llmstxt.org): the API in one line per topic, for language models. */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import {
  pathOfDecline,
  pathOfError,
  pathOfEvent,
  pathOfGuide,
  pathOfMachine,
  pathOfRoute,
} from "@cardkeep/contract/openapi/documents";
import { errors } from "@cardkeep/contract/core/errorCatalogue";
import { declineCatalogue } from "@cardkeep/contract/spending/declineWords";
import { eventOccasions } from "@cardkeep/contract/partners/events";
import { listStates } from "@cardkeep/contract/core/machine";
import { machines } from "@cardkeep/contract/machines";
import { nouns } from "@cardkeep/contract/nouns";
import { apiPrefix, listRoutes, type Route } from "@cardkeep/contract/core/route";
import { routes } from "@cardkeep/contract/routes";
import { describeText } from "./errors.ts";
import { guides } from "./guides/guides.ts";
import { accessTexts } from "./route.ts";

function describeRoute(name: string, { summary, access, deprecated, aliases = [] }: Route): string {
  const notes = [
    accessTexts[access],
    `tRPC \`${name}\``,
    ...aliases.map((alias) => `also ${apiPrefix}${alias}`),
    ...(deprecated ? [`deprecated: use ${apiPrefix}${deprecated.successor}`] : []),
  ];
  return `${summary}. ${notes.join("; ")}`;
}

const introduction = `# Cardkeep API

> Card and account service: sign in with a wallet, verify your identity, get a self-custodial Safe account on chain, and move
> money out of it through a three-minute delay. Every operation is on REST under \`${apiPrefix}\` and on tRPC under \`/trpc\`, with the
> same fields and the same answers.

- Sign-in: sign a nonce in an EIP-4361 message and exchange it for a token. Send the token with every further request as
  \`Authorization: Bearer <token>\`.
- An amount of a token is a decimal string in its base units. An amount of a card payment is a string in minor units, such as cents.
- Card orders have numbers of euros or of another currency, and daily limits numbers of whole tokens. Statements and payments by the IBAN
  have decimal texts, such as \`"25.50"\`.
- Instants are ISO 8601 in UTC, addresses EIP-55 checksummed in answers.
- An authenticated change takes an \`Idempotency-Key\`: the same key with the same input is executed once.
- The code of an error is the header \`X-Error-Code\` on REST, and \`data.error\` on tRPC. The REST body is as each route documents:
  \`{"error"}\`, \`{"message"}\`, \`{"errors"}\`, \`{"data"}\` or a bare text.`;

/** The whole text, with links to the pages under `serverUrl`. */
export function renderLlms(serverUrl: string): string {
  const section = (title: string, entries: readonly (readonly [name: string, target: string, notes: string])[]) =>
    [`## ${title}`, "", ...entries.map(([name, target, notes]) => `- [${name}](${serverUrl}${target}): ${notes}`)].join(
      "\n",
    );
  const all = listRoutes(routes);
  const sections = [
    section("Documents", [
      ["Documents", "/docs", "guides; every route with fields, faults and an example; state machines, events, errors"],
      ["OpenAPI 3.1", "/openapi.json", "the same for programs, and for Postman, Bruno and Insomnia to import"],
    ]),
    section(
      "Guides",
      guides.map(({ slug, title, summary }) => [title, pathOfGuide(slug), summary]),
    ),
    ...Object.entries(nouns).map(([noun, { title }]) =>
      section(
        title,
        all
          .filter((entry) => entry.noun === noun)
          .map(({ name, route }) => [
            `${route.method} ${apiPrefix}${route.path}`,
            pathOfRoute(name),
            describeRoute(name, route),
          ]),
      ),
    ),
    section(
      "State machines",
      machines.map((machine) => [machine.name, pathOfMachine(machine), listStates(machine).join(", ")]),
    ),
    section(
      "Events",
      Object.entries(eventOccasions).map(([type, occasion]) => [type, pathOfEvent(type), occasion]),
    ),
    section(
      "Declines of cards",
      [...declineCatalogue].map(([code, { happened }]) => [code, pathOfDecline(code), happened]),
    ),
    section(
      "Errors",
      // The catalogue's keys are its codes.
      keysOf(errors).map((code) => [code, pathOfError(code), `${errors[code].status} ${describeText(code)}`]),
    ),
  ];
  return `${[introduction, ...sections].join("\n\n")}\n`;
}
