/** `GET /agent/authorize`, `POST /agent/authorize` (specification, Authentication 3; `decisions.md`, Authorize). */
import type { Context } from 'hono'
import { AGENT_TOKEN_IDLE_MS, AGENT_TOKEN_LIFETIME_MS } from '../../shared/limits.ts'
import { approveAgentToken } from '../identity/agent-tokens.ts'
import type { Approval } from '../identity/agent-tokens.ts'
import { comparisonCode } from '../../shared/comparison-code.ts'
import { csrfToken, isCsrfToken } from '../identity/csrf.ts'
import { decode32Bytes } from '../identity/secret.ts'
import type { Session } from '../identity/sessions.ts'
import type { App, AppEnv } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { readOwnForm } from './form.ts'
import { notice, page, seeOther, signInPath } from './page.tsx'

const DAY_MS = 24 * 60 * 60 * 1000

export function registerAgentAuthorize(app: App): void {
  app.get('/agent/authorize', (c) => showRequest(c))
  app.post('/agent/authorize', (c) => decide(c))
}

/** Only reads, whoever asks: scanners and previews open links. */
async function showRequest(c: Context<AppEnv>): Promise<Response> {
  const challenge = c.req.query('challenge') ?? ''
  const bytes = decode32Bytes(challenge)
  if (!bytes) return badChallenge(c)
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath(authorizePath(challenge)))
  return requestPage(c, { challenge, session, code: comparisonCode(bytes) })
}

async function decide(c: Context<AppEnv>): Promise<Response> {
  const form = await readOwnForm(c)
  if (form instanceof Response) return form
  const challenge = form.get('challenge') ?? ''
  if (!decode32Bytes(challenge)) return badChallenge(c)
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath(authorizePath(challenge)))
  if (!(await isCsrfToken(form.get('csrf') ?? '', session.secret, csrfSubject(challenge)))) {
    return notice(c, {
      status: 403,
      title: 'This page is out of date',
      text: 'Nothing was granted. You may have signed in again, or as somebody else, since it was opened.',
      link: { href: authorizePath(challenge), text: 'Open the request again' },
    })
  }
  const decision = form.get('decision')
  if (decision === 'refuse') {
    return notice(c, { title: 'Refused', text: 'Nothing was granted. You can close this page.' })
  }
  if (decision !== 'authorize') {
    return notice(c, {
      status: 400,
      title: 'No decision was made',
      text: 'Nothing was granted. Press Authorize or Refuse.',
      link: { href: authorizePath(challenge), text: 'Open the request again' },
    })
  }
  const approval = { challenge, userId: session.user.id }
  return notice(c, OUTCOMES[await approveAgentToken(c.var.services, approval)])
}

type Facts = { challenge: string; session: Session; code: string }

async function requestPage(c: Context<AppEnv>, facts: Facts): Promise<Response> {
  const { challenge, session, code } = facts
  const content = (
    <>
      <p>
        A program on somebody’s computer asks to act as <strong>{session.user.email}</strong>.
      </p>
      <p class="warn">
        <strong>Only continue if you just started this yourself.</strong> If somebody sent you the
        link, refuse: they would get access to your account.
      </p>
      <p>Compare this code with the one that your program shows. If they differ, refuse:</p>
      <p class="code">{code}</p>
      <p>If you authorize it, it can do this with all triggers of your account:</p>
      <ul>
        <li>see, create, change and delete them</li>
        <li>read their run history: what they received and answered</li>
      </ul>
      <p>
        This lasts {AGENT_TOKEN_LIFETIME_MS / DAY_MS} days, and ends earlier if it is not used for{' '}
        {AGENT_TOKEN_IDLE_MS / DAY_MS} days.
      </p>
      <form method="post" action="/agent/authorize" class="card">
        <input type="hidden" name="challenge" value={challenge} />
        <input
          type="hidden"
          name="csrf"
          value={await csrfToken(session.secret, csrfSubject(challenge))}
        />
        <p class="actions">
          <button type="submit" name="decision" value="authorize" class="armed">
            Authorize
          </button>
          <button type="submit" name="decision" value="refuse" class="quiet">
            Refuse
          </button>
        </p>
      </form>
      <p class="note">
        Not your account?{' '}
        <a href={signInPath(authorizePath(challenge))}>Sign in as somebody else</a>
      </p>
    </>
  )
  return page(c, { title: 'Authorize an agent' }, content)
}

const NEW_TOKEN = 'Have your program generate a new token and open the link that it prints then.'

const OUTCOMES: Record<Approval, Parameters<typeof notice>[1]> = {
  granted: {
    title: 'Authorized',
    text: 'Your program can use its token now. You can close this page.',
  },
  already_granted: {
    title: 'Already authorized',
    text: 'You authorized this token before. Nothing changed, and its last day is the same as it was.',
  },
  taken: {
    status: 409,
    title: 'This token is already used by another account',
    text: `Nothing was granted. ${NEW_TOKEN} The old token acts on an account that is not yours.`,
  },
  revoked: {
    status: 410,
    title: 'This token was revoked',
    text: `It cannot be authorized again. ${NEW_TOKEN}`,
  },
  expired: {
    status: 410,
    title: 'This token has expired',
    text: `It cannot be authorized again. ${NEW_TOKEN}`,
  },
}

function badChallenge(c: Context<AppEnv>): Promise<Response> {
  return notice(c, {
    status: 400,
    title: 'This link is not complete',
    text: 'Its challenge must be the base64url text of the token’s SHA-256, without padding: exactly 43 characters. Copy the whole link that your program printed.',
  })
}

function authorizePath(challenge: string): string {
  return `/agent/authorize?challenge=${challenge}`
}

/** A form token for one challenge is none for another: a page for a request that you trust approves no other. */
function csrfSubject(challenge: string): string {
  return `agent-authorize/${challenge}`
}
