/** Names of all items that the console stores in a tab, including the API key. */
const CONSOLE_ITEM = /^svc\//

/**
 * True if the tab stores no data of the console. False if the browser denies access to the storage.
 * @param names returns the names of the items in the tab's storage
 */
export function canRunThirdPartyScript(names: () => string[]): boolean {
  try {
    return !names().some((name) => CONSOLE_ITEM.test(name))
  } catch {
    return false
  }
}
