import { z } from 'zod'
import { ApiError } from '../../../../shared/errors/api-error.ts'
import { TRIGGER_KINDS } from '../../../../shared/wire/trigger.ts'
import { isCsrfToken } from '../../../identity/csrf.ts'
import type { App } from '../../../http/app-env.ts'
import { currentSession } from '../../../http/authenticate.ts'
import { readSameOriginJson } from '../../requests/same-origin-json.ts'
import { checkFields } from './check-fields.ts'
import { CHECKED_FIELDS, fieldsFrom } from './trigger-form-fields.ts'

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
