/** File name of the manifest of a built Worker, with everything needed to serve it without wrangler. */
export const EDGE_MANIFEST = 'manifest.json'

export type EdgeManifest = {
  /** Miniflare options that wrangler derives from its configuration. */
  workerOptions: { bindings?: object; d1Databases?: object }
  migrations: { name: string; statements: string[] }[]
}
