import { isAbsolute } from 'node:path'
import type { Metafile } from 'esbuild'
import { ActionBuildError } from './action-build-error.ts'
import type { ProjectFiles } from './project-files.ts'

export const HEADER = '"use strict";\nconst main = (() => {'
export const FOOTER = '})();'

/** The exports of a bundle, which esbuild writes as its last statement. */
const EXPORTS = /\nexport \{([^{}]*)\};?\n$|export\{([^{}]*)\};?\n$/

/**
 * Replaces the exports of a bundle by a statement that returns the entry’s `main`.
 * @param exports names that the entry exports
 * @param entry name of the entry for messages
 */
export function returnMain(code: string, exports: readonly string[], entry: string): string {
  const body = code.slice(0, code.lastIndexOf(FOOTER))
  const clause = EXPORTS.exec(body)
  const both = exports.includes('main') && exports.includes('default')
  if (both)
    throw new ActionBuildError(
      `${entry} exports both \`main\` and a default export; remove one of them`,
    )
  const exported = exports.find((name) => name === 'main' || name === 'default')
  if (exported === undefined || clause === null)
    throw new ActionBuildError(
      `${entry} exports no \`main\`; write \`export async function main(params) { … }\`, or a default export`,
    )
  const local = localName(clause[1] ?? clause[2] ?? '', exported)
  return `${body.slice(0, clause.index)}${clause[1] === undefined ? '' : '\n'}return ${local};\n${FOOTER}\n`
}

function localName(clause: string, exported: string): string {
  const pairs = clause.split(',').map((pair) => pair.trim().split(' as '))
  const [local] = pairs.find((names) => names.at(-1) === exported) ?? []
  if (local === undefined) throw new Error(`the bundle does not export ${exported}`)
  return local
}

/** Comment before the code of a module, or the key by which a CommonJS module is loaded. */
const MODULE_LINE = /^(\s*)(?:\/\/ (.*)|"(.*)"(\(.*))$/gm

/** Comment before a table of the files that match an import with a computed part, such as `./chains/*.ts`. */
const PATTERN_COMMENT = /^((?:import|require)\(".*"\) in )(.*)$/

/** Position of an element, which esbuild adds if `jsx` is `react-jsxdev`. */
const ELEMENT_FILE = /(\bfileName: ?)"([^"\\\n]+)"/g

/** Replaces the paths of modules in the code by their names. */
export function renameModules(code: string, names: ReadonlyMap<string, string>): string {
  const inElements = code.replace(ELEMENT_FILE, (found, member: string, path: string) =>
    names.has(path) ? `${member}"${names.get(path)}"` : found,
  )
  return inElements.replace(
    MODULE_LINE,
    (line, indent: string, comment?: string, key?: string, rest?: string) => {
      const [, pattern = '', importer] = PATTERN_COMMENT.exec(comment ?? '') ?? []
      const name = names.get(importer ?? comment ?? key ?? '')
      if (name === undefined) return line
      return comment === undefined ? `${indent}"${name}"${rest}` : `${indent}// ${pattern}${name}`
    },
  )
}

const DISABLED = '(disabled):'

/** Names all modules of a bundle. The keys are absolute paths, or names with a namespace. */
export function moduleNames(inputs: Metafile['inputs'], files: ProjectFiles): Map<string, string> {
  return new Map(
    Object.keys(inputs).map((input) => {
      if (isAbsolute(input)) return [input, files.nameOf(input)]
      if (!input.startsWith(DISABLED)) return [input, input]
      const path = input.slice(DISABLED.length)
      return [input, `empty:${isAbsolute(path) ? files.nameOf(path) : path}`]
    }),
  )
}
