import { type FSWatcher, watch } from 'node:fs'
import { dirname, extname } from 'node:path'

/** Watches source files, including files that do not exist yet but are in the same folders. */
export class WatchedFiles {
  readonly #changed: () => void
  readonly #types = new Set<string>()
  readonly #folders = new Map<string, FSWatcher>()

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Adds files, except those of installed packages. @param paths absolute */
  add(paths: readonly string[]): void {
    for (const path of paths) {
      if (path.includes('/node_modules/')) continue
      this.#types.add(extname(path))
      const folder = dirname(path)
      if (this.#folders.has(folder)) continue
      // Watches the folder instead of the file, because many editors replace a file instead of writing to it.
      const watcher = watch(folder, (_, name) => {
        if (name === null || this.#types.has(extname(name))) this.#changed()
      })
      this.#folders.set(folder, watcher)
    }
  }

  close(): void {
    for (const watcher of this.#folders.values()) watcher.close()
  }
}
