import type { App } from '../app-env.ts'
import { registerChartsScript } from './charts-script.ts'

/** Pages of what triggers did: the runs of one, and a run. */
export function registerRunPages(app: App): void {
  registerChartsScript(app)
}
