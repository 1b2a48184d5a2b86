import { z } from 'zod'
import type { Context } from 'hono'
import { TRIGGER_ID_CHARACTERS } from '../../../../shared/ids.ts'
import { EXPRESSION_MAX_CHARACTERS } from '../../../../shared/limits.ts'
import type { TriggerOptions } from '../../../../shared/wire/trigger.ts'
import type { ExpressionCheck } from '../../../browser/trigger-form/expression-view.tsx'
import {
  compileOptions,
  EXPRESSION_OPTIONS,
  evaluateAll,
} from '../../../expressions/option-expressions.ts'
import type { App, AppEnv } from '../../../http/app-env.ts'
import { readRecentEvents } from '../../../http/triggers-preview.ts'
import { webhookSampleParams } from '../../../triggers/preview/preview-trigger.ts'
import { readSameOriginJson } from '../../requests/same-origin-json.ts'
import { requireCheckSession } from './trigger-preview.ts'

const requestSchema = z.strictObject({
  csrf: z.string(),
  expressions: z.partialRecord(
    z.enum(EXPRESSION_OPTIONS),
    z.string().min(1).max(EXPRESSION_MAX_CHARACTERS),
  ),
  trigger_id: z.string().max(TRIGGER_ID_CHARACTERS).optional(),
  sample_event: z.string().optional(),
})
type CheckRequest = z.infer<typeof requestSchema>

/** Checks the expressions of a form while the person types. Stores nothing. */
export function registerExpressionCheck(app: App): void {
  app.post('/triggers/preview/expressions', async (c) => {
    const request = await readSameOriginJson(c, requestSchema)
    const { user } = await requireCheckSession(c, request.csrf)
    const checked = await checkExpressions(c, user.id, request)
    return c.json(checked, 200, { 'cache-control': 'no-store' })
  })
}

async function checkExpressions(
  c: Context<AppEnv>,
  userId: string,
  { expressions, trigger_id: triggerId, sample_event: event }: CheckRequest,
): Promise<ExpressionCheck> {
  const { now, settings } = c.var.services
  const problems: Record<string, string> = {}
  await compileOptions(expressions as TriggerOptions, (name, error) => {
    problems[name] = error.message
  })
  const valid: TriggerOptions = Object.fromEntries(
    Object.entries(expressions).filter(([name]) => !(name in problems)),
  )
  const recent = triggerId && (await readRecentEvents(c, { userId, triggerId }, valid))
  const params =
    event === undefined ? undefined : webhookSampleParams(event, now(), settings.PUBLIC_URL)
  return {
    problems,
    ...(params && { sample: evaluateAll(await compileOptions(valid), params) }),
    ...(recent && { recent }),
  }
}
