import type { App } from '../../http/app-env.ts'
import { registerChartsScript } from '../scripts/charts-script.ts'
import { registerRunCancel } from './run-cancel.ts'
import { registerRunPage } from './run-page.tsx'
import { registerRunReplay } from './run-replay.ts'
import { registerRunStateJson } from './run-state-json.ts'
import { registerRunsJson } from '../triggers/detail/runs-json.ts'
import { registerRunsScript } from '../scripts/runs-script.ts'
import { registerTriggerPage } from '../triggers/detail/trigger-page.tsx'
import { registerTriggerPurge } from '../triggers/actions/trigger-purge.ts'
import { registerTriggerTest } from '../triggers/actions/trigger-test.tsx'

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
