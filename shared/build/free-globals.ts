import type { Esbuild } from './load-esbuild.ts'
import { MISSING_GLOBALS, POLYFILLED_GLOBALS } from './polyfills.ts'

export type GlobalUse = {
  /** Name of a global, such as `Buffer`. */
  global: string
  /** Name of the module that uses it. */
  module: string
}

const GLOBALS = [...POLYFILLED_GLOBALS, ...MISSING_GLOBALS]
const MARK = '__svc_global_'
const MENTIONED = new RegExp(`\\b(${GLOBALS.join('|')})\\b`)
const MODULE_COMMENT = /^(\s*)\/\/ (.+)$/gm
const USE = new RegExp(`(?:(typeof|instanceof) )?\\b${MARK}(\\w+)`, 'g')

/**
 * Finds the globals that the code uses and that actions do not have. A module that checks with `typeof` whether a
 * global exists can do without it, so its uses are left out.
 * @param code script that is not minified, in which a comment names each module
 * @param modules names of the modules
 */
export async function findMissingGlobals(
  code: string,
  modules: ReadonlySet<string>,
  { transform }: Esbuild,
): Promise<GlobalUse[]> {
  if (!MENTIONED.test(code)) return []
  // esbuild replaces only names that are not declared, and keeps only legal comments.
  const marked = code.replace(MODULE_COMMENT, (line, indent: string, name: string) =>
    modules.has(name) ? `${indent}//! ${name}` : line,
  )
  const { code: analyzed } = await transform(marked, {
    define: Object.fromEntries(GLOBALS.map((name) => [name, MARK + name])),
    legalComments: 'inline',
    charset: 'utf8',
    logLevel: 'silent',
  })
  const uses = new Map<string, { used: Set<string>; checked: Set<string> }>()
  let module = ''
  for (const line of analyzed.split('\n')) {
    const comment = /^\s*\/\/! (.+)$/.exec(line)?.[1]
    if (comment !== undefined && modules.has(comment)) module = comment
    for (const [, check, global] of line.matchAll(USE)) {
      const of = uses.get(module) ?? { used: new Set(), checked: new Set() }
      uses.set(module, of)
      if (check === 'typeof') of.checked.add(global!)
      // Packages have optional functions for values of classes that no value in an action has.
      else if (check === undefined) of.used.add(global!)
    }
  }
  return [...uses].flatMap(([of, { used, checked }]) =>
    [...used].filter((global) => !checked.has(global)).map((global) => ({ global, module: of })),
  )
}

/** Calls that esbuild leaves where a module’s name is computed. Calls with a literal are caught by their modules. */
const COMPUTED_IMPORT = /\b__require\d*\((?!["')])/

/** Returns the names of modules that load others by computed names. */
export function findComputedImports(code: string, modules: ReadonlySet<string>): string[] {
  const found = new Set<string>()
  let module: string | undefined
  for (const line of code.split('\n')) {
    const comment = /^\s*\/\/ (.+)$/.exec(line)?.[1]
    if (comment !== undefined && modules.has(comment)) module = comment
    else if (module !== undefined && COMPUTED_IMPORT.test(line)) found.add(module)
  }
  return [...found]
}
