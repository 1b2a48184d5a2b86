import type { Context } from 'hono'
import type { CheckResult } from '../../../browser/trigger-form/check-view.tsx'
import { previewRequest } from '../../../../shared/wire/preview.ts'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { previewForUser } from '../../../http/triggers-preview.ts'
import { TriggerRejectedError } from '../../../triggers/trigger-rejected-error.ts'
import type { AppEnv } from '../../../http/app-env.ts'
import type { TriggerFormFields } from './trigger-form-fields.ts'
import { hasProblems, type Problems, problemsOfIssues, problemsOfRefusal } from './problems.ts'
import { toTriggerConfig } from './trigger-request.ts'

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
  try {
    return { preview: await previewForUser(c, userId, read.data) }
  } catch (error) {
    if (error instanceof TriggerRejectedError) return { problems: problemsOfRefusal(error) }
    throw error
  }
}
