/** Sign-in page, which sends magic links (docs/decisions/0048). */
import type { Context } from 'hono'
import { ENVIRONMENTS } from '../../../shared/config/environments.ts'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { MAGIC_LINK_LIFETIME_MS } from '../../../shared/limits.ts'
import { mailboxOf, parseEmail } from '../../identity/email-address.ts'
import { issueMagicLink, withdrawMagicLink } from '../../identity/magic-links.ts'
import { signInMail } from '../../identity/mailer.ts'
import { safeNext } from '../../identity/next-path.ts'
import { RateLimitExceededError } from '../../limits/require-rate.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { clientAddress } from '../../http/client-address.ts'
import { readSameOriginForm } from '../requests/same-origin-form.ts'
import { noticePage, renderPage } from '../layout/render-page.tsx'
import { Field } from '../../browser/components/form-fields.tsx'
import { MINUTE_MS } from '../../../shared/durations.ts'

export function registerSignInPage(app: App): void {
  app.get('/sign-in', (c) => showForm(c, safeNext(c.req.query('next'))))
  app.post('/sign-in', (c) => sendLink(c))
}

type RejectedEmail = { email: string; problem: string }

function showForm(c: Context<AppEnv>, next: string, rejected?: RejectedEmail): Promise<Response> {
  const form = (
    <>
      <p class="lead">
        We send you a sign-in link by e-mail. No password, and no registration required.
      </p>
      <form method="post" action="/sign-in" class="card">
        <Field
          name="email"
          label="E-mail address"
          type="email"
          required
          autocomplete="email"
          value={rejected?.email}
          error={rejected?.problem}
        />
        <input type="hidden" name="next" value={next} />
        <button>Send sign-in link</button>
      </form>
      <div id="passkey" data-next={next} hidden>
        <button type="button" class="quiet">
          Sign in with a passkey
        </button>
      </div>
      <p id="passkey-status" role="status" />
    </>
  )
  const status = rejected ? 400 : 200
  return renderPage(c, { title: 'Sign in', status, script: { name: 'sign-in' } }, form)
}

/** Does not read the users table, so that known and unknown addresses are handled identically. */
async function sendLink(c: Context<AppEnv>): Promise<Response> {
  const form = await readSameOriginForm(c)
  if (form instanceof Response) return form
  const next = safeNext(form.get('next') ?? undefined)
  const given = form.get('email') ?? ''
  const email = parseEmail(given)
  if (email === undefined) {
    const problem = 'Enter an e-mail address, such as name@example.com.'
    return showForm(c, next, { email: given, problem })
  }
  const { services } = c.var
  const exceeded = await exceededMailRate(c, email)
  if (exceeded) return tooManyLinksPage(c, exceeded.retryAfterMs)
  const link = await issueMagicLink(services, { email, next })
  if (!link.issued) return tooManyLinksPage(c, link.retryAfterMs)

  const url = new URL('/sign-in/link', services.settings.PUBLIC_URL)
  url.searchParams.set('secret', link.secret)
  try {
    await services.mailer.send(signInMail(email, url.href))
  } catch (error) {
    // Links that could not be sent must not count towards the mailbox's limit.
    await withdrawMagicLink(services, link.secret)
    throw error
  }
  const minutes = MAGIC_LINK_LIFETIME_MS / MINUTE_MS
  return noticePage(c, {
    title: 'Check your e-mail',
    text: `We sent a sign-in link to ${email}. It works once and expires after ${minutes} minutes. Open it in this browser. If it opens in another tab, return to this one to continue where you left off.`,
    link: [
      ...(ENVIRONMENTS[services.settings.SVC_ENV].isPublic
        ? []
        : [{ href: '/dev/mailbox', text: 'Open the local mailbox' }]),
      { href: next, text: 'Continue in this tab' },
    ],
  })
}

/**
 * Limits sign-in mails per client network and per mailbox. Mails cost money, and flooding a mailbox harms its owner.
 * Returns the error if a limit is exceeded.
 */
async function exceededMailRate(
  c: Context<AppEnv>,
  email: string,
): Promise<RateLimitExceededError | undefined> {
  const { requireRate, settings } = c.var.services
  try {
    await requireRate('sign_in_address', clientNetwork(clientAddress(c.req.raw, settings)))
    await requireRate('sign_in_mailbox', mailboxOf(email))
  } catch (error) {
    if (error instanceof RateLimitExceededError) return error
    throw error
  }
}

function tooManyLinksPage(c: Context<AppEnv>, retryAfterMs: number): Promise<Response> {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
  return noticePage(c, {
    status: 429,
    headers: { 'Retry-After': String(seconds) },
    title: 'Too many sign-in links',
    text: `Use the latest link that was sent, or request another in ${Math.ceil(seconds / 60)} minutes.`,
  })
}
