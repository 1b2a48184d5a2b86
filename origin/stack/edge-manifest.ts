/**
 * File name of the manifest of a built Worker. The manifest contains everything that is needed to serve the Worker
 * without wrangler.
 */
export const EDGE_MANIFEST = 'manifest.json'

export type EdgeManifest = {
  /** Miniflare options that wrangler derives from the Worker's configuration. */
  workerOptions: { bindings?: object; d1Databases?: object }
  migrations: { name: string; statements: string[] }[]
}
