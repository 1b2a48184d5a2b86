import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ActionBuildError } from './action-build-error.ts'

export type Esbuild = typeof import('esbuild')

/** Version that the tests use. Another minor version may emit other code, and with it another CID. */
export const ESBUILD_VERSION = '0.28.2'

const minorOf = (version: string) => version.split('.').slice(0, 2).join('.')

/**
 * Loads the esbuild of the project, which its lockfile pins. If the project has none, loads the one beside the command
 * line.
 * @param entry absolute path of a file in the project
 * @throws {ActionBuildError} if esbuild is missing or has another minor version
 */
export async function loadEsbuild(entry: string): Promise<Esbuild> {
  const path = resolveFrom(entry) ?? resolveFrom(import.meta.url)
  const install = `npm install --save-dev esbuild@${ESBUILD_VERSION}`
  if (path === undefined)
    throw new ActionBuildError(
      `TypeScript is built with esbuild, which is not installed: ${install}`,
    )
  const { default: esbuild } = (await import(pathToFileURL(path).href)) as { default: Esbuild }
  if (minorOf(esbuild.version) !== minorOf(ESBUILD_VERSION))
    throw new ActionBuildError(
      `esbuild ${esbuild.version} is installed, but actions are built with ${minorOf(ESBUILD_VERSION)}: ${install}`,
    )
  return esbuild
}

function resolveFrom(file: string): string | undefined {
  try {
    return createRequire(file).resolve('esbuild')
  } catch {
    return undefined
  }
}
