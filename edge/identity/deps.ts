import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type * as schema from '../db/schema.ts'

/** `now` returns Unix milliseconds. */
export type IdentityDeps = {
  db: DrizzleD1Database<typeof schema>
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
}

/** Dependencies of code that computes MACs. */
export type MacDeps = { settings: { ID_MAC_KEY: string } }
