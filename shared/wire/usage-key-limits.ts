/** Limits of a usage key that the service stores off the chain, like its spending cap. */
import { z } from 'zod'
import { aliases, optionalField } from './aliased-fields.ts'
import { LIMIT_FIELDS, type LimitField } from './limit-fields.ts'

const limitFields = {
  expires_at: z.iso.datetime({ offset: true }).meta({
    description:
      'Time from which the key is refused with 401 key_expired, in RFC 3339. It can be moved in both directions.',
  }),
} satisfies Record<LimitField, z.ZodType>

export const newLimits = {
  expires_at: limitFields.expires_at.optional(),
}

/** Null is treated as absent, so a limit is removed by its name (docs/decisions/0072-null-and-email.md). */
export const changedLimits = {
  expires_at: optionalField(aliases(limitFields.expires_at, 'expires_at')),
  remove_limits: optionalField(
    aliases(
      z
        .array(z.enum(LIMIT_FIELDS))
        .max(LIMIT_FIELDS.length)
        .meta({ description: 'Names of the limits to remove, such as ["expires_at"].' }),
      'remove_limits',
    ),
  ),
}

export type NewLimits = z.infer<z.ZodObject<typeof newLimits>>
export type ChangedLimits = NewLimits & { remove_limits?: readonly LimitField[] | undefined }

/** Rejects a limit that is both set and removed. */
export function requireClearLimits(body: ChangedLimits, context: z.core.$RefinementCtx): void {
  for (const name of body.remove_limits ?? [])
    if (body[name] !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['remove_limits'],
        message: `cannot contain ${name} together with the field ${name}`,
        input: body.remove_limits,
      })
}

/** Each field is null if the key does not have the limit. */
export const listedLimits = {
  expires_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: 'Time from which the key is refused; null without one.' }),
}

export type ListedLimits = z.infer<z.ZodObject<typeof listedLimits>>

/** Refuses every limit. The key is not registered yet, so the limits could not be guaranteed. */
export function noLimitsYet(refuse: z.ZodType<undefined>): Record<LimitField, typeof refuse> {
  return Object.fromEntries(LIMIT_FIELDS.map((name) => [name, refuse])) as Record<
    LimitField,
    typeof refuse
  >
}
