/** What of the console a tab keeps begins so: a key that the person has ticked, among it. */
const OURS = /^svc\//

/**
 * Whether a script of somebody else would find nothing of ours in this tab. Of a browser that does not say, nobody knows.
 * @param names of what the tab keeps
 */
export function mayRunForeignScript(names: () => string[]): boolean {
  try {
    return !names().some((name) => OURS.test(name))
  } catch {
    return false
  }
}
