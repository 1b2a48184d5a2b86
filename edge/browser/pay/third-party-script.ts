/** Pattern of the names of all items that the console stores in a tab, including the API key. */
const CONSOLE_ITEM = /^svc\//

/**
 * Returns false if the tab stores data of the console, or if `names` throws because the browser denies access to the
 * storage.
 */
export function canRunThirdPartyScript(names: () => string[]): boolean {
  try {
    return !names().some((name) => CONSOLE_ITEM.test(name))
  } catch {
    return false
  }
}
