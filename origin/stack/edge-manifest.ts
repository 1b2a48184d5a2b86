/** The manifest of a built Worker: what is needed to serve its modules without wrangler. */
export const EDGE_MANIFEST = 'manifest.json'

export type EdgeManifest = {
  /** Miniflare's options, as wrangler reads them from its configuration. */
  workerOptions: { bindings?: object; d1Databases?: object }
  /** Migrations of the D1 database, in order. */
  migrations: { name: string; statements: string[] }[]
}
