import type { App } from '../app-env.ts'
import { registerChartsScript } from './charts-script.ts'
import { registerRunCancel } from './run-cancel.ts'
import { registerRunPage } from './run-page.tsx'
import { registerRunReplay } from './run-replay.ts'
import { registerRunStateJson } from './run-state-json.ts'
import { registerRunsJson } from './runs-json.ts'
import { registerRunsScript } from './runs-script.ts'
import { registerTriggerPage } from './trigger-page.tsx'
import { registerTriggerPurge } from './trigger-purge.ts'
import { registerTriggerTest } from './trigger-test.tsx'

export function registerRunPages(app: App): void {
  registerTriggerPage(app)
  registerTriggerTest(app)
  registerTriggerPurge(app)
  registerRunsJson(app)
  registerRunPage(app)
  registerRunStateJson(app)
  registerRunReplay(app)
  registerRunCancel(app)
  registerRunsScript(app)
  registerChartsScript(app)
}
