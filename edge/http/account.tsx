/** `GET /account`: who is signed in, and the passkeys of the account. */
import type { Context } from 'hono'
import { PASSKEYS_MAX, RECENT_SIGN_IN_MS } from '../../shared/limits.ts'
import { LABEL_MAX_CHARACTERS } from '../../shared/wire/agent.ts'
import { csrfToken } from '../identity/csrf.ts'
import { listPasskeys, type Passkey } from '../identity/passkeys.ts'
import { ACCOUNT_FORMS } from './account-forms.ts'
import type { App, AppEnv } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { registerPageScript } from './page-script.ts'
import { page, seeOther, signInPath } from './page.tsx'
import { isRecent } from './passkey-registration.ts'

const PATH = '/account'
const SCRIPT_PATH = '/account/script.js'

export function registerAccount(app: App): void {
  app.get(PATH, (c) => showAccount(c))
  registerPageScript(app, SCRIPT_PATH, () => import('../console/account/script.txt'))
}

async function showAccount(c: Context<AppEnv>): Promise<Response> {
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath(PATH))
  const { services } = c.var
  const passkeys = await listPasskeys(services, session.user.id)
  const csrf = await csrfToken(session.secret, ACCOUNT_FORMS)
  const script = new URL(SCRIPT_PATH, services.settings.PUBLIC_URL)
  const canAdd = passkeys.length < PASSKEYS_MAX
  return page(
    c,
    { title: 'Your account', script: { url: script.href, connect: [script.origin] } },
    <>
      <p>
        You are signed in as <strong>{session.user.email}</strong>.
      </p>
      <p>
        <a href="/agent/tokens">Programs that may act for you</a>
      </p>
      <h2>Passkeys</h2>
      <p>
        A passkey signs you in with your fingerprint, your face or a PIN, without a mail. It stays
        on your device or in your key ring.
      </p>
      {passkeys.length === 0 ? <p>You have none yet.</p> : <PasskeyList {...{ passkeys, csrf }} />}
      {!canAdd && <p>You have {PASSKEYS_MAX}, and cannot add more.</p>}
      {canAdd && isRecent(session, services.now()) && <AddPasskey csrf={csrf} />}
      {canAdd && !isRecent(session, services.now()) && (
        <p>
          To add one, <a href={signInPath(PATH)}>sign in again</a>: you did so more than{' '}
          {RECENT_SIGN_IN_MS / 60_000} minutes ago.
        </p>
      )}
      <p id="passkey-status" role="status" />
      <script src={script.href} defer />
    </>,
  )
}

function PasskeyList({ passkeys, csrf }: { passkeys: Passkey[]; csrf: string }) {
  return (
    <ul>
      {passkeys.map(({ credentialId, name, createdAt, lastUsedAt }) => (
        <li>
          <strong>{name}</strong>
          <br />
          Added <Day of={createdAt} />,{' '}
          {lastUsedAt === null ? (
            'not used yet'
          ) : (
            <>
              last used <Day of={lastUsedAt} />
            </>
          )}
          <form method="post" action="/passkeys/remove">
            <input type="hidden" name="csrf" value={csrf} />
            <input type="hidden" name="credential_id" value={credentialId} />
            <button type="submit" class="quiet" aria-label={`Remove the passkey ${name}`}>
              Remove
            </button>
          </form>
        </li>
      ))}
    </ul>
  )
}

/** Shown by the script: without one a browser cannot ask its authenticator. */
function AddPasskey({ csrf }: { csrf: string }) {
  return (
    <>
      <form id="add-passkey" hidden>
        <input type="hidden" name="csrf" value={csrf} />
        <label for="name">Name of the new passkey</label>
        <input
          id="name"
          name="name"
          type="text"
          required
          maxlength={LABEL_MAX_CHARACTERS}
          autocomplete="off"
          placeholder="My laptop"
        />
        <button type="submit">Add a passkey</button>
      </form>
      <noscript>
        <p>Adding a passkey needs a script of this page, which your browser does not run.</p>
      </noscript>
    </>
  )
}

function Day({ of }: { of: number }) {
  const time = new Date(of).toISOString()
  return <time datetime={time}>{time.slice(0, 10)}</time>
}
