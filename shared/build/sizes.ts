import { isAbsolute } from 'node:path'
import { packageTitle, type ProjectFiles } from './project-files.ts'
import type { Bundled } from './run-esbuild.ts'

export type ModuleSize = {
  /** Name and version of a package, `polyfills`, or `project`. */
  name: string
  bytes: number
}

/** Sums up the code of each package and of the project in a bundle, largest first. */
export function sizesOf({ output }: Bundled, files: ProjectFiles): ModuleSize[] {
  const sizes = new Map<string, number>()
  for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
    const within = isAbsolute(path) ? files.packageOf(path) : undefined
    const own = isAbsolute(path) ? 'project' : 'polyfills'
    const name = within === undefined ? own : packageTitle(within)
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput)
  }
  return [...sizes]
    .map(([name, bytes]) => ({ name, bytes }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((one, other) => other.bytes - one.bytes || (one.name < other.name ? -1 : 1))
}
