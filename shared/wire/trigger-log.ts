import { z } from 'zod'
import { auditEntrySchema } from '../audit-log/entry.ts'
import { auditLogQuery } from './audit-log.ts'
import { triggerIdText } from './failed-runs.ts'

export const TRIGGER_LOG_ACTORS = ['session', 'agent_token', 'oauth_client', 'operator'] as const

export const TRIGGER_LOG_OPERATIONS = [
  'create_trigger',
  'change_trigger',
  'delete_trigger',
] as const

export const triggerLogFilter = {
  trigger_id: triggerIdText.optional().describe('Only changes of this trigger.'),
  operation: z.enum(TRIGGER_LOG_OPERATIONS).optional().describe('Only changes of this kind.'),
  actor: z.enum(TRIGGER_LOG_ACTORS).optional().describe('Only changes by actors of this kind.'),
}

export const triggerLogQuery = auditLogQuery.extend(triggerLogFilter)

export const triggerLogEntry = auditEntrySchema.extend({
  account_hash: auditEntrySchema.shape.account_hash.meta({
    description: 'SHA-256 of the ID of the user, with a prefix.',
  }),
  operation: z.enum(TRIGGER_LOG_OPERATIONS),
  outcome: z.literal('done'),
  subject: z.object({ trigger_id: z.string() }),
  request_id: z.null(),
  actor: z.object({
    kind: z.enum(TRIGGER_LOG_ACTORS),
    id: z.string().nullable().meta({
      description:
        'ID of the token or of the grant of the OAuth client, as the list of access tokens shows it.',
    }),
  }),
  details: z.record(z.string(), z.unknown()).meta({
    description:
      'name of the trigger, changes of its fields, and actor_name: the name that the program chose for its token or client. Without secrets.',
  }),
  client_address: z.string().nullable().meta({
    description: 'Null if it is unknown, and for operators.',
  }),
})
export type TriggerLogEntry = z.infer<typeof triggerLogEntry>

export const triggerLogResponse = z.object({
  entries: z.array(triggerLogEntry),
  head: z.object({
    sequence: z
      .int()
      .min(0)
      .meta({ description: 'Sequence of the last entry. 0 if there are none.' }),
    sha256: auditEntrySchema.shape.sha256.nullable(),
  }),
})
export type TriggerLogPage = z.infer<typeof triggerLogResponse>
