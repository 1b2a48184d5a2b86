import type { App } from '../app-env.ts'
import { registerPageScript } from '../page-script.ts'

/** What pages import that have a chart in view; it goes into their policy's `modules`. */
export const CHARTS_SCRIPT_PATH = '/scripts/charts.js'

export function registerChartsScript(app: App): void {
  registerPageScript(app, CHARTS_SCRIPT_PATH, () => import('../../console/charts/script.txt'))
}
