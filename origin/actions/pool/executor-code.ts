import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeProcessFolder, removeAbandonedFolders } from './process-folder.ts'

/** Root folder of the project. Code paths are relative to it. */
const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))

/** Matches a relative module in an `import` or an `import()`. */
const OWN_MODULE = /((?:from|import)\s*\(?\s*')(\.{1,2}\/[^']+)\.ts'/g

/** Code for the processes that run sandboxes: a folder of JavaScript and the files that it needs. */
export type ExecutorCode = { folder: string; entry(path: string): string; remove(): void }

/**
 * Writes a module, and all project modules that it imports, as JavaScript without types, at the same paths in a new
 * folder. Node could strip the types itself, but would do so in each process: 60 ms of CPU and 25 MB for every
 * executor. If this process is killed, its folder remains, and the next process removes it.
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
