import type { App } from '../../http/app-env.ts'
import { registerPageScript } from './page-scripts.ts'

/** Pages with charts must list this path in the `modules` of their content security policy. */
export const CHARTS_SCRIPT_PATH = '/scripts/charts.js'

export function registerChartsScript(app: App): void {
  registerPageScript(app, CHARTS_SCRIPT_PATH, () => import('../../browser/charts/script.txt'))
}
