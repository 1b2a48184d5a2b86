/** The schema of `svc.json`. `readProject` checks what a schema cannot express, such as references between its parts. */
import { z } from 'zod'
import { PERMISSION_IDS_MAX } from '../../limits.ts'
import { hexSchema } from '../../wire/fields.ts'
import { createTriggerFields, patchTriggerRequest, triggerOptions } from '../../wire/trigger.ts'
import { newLimits } from '../../wire/usage-key-limits.ts'
import { addUsageApiKeyRequest } from '../../wire/usage-keys.ts'

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
    'expected a name of 1 to 63 letters, digits and . _ -, which starts with a letter or digit',
  )

/** Name of a project or environment. The names of the account’s objects begin with both. */
const label = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    'expected 1 to 40 lower-case letters, digits and -, which starts with a letter or digit',
  )

const file = z.string().min(1)

const action = file.meta({ description: 'Source file: TypeScript, which is built, or a script.' })

const wallet = z.strictObject({
  policy: file
    .optional()
    .meta({ description: 'File of the policy that limits what the wallet may sign.' }),
  address: hexSchema(20).optional().meta({
    description: 'Address of a wallet that already exists, instead of one that is created.',
  }),
})

const group = z.strictObject({
  actions: z
    .array(name)
    .max(PERMISSION_IDS_MAX)
    .default([])
    .meta({ description: 'Names of actions of this file, or CIDs of others.' }),
  wallets: z
    .array(name)
    .max(PERMISSION_IDS_MAX)
    .default([])
    .meta({ description: 'Wallets of this file that the actions may use.' }),
})

const { spend_cap_cents, spend_window_seconds } = addUsageApiKeyRequest.shape

const key = z.strictObject({
  execute_in_groups: z.array(name).max(PERMISSION_IDS_MAX).default([]).meta({
    description: 'Groups of this file whose actions the key can run.',
  }),
  spend_cap_cents,
  spend_window_seconds,
  limits: z.strictObject(newLimits).optional().meta({
    description:
      'Limits of the key. Limits that are not listed are removed. If absent, limits that were set by hand are kept.',
  }),
})

const { kind, config, max_runs_per_minute, max_queued_runs } = createTriggerFields.shape
const { default_params } = createTriggerFields.shape

const secretReference = z.strictObject({
  env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'expected the name of an environment variable')
    .optional()
    .meta({ description: 'Environment variable of svc deploy that contains the secret.' }),
  file: file.optional().meta({
    description: 'File that contains the secret, which must not be committed.',
  }),
})

/** One secret, or two while the sender rotates it. */
const secretReferences = z.union([secretReference, z.array(secretReference).min(1).max(2)], {
  error:
    'expected {"env": "…"} or {"file": "…"}, or a list of two: the file must not contain secrets',
})

const trigger = z.strictObject({
  kind,
  action: name.meta({ description: 'Action of this file that the trigger runs.' }),
  key: name.meta({ description: 'Usage key of this file with which it runs.' }),
  config,
  default_params,
  options: triggerOptions
    .default({})
    .describe('Options that do not apply to the kind are rejected.'),
  webhook_secret: secretReferences.optional().meta({
    description:
      'Where the secret of options.source is: an environment variable or a file, or a list of two while the sender rotates its secret.',
  }),
  max_runs_per_minute,
  max_queued_runs,
  enabled: patchTriggerRequest.shape.enabled.meta({
    description: 'If absent, the trigger is created enabled, and later changes are kept.',
  }),
})

const recordOf = <Value extends z.ZodType>(value: Value) => z.record(name, value)

const sections = {
  actions: recordOf(action).default({}),
  wallets: recordOf(wallet).default({}),
  groups: recordOf(group).default({}),
  keys: recordOf(key).default({}),
  triggers: recordOf(trigger).default({}),
}

/** Names of the parts that environments can change, in the order in which they are deployed. */
export const SECTIONS = ['actions', 'wallets', 'groups', 'keys', 'triggers'] as const

/** Changes of a part: its members replace those of the file; `null` removes the part. */
const changesOf = (part: z.ZodObject) =>
  recordOf(
    z
      .strictObject(
        Object.fromEntries(
          Object.entries(part.shape).map(([member, schema]) => [
            member,
            (schema instanceof z.ZodDefault ? schema.unwrap() : schema).optional(),
          ]),
        ),
      )
      .nullable(),
  ).optional()

const url = z.url({ protocol: /^https?$/ })

const environment = z.strictObject({
  base_url: url.optional().meta({ description: 'URL of the core API.' }),
  triggers_url: url.optional().meta({ description: 'URL of the trigger service.' }),
  actions: recordOf(action.nullable()).optional(),
  wallets: changesOf(wallet),
  groups: changesOf(group),
  keys: changesOf(key),
  triggers: changesOf(trigger),
})

const head = {
  $schema: z.string().optional(),
  version: z.literal(1),
  name: label.meta({
    description: 'Name of the project, with which the names of its objects begin.',
  }),
}

/** The file as it is written. */
export const projectFileSchema = z.strictObject({
  ...head,
  ...sections,
  environments: z.record(label, environment).default({}),
})

/** The environments and the members that every environment shares. The sections are checked after they are merged. */
export const projectHeadSchema = z.looseObject({
  ...head,
  environments: z.record(label, environment).default({}),
})

export type ProjectFile = z.infer<typeof projectFileSchema>
export type SecretReference = z.infer<typeof secretReference>
export type TriggerDeclaration = ProjectFile['triggers'][string]

export function projectJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(projectFileSchema, { io: 'input', unrepresentable: 'any' })
}
