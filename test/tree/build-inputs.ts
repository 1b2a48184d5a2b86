import { build } from 'esbuild'

/** Lists a build script, all modules of this repository that it imports, and the lockfile. */
export async function buildInputs(root: string, script: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [script],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  })
  return [...Object.keys(metafile.inputs), 'package-lock.json'].toSorted()
}
