/** Pages for people of the programme: their language, the programme's name and colours. */
import type { Context } from "@cardkeep/domain/core/context";
import { languageOfRequest, listLinks } from "@cardkeep/domain/core/messages/composeMessage";
import type { Language } from "@cardkeep/domain/core/languages/languages";
import type { Html } from "@cardkeep/html/markup";
import { buildPersonPageHeaders, renderPersonPage } from "@cardkeep/html/personPage";

interface Page {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Where its forms may lead; without, to this server alone. */
  readonly formTargets?: readonly string[] | null;
}

export interface PersonPages {
  readonly say: Language["say"];
  page(page: Page): Response;
}

/** Pages in the language that a person chose; without one in that of the request. */
export function createPersonPages(
  ctx: Pick<Context, "languages" | "acceptLanguage" | "policy">,
  chosen: string | null,
): PersonPages {
  const language = chosen === null ? languageOfRequest(ctx) : ctx.languages.of(chosen);
  const { programme: brand } = ctx.policy;
  const address = brand.supportAddress;
  const support = address === null ? null : language.say("footer.support", { address });
  return {
    say: language.say,
    page: ({
      title,
      body,
      status = 200,
      headers = {},
      formTargets = body.html.includes("<form") ? ["'self'"] : null,
    }) =>
      new Response(
        renderPersonPage({ language: language.code, brand, title, body, support, links: listLinks(ctx, language) }),
        {
          status,
          headers: { ...buildPersonPageHeaders(brand, formTargets === null ? {} : { formTargets }), ...headers },
        },
      ),
  };
}
