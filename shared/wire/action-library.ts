/** Actions that a user keeps at the trigger service, with all versions of their sources (`docs/action-library.md`). */
import { z } from 'zod'
import { ACTION_NOTE_MAX_CHARACTERS, ACTION_VERSIONS_MAX, LIBRARY_ACTIONS_MAX } from '../limits.ts'
import { CID_PATTERN } from '../cid/cid-format.ts'
import { sourceSchema } from './action-call.ts'
import { textSchema } from './text.ts'
import { TRIGGER_LOG_ACTORS } from './trigger-log.ts'

const time = z.iso.datetime()
const cid = z.string().regex(CID_PATTERN)
const versionNumber = z.int().min(1)
const name = textSchema.min(1).max(200).describe('Shown to the owner; does not have to be unique.')
const source = sourceSchema.min(1).describe('JavaScript that defines a function main.')
const note = textSchema
  .min(1)
  .max(ACTION_NOTE_MAX_CHARACTERS)
  .optional()
  .describe('Describes what changed.')

export const createActionRequest = z.strictObject({ name, source, note })
export type CreateAction = z.infer<typeof createActionRequest>

export const saveVersionRequest = z.strictObject({ source, note })
export type SaveVersion = z.infer<typeof saveVersionRequest>

export const changeActionRequest = z.strictObject({
  name: name.optional(),
  current_version: versionNumber
    .optional()
    .describe('Number of an existing version, which becomes the current one.'),
})
export type ChangeAction = z.infer<typeof changeActionRequest>

/** A version without its source. */
export const actionVersion = z.object({
  number: versionNumber,
  cid,
  bytes: z.int().min(0).describe('Size of the source.'),
  note: z.string().nullable(),
  created_at: time,
  created_by: z.object({
    kind: z.enum(TRIGGER_LOG_ACTORS),
    id: z.string().nullable().describe('ID of the token or grant. Null for a person.'),
    name: z.string().nullable().describe('Name of the token or client, which the program chose.'),
  }),
})
export type ActionVersion = z.infer<typeof actionVersion>

export const actionVersionWithSource = actionVersion.extend({ source: z.string() })
export type ActionVersionWithSource = z.infer<typeof actionVersionWithSource>

export const listedAction = z.object({
  id: z.string(),
  name: z.string(),
  current_version: versionNumber,
  cid: cid.describe('CID of the current version.'),
  versions: z.int().min(1).max(ACTION_VERSIONS_MAX).describe('Number of stored versions.'),
  created_at: time,
  updated_at: time,
})
export type ListedAction = z.infer<typeof listedAction>

export const actionsResponse = z.object({
  actions: z.array(listedAction).max(LIBRARY_ACTIONS_MAX),
})

export const libraryAction = listedAction.extend({
  source: z.string().describe('Source of the current version.'),
  triggers: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        enabled: z.boolean(),
        version: versionNumber.describe('The latest version with the CID that the trigger runs.'),
      }),
    )
    .describe('Your triggers that run a version of the action.'),
})
export type LibraryAction = z.infer<typeof libraryAction>

export const savedVersion = actionVersion.extend({
  created: z
    .boolean()
    .describe('False if the source is that of the current version. No version was added then.'),
})
export type SavedVersion = z.infer<typeof savedVersion>

export const actionVersionsResponse = z.object({
  versions: z.array(actionVersion).max(ACTION_VERSIONS_MAX),
})
