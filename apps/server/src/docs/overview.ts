/** Facts that hold for every route. */
import { markup, type Html } from "@cardkeep/html/markup";

export const renderOverview = (serverUrl: string): Html =>
  markup`<section id="overview">
    <h1>Cardkeep API</h1>
    <p class="lead">
      Sign in with a wallet, verify your identity, get a self-custodial account on chain, and move money out of it through a
      three-minute delay. Every operation is on REST under <code>/api/v1</code> and on tRPC under <code>/trpc</code>,
      with the same fields and the same answers.
    </p>
    <ul class="links">
      <li><span>Base address</span> <code>${serverUrl}</code></li>
      <li><span>OpenAPI 3.1; imports into Postman and Bruno</span> <a href="/openapi.json">/openapi.json</a></li>
      <li><span>For language models</span> <a href="/llms.txt">/llms.txt</a></li>
      <li><span>Token keys</span> <a href="/.well-known/jwks.json">/.well-known/jwks.json</a></li>
    </ul>
    <div class="topics">
      <section id="access">
        <h3>Access</h3>
        <p>
          <a href="#auth.nonce">A nonce</a>, signed in an EIP-4361 message, is
          <a href="#auth.challenge">exchanged for a token</a>. Send it with every further request as
          <code>Authorization: Bearer &lt;access token&gt;</code>. After <a href="#auth.signUp">sign-up</a> the token
          names the user.
        </p>
      </section>
      <section id="idempotency">
        <h3>Idempotency</h3>
        <p>
          An authenticated POST, PUT, PATCH or DELETE takes an <code>Idempotency-Key</code> of up to 255 characters. For 24 hours
          the same key with the same input gets the first answer again, and nothing is executed twice. This holds across both
          surfaces. Another input, or a key of another length, is a 422. A request still in progress is a 409. Answers that hold a token, and 401, 429
          and 5xx, are never stored.
        </p>
      </section>
      <section id="values">
        <h3>Values</h3>
        <p>
          Amounts are decimal strings in a token's base units. Addresses are EIP-55 checksummed in answers and accepted
          in any letter case, like signatures and other bytes. Instants are ISO 8601 in UTC. Ids are opaque. A field
          without a value is left out or <code>null</code>, as its description says. Unknown fields are ignored. A request that changes something takes its fields from path and body alone.
        </p>
      </section>
      <section id="answers">
        <h3>Answers</h3>
        <p>
          Every answer carries <code>X-Request-Id</code>, yours if you send one. A body may have up to 64 KiB. Where waiting
          helps, a 429 or 503 states the seconds in <code>Retry-After</code>. An error carries its code as
          <code>X-Error-Code</code>, a 401 the scheme as <code>WWW-Authenticate</code>. A deprecated route names the date
          of its deprecation in <code>Deprecation</code>, links to its successor and its description in <code>Link</code>, and names
          the earliest date of its removal in <code>Sunset</code>. An unknown path is a 404. Another method is a 405 that names the
          methods in <code>Allow</code>.
        </p>
      </section>
      <section id="examples">
        <h3>Examples</h3>
        <p>
          Tests took the examples from a running service. Tokens, signatures, ids, addresses, hashes and
          times are replaced by others of the same form, and long calldata is cut.
        </p>
      </section>
    </div>
  </section>`;
