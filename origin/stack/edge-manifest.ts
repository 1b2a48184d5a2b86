/** File name of the manifest, which contains everything that is needed to serve a built Worker without wrangler. */
export const EDGE_MANIFEST = 'manifest.json'

export type EdgeManifest = {
  workerOptions: { bindings?: object; d1Databases?: object }
  migrations: { name: string; statements: string[] }[]
}
