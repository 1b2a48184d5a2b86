import { z } from 'zod'

const storedOriginSchema = z.object({
  account_key: z.string().exactOptional(),
  /** New account key of a rotation in progress. Either this key or `account_key` is valid. */
  next_account_key: z.string().exactOptional(),
  /**
   * Former values of `account_key`, which were replaced by keys of other accounts. These values may be the only copies.
   */
  former_account_keys: z.array(z.string()).exactOptional(),
  usage_keys: z
    .array(z.object({ name: z.string(), hash: z.string(), key: z.string() }))
    .exactOptional(),
  /**
   * Attempts of `svc deploy` to create a usage key, each with the name of the key. An attempt that is still here was
   * interrupted before the key was stored.
   */
  key_attempts: z
    .array(z.object({ name: z.string(), idempotency_key: z.string() }))
    .exactOptional(),
})

const storedEdgeSchema = z.object({
  token: z.string().exactOptional(),
  email: z.string().exactOptional(),
  /** Hashes of the usage keys that `svc deploy` gave to triggers, by the ID of the trigger. */
  trigger_keys: z.record(z.string(), z.string()).exactOptional(),
  /** Digests of the webhook secrets that `svc deploy` gave to triggers, by the ID of the trigger. */
  trigger_secrets: z.record(z.string(), z.string()).exactOptional(),
})

/** `origins` and `edges` are keyed by scheme, host and port. */
export const storedCredentialsSchema = z.object({
  version: z.literal(1),
  /** Default deployment, set by the last `svc login`, `svc account create` or `svc account use`. */
  current: z
    .object({ base_url: z.string().exactOptional(), triggers_url: z.string().exactOptional() })
    .exactOptional(),
  origins: z.record(z.string(), storedOriginSchema),
  edges: z.record(z.string(), storedEdgeSchema),
})

export type StoredCredentials = z.infer<typeof storedCredentialsSchema>
export type StoredOrigin = z.infer<typeof storedOriginSchema>
export type StoredEdge = z.infer<typeof storedEdgeSchema>
