import type { Metafile } from 'esbuild'

/** Returns the shortest chain of imports from the entry to a module, including both. */
export function importChain(inputs: Metafile['inputs'], entry: string, target: string): string[] {
  const importers = new Map<string, string>()
  const queue = [entry]
  for (const importer of queue) {
    if (importer === target) break
    for (const { path } of inputs[importer]?.imports ?? []) {
      if (path === entry || importers.has(path)) continue
      importers.set(path, importer)
      queue.push(path)
    }
  }
  const chain = [target]
  for (let at = importers.get(target); at !== undefined; at = importers.get(at)) chain.unshift(at)
  return chain
}
