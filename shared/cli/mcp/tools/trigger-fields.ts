/** The API's trigger fields in the form that tools accept, with files and variable names in place of secrets. */
import { z } from 'zod'
import { TRIGGER_SOURCE_MAX_BYTES } from '../../../limits.ts'
import { createTriggerRequest, patchTriggerRequest } from '../../../wire/trigger.ts'
import type { McpParts } from '../parts.ts'
import { ToolRefused } from '../tool-failure.ts'

const here = {
  action_file: z
    .string()
    .optional()
    .describe('In place of action_code: a .js file in the folder where this server was started.'),
  usage_key_file: z
    .string()
    .optional()
    .describe('A file in that folder that has the usage key in it, and nothing else.'),
  usage_key_variable: z
    .string()
    .optional()
    .describe(
      'In place of it, a variable of this server’s environment: SVC_USAGE_KEY or SVC_USAGE_KEY_….',
    ),
}

export const triggerId = z.string().describe('The id of a trigger, of 32 characters.')

export const newTrigger = createTriggerRequest
  .omit({ usage_api_key: true })
  .extend({ action_code: createTriggerRequest.shape.action_code.optional(), ...here })

export const changedTrigger = patchTriggerRequest
  .omit({ usage_api_key: true, kind: true })
  .extend({ trigger_id: triggerId, ...here })

export type HereFields = {
  action_code?: string | undefined
  action_file?: string | undefined
}

/** Returns the given source, or reads the named file. @throws {ToolRefused} */
export async function sourceOf(
  { action_code: code, action_file: file }: HereFields,
  { files }: Pick<McpParts, 'files'>,
): Promise<string | undefined> {
  if (code !== undefined && file !== undefined)
    throw new ToolRefused(
      'bad_arguments',
      'action_code and action_file are both given',
      'Give one of them.',
    )
  return file === undefined ? code : files.source(file, TRIGGER_SOURCE_MAX_BYTES)
}
