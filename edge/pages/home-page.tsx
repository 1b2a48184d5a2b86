import type { FC } from 'hono/jsx'
import { KindIcon } from '../browser/components/trigger-kind.tsx'
import type { App } from '../http/app-env.ts'
import { currentSession } from '../http/authenticate.ts'
import { renderPage, seeOther, signInPath } from './layout/render-page.tsx'

/**
 * `Link` header of the home page, with which programs discover the service (RFC 8288, with link relations from RFC
 * 8631).
 */
const LINK_HEADER = [
  '</SKILL.md>; rel="service-doc"; type="text/markdown"',
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</.well-known/agent-skills/index.json>; rel="service-meta"; type="application/json"',
  '</llms.txt>; rel="describedby"; type="text/plain"',
  '</health>; rel="status"; type="application/json"',
].join(', ')

export function registerHomePage(app: App): void {
  app.get('/', async (c) => {
    if (await currentSession(c)) {
      c.header('link', LINK_HEADER)
      return seeOther(c, '/triggers')
    }
    return renderPage(
      c,
      {
        title: 'Functions that keep your keys',
        headers: { link: LINK_HEADER },
        style: HOME_STYLE,
        wide: true,
      },
      <>
        <p class="lead">
          Write a function, and run it in an attested machine with private keys that never leave it.
          Webhooks, schedules and chain events trigger it, so it can sign whenever something
          happens. You decide which function may use which key, and can verify every signed result
          yourself.
        </p>
        <HowItWorks />
        <div class="ways">
          <section class="card">
            <h2>Get started</h2>
            <p>
              Create an account, a wallet and your first function in the console, and get a signed
              result in five minutes.
            </p>
            <p>
              <a class="button" href="/console#start">
                Get started
              </a>
            </p>
          </section>
          <section class="card">
            <h2>Your triggers</h2>
            <p>View your triggers and their runs, create new ones, and authorize programs.</p>
            <p>
              <a class="button" href={signInPath('/triggers')}>
                Sign in
              </a>
            </p>
          </section>
          <section class="card">
            <h2>For programs and agents</h2>
            <p>
              Programs use the API under <code>/api</code> with a token that they generate and you
              authorize.
              <a href="/SKILL.md">SKILL.md</a> is the guide for agents, and{' '}
              <a href="/openapi.json">openapi.json</a> describes every operation.
            </p>
          </section>
          <section class="card">
            <h2>Don’t trust, verify</h2>
            <p>
              The machine that runs your actions publishes attestation evidence.{' '}
              <a href="/verify">Verify this service</a> in your browser or from the command line.
            </p>
          </section>
        </div>
      </>,
    )
  })
}

/** A list of boxes is used instead of an image, so that the text is readable at any width. */
const HowItWorks: FC = () => (
  <ol class="flow" aria-label="How it works">
    <li>
      <ul aria-label="Triggers">
        <li>
          <KindIcon kind="webhook" /> A service sends a webhook
        </li>
        <li>
          <KindIcon kind="schedule" /> A schedule is due
        </li>
        <li>
          <KindIcon kind="chain_event" /> A contract emits an event
        </li>
      </ul>
    </li>
    <li class="machine">
      <strong>Your function</strong>
      <span>with a key it may use, in an attested machine</span>
    </li>
    <li>
      <strong>A signed result</strong>
      <span>and a receipt that anyone can verify</span>
    </li>
  </ol>
)

const HOME_STYLE = `
.flow { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 2.5rem; align-items: stretch; margin: 0 0 2rem; padding: 0; list-style: none; }
.flow > li { position: relative; display: flex; flex-direction: column; justify-content: center; margin: 0; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: .875rem; background: var(--paper); }
.flow > li + li::before { content: "→" / ""; position: absolute; right: 100%; top: 50%; width: 2.5rem; translate: 0 -50%; text-align: center; font-size: 1.25rem; color: var(--soft); }
.flow ul { margin: 0; padding: 0; list-style: none; }
.flow ul li { display: flex; gap: .625rem; align-items: center; margin: 0; padding: .25rem 0; }
.flow .machine { border: 2px solid var(--act); }
.flow span { font-size: .9375rem; color: var(--soft); }
.ways { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.ways .card { margin: 0; }
@media (max-width: 44rem) {
  .flow { grid-template-columns: minmax(0, 1fr); gap: 2.25rem; }
  .flow > li + li::before { content: "↓" / ""; right: auto; left: 0; top: auto; bottom: 100%; width: 100%; translate: none; line-height: 2.25rem; }
}
`
