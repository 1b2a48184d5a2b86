import type { Context } from 'hono'
import { ConnectCard } from '../../browser/connect/connect-card.tsx'
import type { App, AppEnv } from '../../http/app-env.ts'
import { coreApi } from '../layout/core-api.ts'
import { configuredExplorers, ExplorerData } from '../layout/explorers.tsx'
import { renderPage } from '../layout/render-page.tsx'
import { CONSOLE_STYLE } from './console-style.ts'

const LAZY_SCRIPTS = [
  'console',
  'ethers',
  'verifier',
  'charts',
  'editor',
  'policies',
  'transactions',
] as const

export function registerConsolePage(app: App): void {
  app.get('/console', (c) => consolePage(c))
}

function consolePage(c: Context<AppEnv>): Promise<Response> {
  const { baseUrl, connect, data } = coreApi(c)
  return renderPage(
    c,
    {
      title: 'Console',
      wide: true,
      hasLists: false,
      style: CONSOLE_STYLE,
      script: {
        name: 'connect',
        modules: LAZY_SCRIPTS,
        worker: 'language',
        connect,
        dataImages: true,
      },
    },
    <>
      <noscript>
        <p class="warn">
          The console requires JavaScript: it runs in your browser, so that your key stays there.
          Without JavaScript, use the command line: <code>npx --no-install svc --help</code>.
        </p>
      </noscript>
      <ExplorerData explorers={configuredExplorers(c)} />
      <div id="console" {...data}>
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
