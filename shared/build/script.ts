import { ActionBuildError } from './action-build-error.ts'

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

/** Replaces the paths of modules in the code by their names. */
export function renameModules(code: string, names: ReadonlyMap<string, string>): string {
  return code.replace(
    MODULE_LINE,
    (line, indent: string, comment?: string, key?: string, rest?: string) => {
      const name = names.get(comment ?? key ?? '')
      if (name === undefined) return line
      return comment === undefined ? `${indent}"${name}"${rest}` : `${indent}// ${name}`
    },
  )
}
