/** Prefix of everything the console stores in a tab, including a key that the person chose to keep. */
const OURS = /^svc\//

/**
 * Returns true if this tab stores nothing that a third-party script must not read. Returns false if the browser denies
 * access to the storage.
 * @param names returns the names of the stored items
 */
export function mayRunForeignScript(names: () => string[]): boolean {
  try {
    return !names().some((name) => OURS.test(name))
  } catch {
    return false
  }
}
