/** The end of the demo: links to what it made, and what to do next. */
import type { Colors } from "@cardkeep/terminal/colors";
import type { Links } from "@cardkeep/terminal/links";
import type { Person } from "./person.ts";
import type { Addresses } from "./addresses.ts";

/** A person's things, each with the page that shows it. */
function listMade(
  { name, userId, made }: Pick<Person, "name" | "userId" | "made">,
  { service, sandbox }: Pick<Addresses, "service" | "sandbox">,
): { name: string; url: string }[] {
  const operator = `${service}/operator`;
  return [
    { name, url: `${sandbox}/?desk=person&person=${userId}` },
    { name: "As the operator", url: `${operator}/users/${userId}` },
    ...made.map((thing) => ({ name: thing.name, url: `${operator}/${thing.path}` })),
    { name: "Documents", url: `${service}/docs` },
  ];
}

/** The lines behind the journey. */
export function buildSummary(
  person: Person,
  addresses: Addresses,
  { colors, links }: { colors: Colors; links: Links },
): string[] {
  const { cardkeep, demo } = addresses.commands;
  const listed = listMade(person, addresses);
  const nameWidth = Math.max(...listed.map(({ name }) => name.length));
  const next = [
    [`${cardkeep} users show ${person.email}`, "what the operator knows of this person"],
    [`${cardkeep} payments list --user ${person.email}`, "the payments, and why one was declined"],
    [`${cardkeep} trigger card.transaction.created`, "any event, for your own receiver"],
    [demo, "another person"],
  ];
  return [
    colors.strong("What it made"),
    ...listed.map(({ name, url }) =>
      links.isSupported
        ? `  ${colors.address(links.link(name, url))}`
        : `  ${name.padEnd(nameWidth)}  ${colors.address(url)}`,
    ),
    `  ${colors.quiet("The operator's pages ask for the key that `bun start` printed.")}`,
    "",
    colors.strong("Next"),
    ...(addresses.home === null ? [] : [`  export CARDKEEP_HOME=${addresses.home}`]),
    ...next.flatMap(([command = "", what = ""]) => [`  ${command}`, `    ${colors.quiet(what)}`]),
  ];
}
