import type { Context } from 'hono'
import type { CheckResult } from '../../../browser/trigger-form/check-result.ts'
import { previewRequest } from '../../../../shared/wire/preview.ts'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { previewTrigger } from '../../../triggers/preview/preview-trigger.ts'
import { TriggerRejectedError } from '../../../triggers/trigger-rejected-error.ts'
import type { AppEnv } from '../../../http/app-env.ts'
import type { TriggerFormFields } from './trigger-form-fields.ts'
import { hasProblems, problemsOfIssues, problemsOfRefusal } from './problems.ts'
import { toTriggerConfig } from './trigger-request.ts'

/**
 * Returns the API's preview, or a problem for each invalid field.
 * @param userId the user whose rate limit applies to previews of chain events
 * @throws {RateLimitExceededError | ChainUnavailable | PreviewBusyError} if the chain cannot currently be queried
 */
export async function checkFields(
  c: Context<AppEnv>,
  userId: string,
  kind: TriggerKind,
  fields: TriggerFormFields,
): Promise<CheckResult> {
  const { body, problems } = toTriggerConfig(kind, fields)
  if (hasProblems(problems)) return { problems }
  const read = previewRequest.safeParse({ kind, ...body })
  if (!read.success) return { problems: problemsOfIssues(read.error.issues) }
  const { now, settings, watcherOf, requireRate } = c.var.services
  try {
    const preview = await previewTrigger(read.data, {
      now: now(),
      publicUrl: settings.PUBLIC_URL,
      chains: settings.CHAINS,
      watcherOf,
      requireChainRate: () => requireRate('chain_preview', userId),
    })
    return { preview }
  } catch (error) {
    if (error instanceof TriggerRejectedError) return { problems: problemsOfRefusal(error) }
    throw error
  }
}
