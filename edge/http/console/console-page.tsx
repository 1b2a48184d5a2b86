/** `GET /console`: manages an account of the core API, with an API key or wallet that only the browser holds. */
import type { Context } from 'hono'
import { ConnectCard } from '../../console/connect/connect-card.tsx'
import type { App, AppEnv } from '../app-env.ts'
import { page } from '../page.tsx'
import { scriptUrl } from '../page-script.ts'
import { ACCOUNT_STYLE } from './account-style.ts'
import { CHARTS_SCRIPT_PATH } from './charts-script.ts'
import { CONSOLE_STYLE } from './console-style.ts'
import { EDITOR_SCRIPT_PATH } from './editor-script.ts'
import { WALLETS_STYLE } from './wallets-style.ts'

/** Scripts of the console that are loaded on demand. */
const LATER = ['console', 'ethers', 'verifier'] as const

/** Scripts that the console shares with other pages. */
const SHARED = [CHARTS_SCRIPT_PATH, EDITOR_SCRIPT_PATH]

export function registerConsolePage(app: App): void {
  app.get('/console', (c) => consolePage(c))
}

function consolePage(c: Context<AppEnv>): Promise<Response> {
  const { baseUrl, verify } = coreApi(c)
  const script = scriptUrl(c, 'connect')
  const modules = [
    ...LATER.map((name) => scriptUrl(c, name)),
    ...SHARED.map((path) => new URL(path, script).href),
  ]
  const connect = [...new Set([new URL(script).origin, baseUrl])]
  return page(
    c,
    {
      title: 'Console',
      wide: true,
      style: CONSOLE_STYLE + ACCOUNT_STYLE + WALLETS_STYLE,
      script: { url: script, modules, connect, dataImages: true },
    },
    <>
      <noscript>
        <p class="warn">
          The console is drawn in your browser, by a script, so that your key stays there. Without a
          script nothing of it works. The command line does all of it:{' '}
          <code>npx --no-install svc --help</code>.
        </p>
      </noscript>
      <div id="console" data-base-url={baseUrl} data-verify={verify}>
        <ConnectCard />
      </div>
      <section id="about" aria-labelledby="about-key">
        <h2 id="about-key">What this is, and where your key goes</h2>
        <p>
          Here you see and change an account of the core API: its wallets, groups, usage keys,
          actions and credits. It needs no sign-in, but a key of the account, or its admin wallet.
        </p>
        <p>
          The key goes into the memory of this tab, and from there in a header to the core API at{' '}
          <code>{baseUrl}</code>, and nowhere else: into no cookie, no address, no log, and no
          storage unless you tick it. A reload forgets it.
        </p>
        <p>
          This page comes from the edge, which is no machine that can be verified. Who must not
          believe it uses the command line, <code>svc</code>, which verifies the origin before it
          sends a key, or serves this page from a machine of their own.
        </p>
      </section>
      <script src={script} defer />
    </>,
  )
}

/**
 * Returns the base URL that the console sends API keys to. In a local stack it is the edge, because browsers do not
 * trust the local certificate authority. The edge then seals and forwards the calls, and has verified the origin
 * itself.
 */
function coreApi(c: Context<AppEnv>): { baseUrl: string; verify: 'once' | 'never' } {
  const { SVC_ENV, ORIGIN_URL, PUBLIC_URL } = c.var.services.settings
  return SVC_ENV === 'production'
    ? { baseUrl: new URL(ORIGIN_URL).origin, verify: 'once' }
    : { baseUrl: new URL(PUBLIC_URL).origin, verify: 'never' }
}
