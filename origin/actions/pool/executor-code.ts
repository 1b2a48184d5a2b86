import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeProcessFolder, removeAbandonedFolders } from './process-folder.ts'

const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

/** Specifier of a relative TypeScript module in an `import` statement or `import()` call. */
const OWN_MODULE = /((?:from|import)\s*\(?\s*')(\.{1,2}\/[^']+)\.ts'/g

export type ExecutorCode = { folder: string; entry(path: string): string; remove(): void }

/**
 * Writes the entry modules, and all project modules that they import, as JavaScript to a new folder, under the same
 * paths as in the project. Node could strip the types itself, but would do so in each process, which costs 60 ms of CPU
 * and 25 MB per executor. If this process is killed, the folder is left behind, and the next process removes it.
 * @param entries paths in the project, such as `origin/actions/executor/executor.ts`
 */
export function writeExecutorCode(entries: readonly string[]): ExecutorCode {
  removeAbandonedFolders()
  const folder = makeProcessFolder()
  const written = new Set<string>()
  const write = (path: string) => {
    if (written.has(path)) return
    written.add(path)
    const source = readFileSync(join(ROOT, path), 'utf8')
    const code = stripTypeScriptTypes(source).replaceAll(OWN_MODULE, (_whole, before, name) => {
      write(relative(ROOT, join(ROOT, dirname(path), `${name}.ts`)))
      return `${before}${name}.js'`
    })
    const target = join(folder, javaScript(path))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, code)
  }
  for (const entry of entries) write(entry)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    entry: (path) => join(folder, javaScript(path)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function javaScript(path: string): string {
  return path.replace(/\.ts$/, '.js')
}
