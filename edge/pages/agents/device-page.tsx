/** Page on which a person types the code that a device shows (RFC 8628, 3.3), to continue on the approval page. */
import type { Context } from 'hono'
import { parseCrockfordCode } from '../../../shared/encoding/crockford-code.ts'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { DEVICE_PATH } from '../../../shared/wire/oauth.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { clientAddress } from '../../http/client-address.ts'
import { findOpenDeviceRequest } from '../../identity/agent-requests.ts'
import type { Session } from '../../identity/sessions.ts'
import { renderPage } from '../layout/render-page.tsx'
import { CsrfField } from '../requests/csrf-field.tsx'
import { readSessionForm, requirePageSession } from '../requests/session-form.ts'
import { CodeField, registeredRequestPage, StartedYourself } from './authorize-forms.tsx'
import { approvalProps } from './approval-props.ts'

const CSRF_SUBJECT = 'device-code'

export function registerDevicePage(app: App): void {
  app.get(DEVICE_PATH, async (c) => {
    const session = await requirePageSession(c)
    return session instanceof Response ? session : codePage(c, session)
  })
  app.post(DEVICE_PATH, (c) => findRequest(c))
}

/** Changes no state: the approval page, which it shows, has its own form. */
async function findRequest(c: Context<AppEnv>): Promise<Response> {
  const read = await readSessionForm(c, { subject: CSRF_SUBJECT, back: DEVICE_PATH })
  if (read instanceof Response) return read
  const { session, form } = read
  const { services } = c.var
  const code = parseCrockfordCode(form.get('user_code') ?? '')
  if (code === undefined)
    return codePage(c, session, 'The code has eight letters and digits. Enter it as shown.')
  await services.requireRate('user_code_account', session.user.id)
  const network = clientNetwork(clientAddress(c.req.raw, services.settings))
  await services.requireRate('user_code_address', network)
  const request = await findOpenDeviceRequest(services, code)
  if (!request)
    return codePage(
      c,
      session,
      'No open request has this code. Check it, or start again in your program.',
    )
  const props = await approvalProps({ challenge: request.challenge, session })
  return registeredRequestPage(c, request, { ...props, typedCode: code })
}

function codePage(c: Context<AppEnv>, session: Session, problem?: string): Promise<Response> {
  const content = (
    <>
      <p>
        Enter the code that your program shows, to authorize it for{' '}
        <strong>{session.user.email}</strong>.
      </p>
      <StartedYourself thing="code" />
      <form method="post" action={DEVICE_PATH} class="card">
        <CsrfField session={session} subject={CSRF_SUBJECT} />
        <CodeField hint="Shown by your program." problem={problem} />
        <p class="actions">
          <button>Continue</button>
        </p>
      </form>
    </>
  )
  const status = problem === undefined ? 200 : 400
  return renderPage(c, { title: 'Connect a program', status }, content)
}
