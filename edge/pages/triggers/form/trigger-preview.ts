import { z } from 'zod'
import type { Context } from 'hono'
import { ApiError } from '../../../../shared/errors/api-error.ts'
import { TRIGGER_KINDS, type TriggerKind } from '../../../../shared/wire/trigger.ts'
import { isCsrfToken } from '../../../identity/csrf.ts'
import type { Session } from '../../../identity/sessions.ts'
import type { App, AppEnv } from '../../../http/app-env.ts'
import { currentSession } from '../../../http/authenticate.ts'
import { readSameOriginJson } from '../../requests/same-origin-json.ts'
import { CHECKED_FIELDS, fieldsFrom, type TriggerFormFields } from './trigger-form-fields.ts'
import type { CheckResult } from '../../../browser/trigger-form/check-view.tsx'
import { previewRequest } from '../../../../shared/wire/preview.ts'
import { previewForUser } from '../../../http/triggers-preview.ts'
import { TriggerRejectedError } from '../../../triggers/trigger-rejected-error.ts'
import { hasProblems, type Problems, problemsOfIssues, problemsOfRefusal } from './problems.ts'
import { toTriggerConfig } from './trigger-request.ts'

/** CSRF subject of live checks, which store nothing. */
export const CHECK_SUBJECT = 'triggers/check'

const requestSchema = z.strictObject({
  csrf: z.string(),
  kind: z.enum(TRIGGER_KINDS),
  fields: z.partialRecord(z.enum(CHECKED_FIELDS), z.string()),
})

export function registerTriggerPreview(app: App): void {
  app.post('/triggers/preview', async (c) => {
    const { csrf, kind, fields } = await readSameOriginJson(c, requestSchema)
    const session = await requireCheckSession(c, csrf)
    const texts: Record<string, string | undefined> = fields
    const checked = await checkFields(
      c,
      session.user.id,
      kind,
      fieldsFrom((name) => texts[name]),
    )
    return c.json(checked, 200, { 'cache-control': 'no-store' })
  })
}

/**
 * Returns the session of a live check, and counts the check as a write.
 * @throws {ApiError} 401 or 403
 */
export async function requireCheckSession(c: Context<AppEnv>, csrf: string): Promise<Session> {
  const session = await currentSession(c)
  if (!session)
    throw new ApiError(401, 'You are signed out.', 'Sign in in another tab, then continue here.')
  if (!(await isCsrfToken(csrf, session.secret, CHECK_SUBJECT)))
    throw new ApiError(
      403,
      'This page is out of date: you have signed in again since it was opened.',
      'Reload the page.',
    )
  await c.var.services.requireRate('api_write', session.user.id)
  return session
}

export async function checkForm(
  c: Context<AppEnv>,
  userId: string,
  { kind, fields }: { kind: TriggerKind; fields: TriggerFormFields },
): Promise<{ checked: CheckResult; problems: Problems }> {
  const checked = await checkFields(c, userId, kind, fields)
  return { checked, problems: 'problems' in checked ? checked.problems : {} }
}

/**
 * Returns the API's preview, or a problem for each invalid field.
 * @param userId user whose rate limit applies to previews of chain events
 * @throws {RateLimitExceededError | ChainUnavailable | PreviewBusyError} if the chain cannot currently be queried
 */
async function checkFields(
  c: Context<AppEnv>,
  userId: string,
  kind: TriggerKind,
  fields: TriggerFormFields,
): Promise<CheckResult> {
  const { body, problems } = toTriggerConfig(kind, fields)
  if (hasProblems(problems)) return { problems }
  const read = previewRequest.safeParse({ kind, ...body })
  if (!read.success) return { problems: problemsOfIssues(read.error.issues) }
  try {
    return { preview: await previewForUser(c, userId, read.data) }
  } catch (error) {
    if (error instanceof TriggerRejectedError) return { problems: problemsOfRefusal(error) }
    throw error
  }
}
