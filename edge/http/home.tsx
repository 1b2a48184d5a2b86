import type { FC } from 'hono/jsx'
import type { App } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { page, signInPath } from './page.tsx'

/** For programs that come to the front door (RFC 8288, with the relations of RFC 8631). */
const POINTERS = [
  '</SKILL.md>; rel="service-doc"; type="text/markdown"',
  '</openapi.json>; rel="service-desc"; type="application/json"',
  '</.well-known/agent-skills/index.json>; rel="service-meta"; type="application/json"',
  '</llms.txt>; rel="describedby"; type="text/plain"',
  '</health>; rel="status"; type="application/json"',
].join(', ')

/** `GET /`: where a person lands who came without a path, or has just signed in. */
export function registerHome(app: App): void {
  app.get('/', async (c) => {
    const session = await signedIn(c)
    return page(
      c,
      { title: 'Functions that keep your keys', headers: { link: POINTERS } },
      <>
        <p class="lead">
          Webhooks, schedules and chain events run your actions, in a machine that shows what it is.
        </p>
        {session ? <SignedIn email={session.user.email} /> : <SignedOut />}
        <section class="card">
          <h2>For programs and agents</h2>
          <p>
            They use the API under <code>/api</code> with a token that they make themselves and you
            approve. <a href="/SKILL.md">SKILL.md</a> tells an agent all it needs, and{' '}
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
      </>,
    )
  })
}

const SignedIn: FC<{ email: string }> = ({ email }) => (
  <section class="card">
    <h2>Approve a program</h2>
    <p>
      You are signed in as <strong>{email}</strong>. Open the link that your program printed to
      approve its token.
    </p>
    <p>
      <a href="/agent/tokens">Programs that you approved before</a>
    </p>
  </section>
)

const SignedOut = () => (
  <section class="card">
    <h2>Approve a program</h2>
    <p>Open the link that your program printed, or sign in first.</p>
    <p>
      <a class="button" href={signInPath('/')}>
        Sign in
      </a>
    </p>
  </section>
)
