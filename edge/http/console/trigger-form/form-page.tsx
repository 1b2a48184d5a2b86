/** Rendered again if the input is rejected. */
import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ApiError } from '../../../../shared/errors.ts'
import type { Session } from '../../../identity/sessions.ts'
import type { AppEnv } from '../../app-env.ts'
import { toApiError } from '../../failure.ts'
import { page } from '../../page.tsx'
import { refusal } from '../../refusal.ts'
import { TriggerRefused } from '../../../triggers/trigger-refused.ts'
import { EDITOR_SCRIPT_PATH } from '../editor-script.ts'
import { formToken } from '../session-form.ts'
import { CHECK_SUBJECT } from '../trigger-preview.ts'
import { type FormState, TriggerForm } from './form.tsx'
import { TRIGGER_LOOKS } from './looks.ts'
import { type Problems, problemsOfRefusal } from './problems.ts'

export const FORM_SCRIPT_PATH = '/scripts/trigger-form.js'

type FormPage = FormState & {
  session: Session
  title: string
  status?: ContentfulStatusCode
  headers?: Record<string, string>
  action: string
  /** CSRF subject. */
  subject: string
  seen?: string
  intro?: Child
  outro?: Child
}

export async function formPage(c: Context<AppEnv>, given: FormPage): Promise<Response> {
  const { session, title, status = 200, headers = {}, intro, outro, subject, ...form } = given
  const { PUBLIC_URL, CHAINS } = c.var.services.settings
  const at = (path: string) => new URL(path, PUBLIC_URL)
  const script = at(FORM_SCRIPT_PATH)
  return page(
    c,
    {
      title,
      status,
      headers,
      style: TRIGGER_LOOKS,
      script: {
        url: script.href,
        modules: [at(EDITOR_SCRIPT_PATH).href],
        connect: [script.origin],
      },
    },
    <>
      {intro}
      <TriggerForm
        {...form}
        chains={CHAINS}
        csrf={await formToken(session, subject)}
        checkCsrf={await formToken(session, CHECK_SUBJECT)}
      />
      {outro}
      <script src={script.href} defer />
    </>,
  )
}

/** Problems with fields, or a failure of the service. */
export type NotTaken = {
  problems: Problems
  status: ContentfulStatusCode
  headers: Record<string, string>
}

/**
 * Problems to show in the form, so that the user's input is not lost, for example if a node did not respond. Failures
 * of the service are logged as usual.
 * @throws the error itself if the user can neither fix it nor retry
 */
export function notTaken(c: Context<AppEnv>, error: unknown): NotTaken {
  const { status, message, fix } = toApiError(error)
  if (status === 500 || (error instanceof ApiError && status === 404)) throw error
  if (error instanceof TriggerRefused)
    return { problems: problemsOfRefusal(error), status, headers: {} }
  const retryAfter = refusal(error, c.req.raw, c.env).headers.get('retry-after')
  return {
    problems: { form: `${message} ${fix}` },
    status,
    headers: retryAfter === null ? {} : { 'retry-after': retryAfter },
  }
}
