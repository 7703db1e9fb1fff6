/** Mails and text messages from the texts of a language, with the programme's name. */
import type { User } from "@cardkeep/db/queries/users/users";
import { type PageLink, renderMail } from "@cardkeep/html/mail";
import type { Mailer } from "@cardkeep/providers/mail/port";
import type { Context } from "../context.ts";
import { programmeLinks } from "../policy.ts";
import type { Services } from "../services.ts";
import type { Language, TextKey, TextValues } from "../languages/languages.ts";

type NameOf<K, E extends string> = K extends `${infer Name}.${E}` ? Name : never;
/** A mail of the language files: it has a subject and a body. */
export type MailName = NameOf<TextKey, "subject">;
/** A text message of the language files: its body alone. */
export type TextMessageName = NameOf<TextKey, "body">;

/** What goes into a text. A message with a code warns against passing it on. */
interface Parts {
  readonly values?: TextValues;
  readonly code?: string;
}

type Sender = Pick<Services, "policy">;

/** The language of a person's messages. */
export const languageOf = (
  { languages }: Pick<Services, "languages">,
  { language }: Pick<User, "language">,
): Language => languages.of(language);

/** The language that a request prefers. */
export const languageOfRequest = ({
  languages,
  acceptLanguage,
}: Pick<Context, "languages" | "acceptLanguage">): Language => languages.of(languages.choose(acceptLanguage));

const withName = ({ policy: { programme } }: Sender, { values, code }: Parts): TextValues => ({
  programme: programme.name,
  ...(code !== undefined && { code }),
  ...values,
});

/** The pages of the programme, with their names in a language. */
export const listLinks = ({ policy: { programme } }: Sender, language: Language): PageLink[] =>
  programmeLinks.flatMap((link) => {
    const url = programme.links[link];
    return url === null ? [] : [{ text: language.say(`footer.${link}`), url }];
  });

/** A mail as plain text and as HTML. Its subject and body are texts of the language; blank lines part the paragraphs. */
export function composeMail(
  sender: Sender,
  language: Language,
  name: MailName,
  parts: Parts = {},
): Omit<Parameters<Mailer["send"]>[0], "to"> {
  const { programme } = sender.policy;
  const values = withName(sender, parts);
  const { code } = parts;
  const subject = language.say(`${name}.subject`, values);
  const body = language.say(`${name}.body`, values).split(/\n{2,}/);
  const paragraphs = [...body, ...(code === undefined ? [] : [language.say("code.never", values)])]
    .map((text) => text.trim())
    .filter((text) => text !== "");
  const support = programme.supportAddress;
  const footer = [programme.name, ...(support === null ? [] : [language.say("footer.support", { address: support })])];
  const links = listLinks(sender, language);
  const html = renderMail({
    language: language.code,
    brand: programme,
    subject,
    paragraphs,
    code: code ?? null,
    footer,
    links,
  });
  const lines = [...footer, ...links.map(({ text: name, url }) => `${name}: ${url}`)];
  const text = `${paragraphs.join("\n\n")}\n\n-- \n${lines.join("\n")}\n`;
  return { subject, text, html, ...(code !== undefined && { code }) };
}

/** A text message in one line: the programme's name, then the body of a mail or a text of its own. */
export function composeText(sender: Sender, language: Language, name: TextMessageName, parts: Parts = {}): string {
  const values = withName(sender, parts);
  const never = parts.code === undefined ? [] : [language.say("code.never", values)];
  const text = [`${sender.policy.programme.name}: ${language.say(`${name}.body`, values)}`, ...never].join(" ");
  return text.replaceAll(/\s+/g, " ").trim();
}
