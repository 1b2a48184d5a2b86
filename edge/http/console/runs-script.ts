import type { App } from '../app-env.ts'
import { registerPageScript } from '../page-script.ts'

/** What the pages of a trigger and of a run begin with. */
export const RUNS_SCRIPT_PATH = '/scripts/runs.js'

export function registerRunsScript(app: App): void {
  registerPageScript(app, RUNS_SCRIPT_PATH, () => import('../../console/runs/script.txt'))
}
