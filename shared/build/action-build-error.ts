/** The source cannot be built into an action. The message says why, and how to fix it. */
export class ActionBuildError extends Error {
  override name = 'ActionBuildError'
}
