/** Limits of a usage key that the service stores off the chain, like its spending cap. */
import { z } from 'zod'
import {
  KEY_CONCURRENT_MAX,
  KEY_NETWORKS_MAX,
  KEY_ORIGINS_MAX,
  KEY_REQUESTS_PER_MINUTE_MAX,
} from '../limits.ts'
import { parseNetwork } from '../network/networks.ts'
import { isWebOrigin } from '../network/web-origin.ts'
import { aliases, optionalField } from './aliased-fields.ts'
import { LIMIT_FIELDS, type LimitField } from './limit-fields.ts'

const originSchema = z.string().max(256).refine(isWebOrigin, {
  error:
    'expected an origin as browsers send it, such as https://app.example.com: lower case, without path, wildcard or default port',
})

const networkSchema = z
  .string()
  .max(64)
  .refine((text) => parseNetwork(text) !== undefined, {
    error:
      'expected a network in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32, without bits after the prefix; write IPv4 networks as IPv4',
  })

const limitFields = {
  expires_at: z.iso.datetime({ offset: true }).meta({
    description:
      'Time from which the key is refused with 401 key_expired, in RFC 3339. It can be moved in both directions.',
  }),
  max_requests_per_minute: z.int().min(1).max(KEY_REQUESTS_PER_MINUTE_MAX).meta({
    description:
      'The most requests with the key in a clock minute, on all processes together. More get 429 key_rate_reached; runs of triggers wait.',
  }),
  max_concurrent: z.int().min(1).max(KEY_CONCURRENT_MAX).meta({
    description:
      'The most runs of the key in flight, on all processes together. More get 429 key_concurrency_reached; runs of triggers wait.',
  }),
  allowed_origins: z.array(originSchema).min(1).max(KEY_ORIGINS_MAX).meta({
    description:
      'Web origins from which the key can be used, such as ["https://app.example.com"]. Only pages of these origins can read responses. Programs can send any Origin header.',
  }),
  allowed_ips: z.array(networkSchema).min(1).max(KEY_NETWORKS_MAX).meta({
    description: 'Networks in CIDR notation from which the key can be used, IPv4 and IPv6.',
  }),
  allow_triggers: z.boolean().meta({
    description:
      'true lets triggers use a key with allowed_origins or allowed_ips, for which neither is checked.',
  }),
  can_read_account: z.boolean().meta({
    description:
      'true lets the key read what the account key can read: wallets, groups, usage keys without their texts, actions, charges, transactions and the audit log. It permits no change.',
  }),
} satisfies Record<LimitField, z.ZodType>

export const newLimits = {
  expires_at: limitFields.expires_at.optional(),
  max_requests_per_minute: limitFields.max_requests_per_minute.optional(),
  max_concurrent: limitFields.max_concurrent.optional(),
  allowed_origins: limitFields.allowed_origins.optional(),
  allowed_ips: limitFields.allowed_ips.optional(),
  allow_triggers: limitFields.allow_triggers.optional(),
  can_read_account: limitFields.can_read_account.optional(),
}

/** Null is treated as absent, so a limit is removed by its name (docs/decisions/0072-null-and-email.md). */
export const changedLimits = {
  expires_at: optionalField(aliases(limitFields.expires_at, 'expires_at')),
  max_requests_per_minute: optionalField(
    aliases(limitFields.max_requests_per_minute, 'max_requests_per_minute'),
  ),
  max_concurrent: optionalField(aliases(limitFields.max_concurrent, 'max_concurrent')),
  allowed_origins: optionalField(aliases(limitFields.allowed_origins, 'allowed_origins')),
  allowed_ips: optionalField(aliases(limitFields.allowed_ips, 'allowed_ips')),
  allow_triggers: optionalField(aliases(limitFields.allow_triggers, 'allow_triggers')),
  can_read_account: optionalField(aliases(limitFields.can_read_account, 'can_read_account')),
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

export type NewLimits = {
  [Name in LimitField]?: z.infer<(typeof limitFields)[Name]> | undefined
}
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
  max_requests_per_minute: z.int().nullable(),
  max_concurrent: z.int().nullable(),
  allowed_origins: z.array(z.string()).nullable(),
  allowed_ips: z.array(z.string()).nullable(),
  allow_triggers: z.boolean().nullable(),
  can_read_account: z.boolean().nullable(),
}

export type ListedLimits = z.infer<z.ZodObject<typeof listedLimits>>

/** Refuses every limit. The key is not registered yet, so the limits could not be guaranteed. */
export function noLimitsYet(refuse: z.ZodType<undefined>): Record<LimitField, typeof refuse> {
  return Object.fromEntries(LIMIT_FIELDS.map((name) => [name, refuse])) as Record<
    LimitField,
    typeof refuse
  >
}
