import type { App } from '../../http/app-env.ts'
import { registerPageScript } from './page-scripts.ts'

export const RUNS_SCRIPT_PATH = '/scripts/runs.js'

export function registerRunsScript(app: App): void {
  registerPageScript(app, RUNS_SCRIPT_PATH, () => import('../../browser/runs/script.txt'))
}
