/** What a folder of the built Worker says beside its modules. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The Worker's own configuration. */
export const EDGE_CONFIG = join(fileURLToPath(new URL('../..', import.meta.url)), 'wrangler.toml')

/** The file in that folder, JSON of an `EdgeManifest`. */
export const EDGE_MANIFEST = 'manifest.json'

export type EdgeManifest = {
  /** Miniflare's options for the Worker, as wrangler reads them from its configuration. */
  workerOptions: object
  /** Of the database, in the order in which they are applied. */
  migrations: { name: string; statements: string[] }[]
}
