/** The sandbox plays every external partner. It runs on a developer's machine only. */
import { chooseMediaType } from "@cardkeep/html/mediaType";
import type { Html } from "@cardkeep/html/markup";
import { Elysia } from "elysia";
import { advance, describeChain, faucet } from "./chain.ts";
import { answerConsole, findDeskScript } from "./console/page.ts";
import { describeStart } from "./console/start.ts";
import { renderRoutes } from "./console/routes.ts";
import { answerEmoneyApi, apiPrefix as emoneyPrefix } from "./emoney/api.ts";
import { buildConsentForm, decideConsent, renderConsent } from "./emoney/consent.ts";
import { addProfile } from "./emoney/desk.ts";
import { addOrder, incoming, stepOrder } from "./emoney/orders.ts";
import { showErrorPage, unknownAddress } from "./core/errorPage.ts";
import { answerNode, nodePath } from "./faults/nodeProxy.ts";
import { listAppSources } from "./core/framePages.ts";
import { applyPartnerFaults } from "./faults/partnerFaults.ts";
import { clearFaults, endFault, listFaults, setFault } from "./faults/routes.ts";
import { answerIdentity } from "./identity/api.ts";
import { identityPath } from "./identity/provider.ts";
import { changeGroups, endOperatorSessions, readOperators, switchOperator } from "./identity/routes.ts";
import { refuseForeignRequest } from "./core/refuseForeignRequest.ts";
import { elementsToken } from "./elements/secrets.ts";
import { registerName } from "./ens.ts";
import { decideFlow, flowForm, renderFlow } from "./kyc/kycFlow.ts";
import { answerIssuerApi } from "./issuer/api.ts";
import { decideIssuerDispute, listIssuerDisputes } from "./issuer/disputeDesk.ts";
import { scriptRoute } from "./issuer/scriptRoute.ts";
import { setBalance, showBalance } from "./issuer/balance.ts";
import { setStandIn, showStandIn } from "./issuer/standIn.ts";
import { reviewCardholder } from "./issuer/cardholderReview.ts";
import { addToWallet, shipCard, showIssuerCard, warnOfFraud } from "./issuer/desk.ts";
import { useCard } from "./issuer/useCard.ts";
import { deliveryForm, readInbox, receiveDelivery, setInbox } from "./inbox.ts";
import { answerKycApi } from "./kyc/kycApi.ts";
import { review } from "./kyc/kycReview.ts";
import { readMailbox, readMailHtml, readPhones, receiveMail } from "./mail/mailbox.ts";
import { coupons, partners } from "./operator.ts";
import { createPerson } from "./people/createPerson.ts";
import { readText } from "./core/readBody.ts";
import type { SandboxRoute } from "./core/route.ts";
import { answerAwsKms, awsKmsPath } from "./signer/awsKms.ts";
import { answerWeb3signer, web3signerPath } from "./signer/web3signer.ts";
import { answerSmsApi } from "./mail/smsApi.ts";
import { style } from "./core/style.ts";
import { trigger } from "./trigger/trigger.ts";
import type { SandboxRuntime } from "./core/openStore.ts";
import { terminalRoutes } from "./issuer/terminalRoutes.ts";
import { buildPageHeaders } from "@cardkeep/html/policy";
import { allowApp, answerRoute, guard } from "./answerRoute.ts";

/** Every route that the console offers, in this order. */
const routes: readonly SandboxRoute[] = [
  createPerson,
  trigger,
  readMailbox,
  readMailHtml,
  readPhones,
  receiveMail,
  review,
  describeChain,
  advance,
  faucet,
  registerName,
  showIssuerCard,
  shipCard,
  reviewCardholder,
  showStandIn,
  setStandIn,
  showBalance,
  setBalance,
  addToWallet,
  warnOfFraud,
  elementsToken,
  incoming,
  addOrder,
  stepOrder,
  addProfile,
  useCard,
  ...terminalRoutes,
  scriptRoute,
  listIssuerDisputes,
  decideIssuerDispute,
  partners,
  coupons,
  readOperators,
  changeGroups,
  switchOperator,
  endOperatorSessions,
  readInbox,
  setInbox,
  listFaults,
  setFault,
  endFault,
  clearFaults,
];

/** The routes read bodies themselves, so the same checks apply to every content type. */
const raw = { parse: "none" } as const;

interface Incoming {
  request: Request;
  params: Record<string, string>;
}

/** The sandbox of one runtime. @throws Error in production */
export function createSandbox(runtime: SandboxRuntime): { fetch(request: Request): Promise<Response> } {
  if (runtime.settings.production) throw new Error("The sandbox does not run in production");
  const app = new Elysia();
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    const handle = async ({ request, params }: Incoming) => {
      const response = await guard(runtime, () => answerRoute(runtime, route, request, params));
      // An app reads an error too.
      if (route.isOpenToApps)
        for (const [name, value] of Object.entries(allowApp(request))) response.headers.set(name, value);
      return response;
    };
    app.route(route.method, path, handle, raw);
    if (route.isOpenToApps) app.options(path, ({ request }) => new Response(null, { headers: allowApp(request) }));
  }
  const serveKycApi = ({ request }: Incoming) =>
    guard(runtime, async () => Response.json(await answerKycApi(runtime, request, await readText(request))));
  const showFlow = ({ params: { userId = "" } }: Incoming) =>
    guard(runtime, async () => page(await renderFlow(runtime, userId), await buildFlowHeaders(runtime)));
  const sendFlow = ({ request, params: { userId = "" } }: Incoming) =>
    guard(runtime, async () => {
      const html = await decideFlow(runtime, userId, await readText(request));
      return page(html, await buildFlowHeaders(runtime));
    });
  app.all("/resources/*", serveKycApi, raw);
  const serveSmsApi = ({ request, params: { account = "" } }: Incoming) =>
    guard(runtime, async () => answerSmsApi(runtime, request, account, await readText(request)));
  app.post("/2010-04-01/Accounts/:account/Messages.json", serveSmsApi, raw);
  const serveAwsKms = ({ request }: Incoming) =>
    guard(runtime, async () => answerAwsKms(runtime, request, await readText(request)));
  app.post(awsKmsPath, serveAwsKms, raw);
  app.post(`${awsKmsPath}/`, serveAwsKms, raw);
  const serveWeb3signer = ({ request }: Incoming) =>
    guard(runtime, async () => answerWeb3signer(runtime, request, await readText(request)));
  app.all(`${web3signerPath}/*`, serveWeb3signer, raw);
  app.all("/v1/*", ({ request }: Incoming) => answerIssuerApi(runtime, request), raw);
  app.all(`${emoneyPrefix}/*`, ({ request }: Incoming) => guard(runtime, () => answerEmoneyApi(runtime, request)), raw);
  app.all(
    `${identityPath}/*`,
    ({ request }: Incoming) => guard(runtime, async () => answerIdentity(runtime, request, await readText(request))),
    raw,
  );
  const showConsent = ({ request }: Incoming) =>
    guard(runtime, async () => page(renderConsent(runtime, request.url), consentHeaders));
  const sendConsent = ({ request }: Incoming) =>
    guard(runtime, async () => {
      const decided = await decideConsent(runtime, request.url, await readText(request));
      return typeof decided === "string" ? page(decided, consentHeaders) : decided;
    });
  const receive = ({ request, params: { name = "" } }: Incoming) =>
    guard(runtime, async () => receiveDelivery(runtime, { name, request, body: await readText(request) }));
  app.post("/inbox/:name", receive, raw);
  app.get("/emoney/oauth/authorize", showConsent);
  app.post("/emoney/oauth/authorize", sendConsent, raw);
  app.get("/kyc/flow/:userId", showFlow);
  app.post("/kyc/flow/:userId", sendFlow, raw);
  // Rendered for the first reader: most sandboxes of tests have none.
  let forms: Html | null = null;
  app.get("/", ({ request }) =>
    guard(runtime, async () =>
      chooseMediaType(request, "text/html") === "text/html"
        ? answerConsole(runtime, request, (forms ??= renderForms(runtime)))
        : Response.json(await describeStart(runtime), { headers: { Vary: "Accept" } }),
    ),
  );
  app.get("/console/*", ({ request }) =>
    guard(runtime, async () => {
      const { pathname } = new URL(request.url);
      return (await findDeskScript(pathname)) ?? Response.json({ error: "Not found" }, { status: 404 });
    }),
  );
  app.onError(({ code }) =>
    code === "NOT_FOUND"
      ? Response.json({ error: unknownAddress }, { status: 404 })
      : Response.json({ error: "Invalid request" }, { status: 422 }),
  );
  return {
    fetch: async (request) => {
      const refused = refuseForeignRequest(runtime, request);
      if (refused) return refused;
      if (new URL(request.url).pathname === nodePath) return answerNode(runtime, request);
      const answered = (await applyPartnerFaults(runtime, request)) ?? (await app.handle(request));
      return showErrorPage(request, answered, "/");
    },
  };
}

const renderForms = (runtime: SandboxRuntime): Html =>
  renderRoutes([...routes, deliveryForm], [flowForm, buildConsentForm(runtime)]);

/** Under `no-referrer` browsers would not name the origin of a form. */
const sameOrigin = { "Referrer-Policy": "same-origin" } as const;

/** Apps show the identity provider's page in a frame, as its own web client does. */
const buildFlowHeaders = async (runtime: SandboxRuntime) => ({
  ...buildPageHeaders({ style, self: ["form-action"], frameAncestors: await listAppSources(runtime) }),
  ...sameOrigin,
});

/**
 * The form of the consent page redirects to the app, at any address. Browsers apply `form-action` to redirects too.
 */
const consentHeaders = { ...buildPageHeaders({ style, formTargets: ["'self'", "http:", "https:"] }), ...sameOrigin };

const page = (html: string, headers: Readonly<Record<string, string>>): Response => new Response(html, { headers });
