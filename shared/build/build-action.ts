import { dirname } from 'node:path'

export type BuiltAction = {
  /** Script that defines `main`. Its CID names the action. */
  code: string
  /** Source map of `code` with the contents of all sources, as JSON text. */
  map: string
  /** Problems that do not prevent the build, such as a global that the sandbox does not have. */
  warnings: readonly string[]
}

/** The source cannot be built into an action. The message says why, and how to fix it. */
export class ActionBuildError extends Error {
  override name = 'ActionBuildError'
}

/**
 * Bundles an action and the packages that it imports into one script. The entry module exports `main`, by that name or
 * as its default export.
 * @param entry absolute path of the entry module
 * @throws {ActionBuildError}
 * @example
 * const { code } = await buildAction('/home/me/project/src/action.ts')
 */
export async function buildAction(entry: string): Promise<BuiltAction> {
  const { build } = await import('esbuild')
  const { outputFiles, warnings } = await build({
    stdin: {
      contents: `import * as action from ${JSON.stringify(entry)}\nexport const main = action.default ?? action.main`,
      resolveDir: dirname(entry),
    },
    absWorkingDir: dirname(entry),
    bundle: true,
    format: 'iife',
    globalName: 'action',
    footer: { js: 'const { main } = action' },
    outfile: 'action.js',
    sourcemap: 'external',
    target: 'es2023',
    write: false,
    logLevel: 'silent',
  }).catch((error: unknown) => {
    throw new ActionBuildError((error as Error).message)
  })
  const text = (name: string) => outputFiles.find(({ path }) => path.endsWith(name))!.text
  return {
    code: text('action.js'),
    map: text('action.js.map'),
    warnings: warnings.map(({ text }) => text),
  }
}
