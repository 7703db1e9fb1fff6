/**
 * A call in four languages. The server renders the samples, and the page's script builds them again for an edited input.
 *
 * - sample: a whole program, or a whole command, that prints the answer.
 */
import { goNative } from "@scalar/snippetz/plugins/go/native";
import { pythonRequests } from "@scalar/snippetz/plugins/python/requests";
import { shellCurl } from "@scalar/snippetz/plugins/shell/curl";
import { type Call, fillPath, joinInput } from "./call.ts";

export const languages = ["curl", "typescript", "python", "go"] as const;

export type Language = (typeof languages)[number];

/** Stands for the token in what the library generates; no example holds it. */
const tokenMark = "Bearer $TOKEN";

function toRequest(call: Call) {
  const { method, origin, tokenName, body } = call;
  const headers = [
    ...(tokenName === null ? [] : [{ name: "Authorization", value: tokenMark }]),
    ...(body === undefined ? [] : [{ name: "Content-Type", value: "application/json" }]),
  ];
  const postData = body === undefined ? {} : { postData: { mimeType: "application/json", text: JSON.stringify(body) } };
  const empty = { httpVersion: "HTTP/1.1", cookies: [], queryString: [], headersSize: -1, bodySize: -1 };
  return { ...empty, url: origin + fillPath(call), method, headers, ...postData };
}

/** The shell puts a variable into double quotes only. */
const buildCurl = (call: Call): string =>
  shellCurl
    .generate(toRequest(call))
    .replace(`'Authorization: ${tokenMark}'`, `"Authorization: Bearer $${call.tokenName}"`);

function buildPython(call: Call): string {
  const imports = call.tokenName === null ? "import requests" : "import os\n\nimport requests";
  const sent = pythonRequests
    .generate(toRequest(call))
    .replace(`"${tokenMark}"`, `f"Bearer {os.environ['${call.tokenName}']}"`);
  return `${imports}\n\nresponse = ${sent}\nprint(response.status_code, response.text)`;
}

function buildGo(call: Call): string {
  const program = goNative.generate(toRequest(call)).replace("\n\n}", "\n}");
  if (call.tokenName === null) return program;
  return program
    .replace(`\t"net/http"\n`, `\t"net/http"\n\t"os"\n`)
    .replace(`"${tokenMark}"`, `"Bearer "+os.Getenv("${call.tokenName}")`);
}

/** A JSON value as an expression of TypeScript: names of fields without quotes where they need none. */
const formatLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, "$1$2:");

/** The call of `@cardkeep/client`, whose types are the service's own. */
function buildTypescript(call: Call): string {
  const { name, method, origin, tokenName } = call;
  const input = joinInput(call);
  const token = tokenName === null ? "" : `, token: env["${tokenName}"]`;
  const verb = method === "GET" ? "query" : "mutate";
  return [
    ...(tokenName === null ? [] : [`import { env } from "node:process";`]),
    `import { createCardkeepClient } from "@cardkeep/client";`,
    "",
    `const cardkeep = createCardkeepClient({ url: ${JSON.stringify(origin)}${token} });`,
    `const answer = await cardkeep.${name}.${verb}(${input === undefined ? "" : formatLiteral(input)});`,
    "console.log(answer);",
  ].join("\n");
}

const builders: Readonly<Record<Language, (call: Call) => string>> = {
  curl: buildCurl,
  typescript: buildTypescript,
  python: buildPython,
  go: buildGo,
};

/** The code of one call in each language. */
export const buildSamples = (call: Call): { language: Language; code: string }[] =>
  languages.map((language) => ({ language, code: builders[language](call) }));
