import type { Context } from 'hono'
import { ENVIRONMENTS } from '../../../shared/config/environments.ts'
import { ConnectCard } from '../../browser/connect/connect-card.tsx'
import type { App, AppEnv } from '../../http/app-env.ts'
import { renderPage } from '../layout/render-page.tsx'
import { CONSOLE_STYLE } from './console-style.ts'

const LAZY_SCRIPTS = ['console', 'ethers', 'verifier', 'charts', 'editor', 'policies'] as const

export function registerConsolePage(app: App): void {
  app.get('/console', (c) => consolePage(c))
}

function consolePage(c: Context<AppEnv>): Promise<Response> {
  const { baseUrl, verify, simulatedRoot } = coreApi(c)
  const connect = [...new Set([new URL(c.var.services.settings.PUBLIC_URL).origin, baseUrl])]
  return renderPage(
    c,
    {
      title: 'Console',
      wide: true,
      style: CONSOLE_STYLE,
      script: { name: 'connect', modules: LAZY_SCRIPTS, connect, dataImages: true },
    },
    <>
      <noscript>
        <p class="warn">
          The console requires JavaScript: it runs in your browser, so that your key stays there.
          Without JavaScript, use the command line: <code>npx --no-install svc --help</code>.
        </p>
      </noscript>
      <div
        id="console"
        data-base-url={baseUrl}
        data-verify={verify}
        data-simulated-root={simulatedRoot}
      >
        <ConnectCard />
      </div>
      <section id="about" aria-labelledby="about-key">
        <h2 id="about-key">About the console and your key</h2>
        <p>
          View and change an account of the core API: its wallets, groups, usage keys, actions and
          credits. You need a key of the account or its admin wallet, but no sign-in.
        </p>
        <p>
          The key stays in the memory of this tab, and is sent only in a header to the core API at{' '}
          <code>{baseUrl}</code>. It is never written to a cookie, URL or log, and not to storage
          unless you choose to. Reloading the page discards it.
        </p>
        <p>
          This page is served by the edge, which cannot be attested. If you do not want to trust it,
          use the command line, <code>svc</code>, which verifies the origin before it sends a key,
          or host this page yourself.
        </p>
      </section>
    </>,
  )
}

type CoreApi = {
  baseUrl: string
  verify: 'once' | 'never'
  /** SHA-256 of the only simulated root that the console accepts. Otherwise, it requires Intel's root. */
  simulatedRoot?: string | undefined
}

/**
 * In a public deployment, it is the origin. In a local stack, it is the edge, because browsers do not trust the local
 * certificate authority. The edge then verifies the origin, and seals and forwards the calls.
 */
function coreApi(c: Context<AppEnv>): CoreApi {
  const { SVC_ENV, ORIGIN_URL, PUBLIC_URL, SIM_ROOT_SHA256 } = c.var.services.settings
  const { isPublic, machine } = ENVIRONMENTS[SVC_ENV]
  if (!isPublic) return { baseUrl: new URL(PUBLIC_URL).origin, verify: 'never' }
  return {
    baseUrl: new URL(ORIGIN_URL).origin,
    verify: 'once',
    ...(machine === 'simulated' && { simulatedRoot: SIM_ROOT_SHA256 }),
  }
}
