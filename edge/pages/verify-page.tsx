import type { Context } from 'hono'
import { ENVIRONMENTS } from '../../shared/config/environments.ts'
import type { App, AppEnv } from '../http/app-env.ts'
import { readSameOriginForm } from './requests/same-origin-form.ts'
import { renderPage } from './layout/render-page.tsx'
import { Field } from '../browser/components/form-fields.tsx'

const RPC_FIELD = 'rpc_url'

export function registerVerifyPage(app: App): void {
  app.get('/verify', (c) => verifyPage(c, {}))

  /**
   * The form is submitted with POST, because the RPC URL may contain an API key, which must not appear in logs or in
   * the browser history.
   */
  app.post('/verify', async (c) => {
    const form = await readSameOriginForm(c)
    if (form instanceof Response) return form
    const given = form.get(RPC_FIELD)?.trim() ?? ''
    if (given === '') return verifyPage(c, {})
    const rpcUrl = parseRpcUrl(given, !ENVIRONMENTS[c.var.services.settings.SVC_ENV].isPublic)
    if (rpcUrl === undefined)
      return verifyPage(c, { fault: 'Enter a URL that starts with https://.' })
    return verifyPage(c, { rpcUrl })
  })
}

type VerifyPageState = { rpcUrl?: URL; fault?: string }

/** Style that reserves space for the longest heading and verdict of `edge/browser/verify/show-report.ts`. */
const VERIFY_STYLE = `
h1 { min-height: 2.5em; }
#verdict { min-height: 4.8em; }
@media (max-width: 30rem) { h1 { min-height: 5em; } #verdict { min-height: 9.6em; } }
`

function verifyPage(c: Context<AppEnv>, { rpcUrl, fault }: VerifyPageState): Promise<Response> {
  const { ORIGIN_URL } = c.var.services.settings
  const { origin } = new URL(ORIGIN_URL)
  const command = `npx --no-install svc verify ${origin}`
  return renderPage(
    c,
    {
      title: 'Verifying this service',
      status: fault === undefined ? 200 : 400,
      style: VERIFY_STYLE,
      // The script may connect only to the origin, and to the node that the user entered.
      script: { name: 'verify', connect: [origin, ...(rpcUrl ? [rpcUrl.origin] : [])] },
    },
    <>
      <p id="verdict" class="lead" role="status">
        Requesting evidence from {origin}…
      </p>
      <noscript>
        <p class="warn">
          Verification in the browser requires JavaScript. Without it, use the command below.
        </p>
      </noscript>
      <form method="post" action="/verify" class="card">
        <Field
          name={RPC_FIELD}
          label="RPC URL for checking the governance contract"
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
        <h2>Verify independently</h2>
        <p>
          This page is served by the edge, which cannot be attested. The command checks all seven
          rules, including the certificate and the CAA records, on your own machine:
        </p>
        <pre>
          <code>{command}</code>
        </pre>
      </section>
      {/* The report is the last element on the page, so that showing it causes no layout shift. */}
      <section id="report" class="card" hidden>
        <h2>Seven rules</h2>
        <ol id="rules" />
        <h2>Not covered</h2>
        <ul id="open" />
        <h2>Evidence</h2>
        <dl id="shown" />
      </section>
      <div id="evidence" data-base-url={origin} data-rpc-url={rpcUrl?.href ?? ''} hidden />
    </>,
  )
}

/**
 * Pattern of valid host names. The host name becomes part of the content security policy, where `*` would match any
 * host.
 */
const HOST = /^([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:]+\])$/

/** Plain HTTP is allowed only in a local stack, whose node has no certificate. */
function parseRpcUrl(given: string, isLocal: boolean): URL | undefined {
  const url = URL.parse(given)
  if (!url || !HOST.test(url.hostname)) return undefined
  if (url.protocol === 'https:') return url
  return isLocal && url.protocol === 'http:' && url.hostname === 'localhost' ? url : undefined
}
