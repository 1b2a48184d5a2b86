import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ApiError } from '../../../../shared/errors/api-error.ts'
import { csrfToken } from '../../../identity/csrf.ts'
import type { Session } from '../../../identity/sessions.ts'
import type { AppEnv } from '../../../http/app-env.ts'
import { toApiError } from '../../../http/failure.ts'
import { renderPage } from '../../layout/render-page.tsx'
import { toErrorResponse } from '../../../http/error-response.ts'
import { TriggerRejectedError } from '../../../triggers/trigger-rejected-error.ts'
import { FORM_STYLE } from './form-style.ts'
import { CHECK_SUBJECT } from './trigger-preview.ts'
import { SourceDoesNotCompileError } from '../../../compile-check/source-does-not-compile-error.ts'
import { type FormState, TriggerForm } from './trigger-form.tsx'
import type { KeySource } from './usage-key-fields.tsx'
import { compileProblem, type Problems, problemsOfRefusal } from './problems.ts'

type FormPageOptions = FormState & {
  session: Session
  title: string
  status?: ContentfulStatusCode
  headers?: Record<string, string>
  action: string
  subject: string
  seen?: string
  triggerId?: string
  keySources?: readonly KeySource[]
  intro?: Child
  outro?: Child
}

export async function formPage(c: Context<AppEnv>, options: FormPageOptions): Promise<Response> {
  const { session, title, status = 200, headers = {}, intro, outro, subject, ...form } = options
  return renderPage(
    c,
    {
      title,
      status,
      headers,
      style: FORM_STYLE,
      hasLists: false,
      script: { name: 'trigger-form', modules: ['editor', 'examples'], worker: 'language' },
    },
    <>
      {intro}
      <TriggerForm
        {...form}
        chains={c.var.services.settings.CHAINS}
        csrf={await csrfToken(session.secret, subject)}
        checkCsrf={await csrfToken(session.secret, CHECK_SUBJECT)}
      />
      {outro}
    </>,
  )
}

export type FormRejection = {
  problems: Problems
  status: ContentfulStatusCode
  headers: Record<string, string>
}

/**
 * Converts an error to problems that the form can show, so that the user's input is not lost, for example if a node did
 * not respond. Failures of the service are logged as usual.
 * @throws the error itself if the user can neither fix it nor retry
 */
export function toFormRejection(c: Context<AppEnv>, error: unknown): FormRejection {
  const { status, message, fix } = toApiError(error)
  if (status === 500 || (error instanceof ApiError && status === 404)) throw error
  if (error instanceof TriggerRejectedError)
    return { problems: problemsOfRefusal(error), status, headers: {} }
  if (error instanceof SourceDoesNotCompileError)
    return { problems: { action_code: compileProblem(error.error) }, status, headers: {} }
  const retryAfter = toErrorResponse(error, c.req.raw, c.env).headers.get('retry-after')
  return {
    problems: { form: `${message} ${fix}` },
    status,
    headers: retryAfter === null ? {} : { 'retry-after': retryAfter },
  }
}
