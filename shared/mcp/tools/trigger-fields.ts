/** Instead of secrets, tools of a local server accept names of files and environment variables. */
import { z } from 'zod'
import { TRIGGER_SOURCE_MAX_BYTES } from '../../limits.ts'
import { createTriggerFields, patchTriggerRequest } from '../../wire/trigger.ts'
import type { ActionSource, LocalInputs } from '../tool.ts'
import { ToolRejectedError } from '../tool-failure.ts'

export const usageKeyFields = {
  usage_key_file: z
    .string()
    .optional()
    .describe(
      'A file that contains only the usage key, in the folder where this server was started.',
    ),
  usage_key_variable: z
    .string()
    .optional()
    .describe(
      'Alternatively, an environment variable of this server: SVC_USAGE_KEY or SVC_USAGE_KEY_….',
    ),
}

const localSourceFields = {
  action_file: z
    .string()
    .optional()
    .describe(
      'Instead of action_code: a .js or .ts file in the folder where this server was started.',
    ),
  webhook_secret_file: z
    .string()
    .optional()
    .describe(
      'A file that contains only the secret of options.source, in the folder where this server was started. Its name must contain "webhook".',
    ),
  ...usageKeyFields,
}

export const triggerId = z.string().describe('Trigger ID, 32 characters.')

const permissionsOf = z
  .string()
  .describe(
    'ID of one of the triggers. The new trigger runs with the same permissions: it gets the same usage key, which is never shown.',
  )

const newTriggerFields = createTriggerFields.omit({
  usage_api_key: true,
  usage_key_of: true,
  webhook_secret: true,
})

/** A remote server has no usage key, so the new trigger gets the key of another trigger. */
export const remoteCreateTriggerInput = newTriggerFields.extend({ permissions_of: permissionsOf })

export const createTriggerInput = newTriggerFields.extend({
  action_code: newTriggerFields.shape.action_code.optional(),
  permissions_of: permissionsOf.optional(),
  ...localSourceFields,
})

/** Fields that a remote server can change, which has no files. */
export const remoteUpdateTriggerInput = patchTriggerRequest
  .omit({ usage_api_key: true, webhook_secret: true, kind: true })
  .extend({ trigger_id: triggerId })

export const updateTriggerInput = remoteUpdateTriggerInput.extend(localSourceFields)

type ActionSourceFields = {
  action_code?: string | undefined
  action_file?: string | undefined
}

/** @throws {ToolRejectedError} unless exactly one of source and file is given, and the file is accepted */
export async function requireActionSource(
  fields: ActionSourceFields,
  local: LocalInputs | undefined,
): Promise<ActionSource> {
  const source = await readActionSource(fields, local)
  if (source !== undefined) return source
  const fix = 'Send action_code or action_file.'
  throw new ToolRejectedError('bad_arguments', 'no source', fix)
}

/**
 * Returns the field `webhook_secret`, read from the file that the arguments name. Empty if they name no file.
 * @throws {ToolRejectedError} if the file is not accepted
 */
export async function readWebhookSecret(
  { webhook_secret_file: file }: { webhook_secret_file?: string | undefined },
  local: LocalInputs | undefined,
): Promise<{ webhook_secret?: string }> {
  return local && file !== undefined ? { webhook_secret: await local.webhookSecret(file) } : {}
}

/**
 * Returns the action's source from the arguments. Undefined if neither source nor file is given.
 * @throws {ToolRejectedError} if both are given or the file is not accepted
 */
export async function readActionSource(
  { action_code: code, action_file: file }: ActionSourceFields,
  local: LocalInputs | undefined,
): Promise<ActionSource | undefined> {
  if (code !== undefined && file !== undefined)
    throw new ToolRejectedError(
      'bad_arguments',
      'action_code and action_file are both given',
      'Send only one of them.',
    )
  if (file !== undefined) return local?.source(file, TRIGGER_SOURCE_MAX_BYTES)
  return code === undefined ? undefined : { code, warnings: [] }
}

/** Adds the warnings of a build to those of the service. */
export function withBuildWarnings<Record extends { warnings?: string[] }>(
  record: Record,
  source: ActionSource | undefined,
): Record {
  if (!source || source.warnings.length === 0) return record
  return { ...record, warnings: [...source.warnings, ...(record.warnings ?? [])] }
}
