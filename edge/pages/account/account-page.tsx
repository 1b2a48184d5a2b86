import type { Context } from 'hono'
import { DAY_MS, MINUTE_MS } from '../../../shared/durations.ts'
import { PASSKEYS_MAX, RECENT_SIGN_IN_MS, SESSION_LIFETIME_MS } from '../../../shared/limits.ts'
import { LABEL_MAX_CHARACTERS } from '../../../shared/wire/agent.ts'
import { csrfToken } from '../../identity/csrf.ts'
import { listPasskeys, type Passkey } from '../../identity/passkeys.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { SIGN_OUT_SUBJECT } from '../layout/header.tsx'
import { renderPage, seeOther, signInPath } from '../layout/render-page.tsx'
import { CsrfField } from '../requests/csrf-field.tsx'
import { FactList, Time } from '../../browser/components/elements.tsx'
import { Field } from '../../browser/components/form-fields.tsx'
import { ACCOUNT_CSRF_SUBJECT, isRecentSignIn } from './passkey-registration.ts'

const PATH = '/account'

export function registerAccountPage(app: App): void {
  app.get(PATH, (c) => showAccount(c))
}

async function showAccount(c: Context<AppEnv>): Promise<Response> {
  const session = await currentSession(c)
  if (!session) return seeOther(c, signInPath(PATH))
  const { services } = c.var
  const passkeys = await listPasskeys(services, session.user.id)
  const csrf = await csrfToken(session.secret, ACCOUNT_CSRF_SUBJECT)
  const isRecent = isRecentSignIn(session, services.now())
  return renderPage(
    c,
    { title: 'Sign-in', script: { name: 'account' } },
    <>
      <p class="lead">
        You are signed in as <strong>{session.user.email}</strong>.
      </p>
      <section aria-labelledby="passkeys">
        <h2 id="passkeys">Passkeys</h2>
        <p>
          A passkey signs you in with your fingerprint, face or PIN, without an e-mail. It is stored
          on your device or in your password manager.
        </p>
        {passkeys.length > 0 && <PasskeyList passkeys={passkeys} csrf={csrf} />}
        {passkeys.length === 0 && <p class="note">No passkeys yet.</p>}
        <AddPasskeySection csrf={csrf} count={passkeys.length} isRecent={isRecent} />
        <p id="passkey-status" role="status" />
      </section>
      <section aria-labelledby="alerts">
        <h2 id="alerts">Alerts</h2>
        <p>
          <a href="/alerts">View incidents of your triggers, and change your alerts</a>
        </p>
      </section>
      <section aria-labelledby="access-tokens">
        <h2 id="access-tokens">Access tokens</h2>
        <p>
          <a href="/agent/tokens">View and revoke the access tokens of your programs</a>
        </p>
      </section>
      <section aria-labelledby="changes">
        <h2 id="changes">Changes of triggers</h2>
        <p>
          <a href="/audit-log">View who changed your triggers, and export the log</a>
        </p>
      </section>
      <section aria-labelledby="browsers">
        <h2 id="browsers">Browsers</h2>
        <p>
          You stay signed in for {SESSION_LIFETIME_MS / DAY_MS} days in each browser. Authorized
          programs keep working after you sign out.
        </p>
        <form method="post" action="/sign-out">
          <CsrfField session={session} subject={SIGN_OUT_SUBJECT} />
          <button name="where" value="everywhere" class="quiet">
            Sign out everywhere
          </button>
        </form>
      </section>
    </>,
  )
}

function PasskeyList({ passkeys, csrf }: { passkeys: Passkey[]; csrf: string }) {
  return (
    <ul class="rows">
      {passkeys.map(({ credentialId, name, createdAt, lastUsedAt }) => (
        <li>
          <div>
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <FactList
              facts={[
                ['Added', <Time at={createdAt} />],
                ['Last used', lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />],
              ]}
            />
          </div>
          <form method="post" action="/passkeys/remove">
            <input type="hidden" name="csrf" value={csrf} />
            <input type="hidden" name="credential_id" value={credentialId} />
            <button class="danger" aria-label={`Remove the passkey ${name}`}>
              Remove
            </button>
          </form>
        </li>
      ))}
    </ul>
  )
}

type AddPasskeyProps = { csrf: string; count: number; isRecent: boolean }

/** The page's script enables the button, because adding a passkey requires JavaScript. */
function AddPasskeySection({ csrf, count, isRecent }: AddPasskeyProps) {
  if (count >= PASSKEYS_MAX)
    return (
      <p class="note">
        You have reached the limit of {PASSKEYS_MAX} passkeys. Remove one to add another.
      </p>
    )
  if (!isRecent)
    return (
      <p class="note">
        To add a passkey, <a href={signInPath(PATH)}>sign in again</a>. Your last sign-in was more
        than {RECENT_SIGN_IN_MS / MINUTE_MS} minutes ago.
      </p>
    )
  return (
    <>
      <form id="add-passkey" class="card">
        <input type="hidden" name="csrf" value={csrf} />
        <Field
          name="name"
          label="Name of the new passkey"
          hint="Such as the name of the device or password manager."
          required
          maxlength={LABEL_MAX_CHARACTERS}
          autocomplete="off"
        />
        <button type="submit" disabled>
          Add a passkey
        </button>
      </form>
      <noscript>
        <p class="warn">Adding a passkey requires JavaScript, which is disabled in your browser.</p>
      </noscript>
    </>
  )
}
