import type { App } from '../app-env.ts'
import { registerPageScript } from '../page-script.ts'

export const RUNS_SCRIPT_PATH = '/scripts/runs.js'

export function registerRunsScript(app: App): void {
  registerPageScript(app, RUNS_SCRIPT_PATH, () => import('../../console/runs/script.txt'))
}
