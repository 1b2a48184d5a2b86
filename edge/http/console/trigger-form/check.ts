import type { Context } from 'hono'
import type { Checked } from '../../../console/trigger-form/checked.ts'
import { previewRequest } from '../../../../shared/wire/preview.ts'
import type { TriggerKind } from '../../../../shared/wire/trigger.ts'
import { previewTrigger } from '../../../triggers/preview/preview-trigger.ts'
import { TriggerRefused } from '../../../triggers/trigger-refused.ts'
import type { AppEnv } from '../../app-env.ts'
import type { TriggerFields } from './fields.ts'
import { isRefused, problemsOfIssues, problemsOfRefusal } from './problems.ts'
import { configOf } from './request.ts'

/**
 * Returns the API's preview, or a problem for each invalid field.
 * @param userId the user whose rate limit applies to previews of chain events
 * @throws {TooManyCalls | ChainUnavailable | PreviewBusy} if the chain cannot currently be queried
 */
export async function checkFields(
  c: Context<AppEnv>,
  userId: string,
  kind: TriggerKind,
  fields: TriggerFields,
): Promise<Checked> {
  const { body, problems } = configOf(kind, fields)
  if (isRefused(problems)) return { problems }
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
    if (error instanceof TriggerRefused) return { problems: problemsOfRefusal(error) }
    throw error
  }
}
