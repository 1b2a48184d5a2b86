/** `GET /verify`: verifies the origin's evidence in the user's browser, as far as a browser can. */
import type { Context } from 'hono'
import type { App, AppEnv } from './app-env.ts'
import { readOwnForm } from './form.ts'
import { scriptUrl } from './page-script.ts'
import { page } from './page.tsx'
import { Field } from '../console/parts.tsx'

const RPC_FIELD = 'rpc_url'

export function registerVerifyPage(app: App): void {
  app.get('/verify', (c) => verifyPage(c, {}))

  /**
   * The RPC URL is sent in a form's body: it may contain an API key, which would end up in logs and browser histories
   * if it were part of this page's URL.
   */
  app.post('/verify', async (c) => {
    const form = await readOwnForm(c)
    if (form instanceof Response) return form
    const given = form.get(RPC_FIELD)?.trim() ?? ''
    if (given === '') return verifyPage(c, {})
    const rpcUrl = nodeUrl(given, c.var.services.settings.SVC_ENV === 'local')
    if (rpcUrl === undefined)
      return verifyPage(c, { fault: 'That is not an address that starts with https://.' })
    return verifyPage(c, { rpcUrl })
  })
}

type Shown = { rpcUrl?: URL; fault?: string }

/** Reserves space for the longest heading and verdict written by `edge/console/verify/show.ts`. */
const STYLE = `
h1 { min-height: 2.5em; }
#verdict { min-height: 4.8em; }
@media (max-width: 30rem) { h1 { min-height: 5em; } #verdict { min-height: 9.6em; } }
`

function verifyPage(c: Context<AppEnv>, { rpcUrl, fault }: Shown): Promise<Response> {
  const { ORIGIN_URL } = c.var.services.settings
  const { origin } = new URL(ORIGIN_URL)
  const script = scriptUrl(c, 'verify')
  const command = `npx --no-install svc verify ${origin}`
  return page(
    c,
    {
      title: 'Verifying this service',
      status: fault === undefined ? 200 : 400,
      style: STYLE,
      // Allows only the origin and the node that the user entered.
      script: { url: script, connect: [origin, ...(rpcUrl ? [rpcUrl.origin] : [])] },
    },
    <>
      <p id="verdict" class="lead" role="status">
        Asking {origin} for its evidence…
      </p>
      <noscript>
        <p class="warn">
          This page verifies in your browser, by a script. Without it, use the command.
        </p>
      </noscript>
      <form method="post" action="/verify" class="card">
        <Field
          name={RPC_FIELD}
          label="Ask the governance contract, by a node of its chain"
          type="url"
          inputmode="url"
          placeholder="https://"
          autocomplete="off"
          value={rpcUrl?.href ?? ''}
          error={fault}
        />
        <button>Verify again</button>
      </form>
      <section class="card">
        <h2>Do not believe this page</h2>
        <p>
          It comes from the edge, which is no machine that can be verified. The command judges all
          seven rules, the certificate and the CAA records too, on a machine of yours:
        </p>
        <pre>
          <code>{command}</code>
        </pre>
      </section>
      {/* Last on the page, with space reserved above, so that it causes no layout shift. */}
      <section id="report" class="card" hidden>
        <h2>Seven rules</h2>
        <ol id="rules" />
        <h2>What they leave open</h2>
        <ul id="open" />
        <h2>What was shown</h2>
        <dl id="shown" />
      </section>
      <div id="evidence" data-base-url={origin} data-rpc-url={rpcUrl?.href ?? ''} hidden />
      <script src={script} defer />
    </>,
  )
}

/** The host becomes part of the content security policy, in which `*` would match any host. */
const HOST = /^([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])$/

/** Allows plain HTTP for a local stack, whose node has no certificate. */
function nodeUrl(given: string, isLocal: boolean): URL | undefined {
  const url = URL.parse(given)
  if (!url || !HOST.test(url.hostname)) return undefined
  if (url.protocol === 'https:') return url
  return isLocal && url.protocol === 'http:' && url.hostname === 'localhost' ? url : undefined
}
