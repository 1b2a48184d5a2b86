import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type * as schema from '../db/schema.ts'

/** What every part of identity is given (`STYLE.md` 4): storage, clock (Unix ms) and randomness. */
export type IdentityDeps = {
  db: DrizzleD1Database<typeof schema>
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
}
