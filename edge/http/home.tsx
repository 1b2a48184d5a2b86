import type { FC } from 'hono/jsx'
import { KindIcon } from '../console/kind.tsx'
import type { App } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { page, seeOther, signInPath } from './page.tsx'

/** Links for programs that request the front page (RFC 8288, with the relations of RFC 8631). */
const POINTERS = [
  '</SKILL.md>; rel="service-doc"; type="text/markdown"',
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</.well-known/agent-skills/index.json>; rel="service-meta"; type="application/json"',
  '</llms.txt>; rel="describedby"; type="text/plain"',
  '</health>; rel="status"; type="application/json"',
].join(', ')

/** `GET /`: introduces the service. Signed-in users are redirected to their triggers. */
export function registerHome(app: App): void {
  app.get('/', async (c) => {
    if (await signedIn(c)) {
      c.header('link', POINTERS)
      return seeOther(c, '/triggers')
    }
    return page(
      c,
      {
        title: 'Functions that keep your keys',
        headers: { link: POINTERS },
        style: LOOKS,
        wide: true,
      },
      <>
        <p class="lead">
          You write a function; it runs in a machine that shows what it is, with private keys that
          never leave it. Webhooks, schedules and chain events run it, so that it signs when
          something happens. You decide which function may use which key, and check each signed
          result yourself.
        </p>
        <Picture />
        <div class="ways">
          <section class="card">
            <h2>Begin</h2>
            <p>
              Make an account, a wallet and a first function in the console, and have a signed
              result in five minutes.
            </p>
            <p>
              <a class="button" href="/console#start">
                Take the first steps
              </a>
            </p>
          </section>
          <section class="card">
            <h2>Go on</h2>
            <p>
              See your triggers and what they did, make new ones, and approve the link that a
              program printed.
            </p>
            <p>
              <a class="button" href={signInPath('/triggers')}>
                Sign in
              </a>
            </p>
          </section>
          <section class="card">
            <h2>For programs and agents</h2>
            <p>
              They use the API under <code>/api</code> with a token that they make themselves and
              you approve. <a href="/SKILL.md">SKILL.md</a> tells an agent all it needs, and{' '}
              <a href="/openapi.json">openapi.json</a> describes each operation.
            </p>
          </section>
          <section class="card">
            <h2>You need not believe us</h2>
            <p>
              What runs your actions shows evidence of what it is.{' '}
              <a href="/verify">Verify this service</a> in your browser, or by a command of yours.
            </p>
          </section>
        </div>
      </>,
    )
  })
}

/** A list of boxes instead of an image, so that it is readable at any width. */
const Picture: FC = () => (
  <ol class="flow" aria-label="How it works">
    <li>
      <ul aria-label="What happens">
        <li>
          <KindIcon kind="webhook" /> Another service calls
        </li>
        <li>
          <KindIcon kind="schedule" /> It is time
        </li>
        <li>
          <KindIcon kind="chain_event" /> A contract tells of an event
        </li>
      </ul>
    </li>
    <li class="machine">
      <strong>Your function</strong>
      <span>and a key that it may use, in a machine that shows what it is</span>
    </li>
    <li>
      <strong>A signed result</strong>
      <span>and a receipt that anybody can check</span>
    </li>
  </ol>
)

const LOOKS = `
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
