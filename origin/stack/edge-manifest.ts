/** Contains everything that is needed to serve a built Worker without wrangler. */
export const EDGE_MANIFEST = 'manifest.json'

export type EdgeManifest = {
  /** Derived by wrangler from the Worker's configuration. */
  workerOptions: { bindings?: object; d1Databases?: object }
  migrations: { name: string; statements: string[] }[]
}
