/** What of the console a tab keeps begins so: a key that the person has ticked, among it. */
const OURS = /^svc\//

/** Whether a script of somebody else would find nothing of ours in this tab. A browser that will not say is no such tab. */
export function mayRunForeignScript(storage: Storage): boolean {
  try {
    return !Object.keys(storage).some((name) => OURS.test(name))
  } catch {
    return false
  }
}
