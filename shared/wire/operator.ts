/** Requests of operators to the edge, and the format of exported triggers. `npm run operator` sends them. */
import { z } from 'zod'
import { textSchema, timeText } from './text.ts'
import { createTriggerFields } from './trigger.ts'

export const OPERATOR_PATH = '/operator'

/** Triggers per response of an export. A trigger's code and params can take half a megabyte. */
export const EXPORT_PAGE_TRIGGERS = 20

/**
 * A sealed usage key is bound to the trigger's and the owner's ID: only the origin can open it, and only for this
 * trigger and owner.
 */
export const exportedTrigger = z.strictObject({
  id: z.string(),
  owner_id: z.string(),
  ...createTriggerFields.omit({ usage_api_key: true, usage_key_of: true, webhook_secret: true })
    .shape,
  max_queued_runs: createTriggerFields.shape.max_queued_runs.unwrap(),
  /** In base64url. */
  sealed_usage_key: z.string().regex(/^[A-Za-z0-9_-]{1,4096}$/),
})
export type ExportedTrigger = z.infer<typeof exportedTrigger>

export const exportFile = z.strictObject({
  version: z.literal(1),
  owner_id: z.string(),
  triggers: z.array(exportedTrigger),
})

const common = {
  operator: textSchema.min(1).max(100).describe('Name of the operator, for the audit log.'),
  reason: textSchema.min(1).max(500).describe('Reason, for the audit log.'),
  dry_run: z
    .boolean()
    .default(false)
    .describe('Returns only the plan. Nothing is changed or recorded.'),
}
const user = textSchema.min(1).max(254).describe('ID or e-mail address of a user.')
const triggerId = z.string().min(1).max(100)

export const operatorRequest = z.discriminatedUnion('command', [
  z.strictObject({
    command: z.literal('suspend-trigger'),
    trigger_id: triggerId,
    ...common,
  }),
  z.strictObject({ command: z.literal('resume-trigger'), trigger_id: triggerId, ...common }),
  z.strictObject({ command: z.literal('erase-user'), user, ...common }),
  z.strictObject({
    command: z.literal('export-triggers'),
    user,
    after: z.string().max(200).optional().describe('`next` of the previous page.'),
    ...common,
  }),
  z.strictObject({
    command: z.literal('import-trigger'),
    user,
    trigger: exportedTrigger,
    usage_api_key: createTriggerFields.shape.usage_api_key.describe(
      'Creates a new trigger with this key, instead of restoring the exported one.',
    ),
    ...common,
  }),
])
export type OperatorRequest = z.infer<typeof operatorRequest>

export const operatorResponse = z.object({
  plan: z.record(z.string(), z.unknown()),
  /** False for a dry run. */
  done: z.boolean(),
  /** Absent for a dry run. */
  result: z.record(z.string(), z.unknown()).exactOptional(),
})
export type OperatorResponse = z.infer<typeof operatorResponse>

/** Audit row of an operator's action. */
export const operatorActionRecord = z.object({
  id: z.string(),
  operator: z.string(),
  command: z.string(),
  /** ID of the user or trigger. */
  subject: z.string(),
  reason: z.string(),
  at: timeText,
})
export type OperatorActionRecord = z.infer<typeof operatorActionRecord>
