import type { App } from '../../http/app-env.ts'
import { registerTriggerActions } from './actions/trigger-actions.ts'
import { registerTriggerTest } from './actions/trigger-test.tsx'
import { registerRunsJson, registerTailJson, registerTriggerPage } from './detail/trigger-page.tsx'
import { registerTriggerEdit } from './form/trigger-edit.tsx'
import { registerTriggerNew } from './form/trigger-new.tsx'
import { registerExpressionCheck } from './form/expression-check.ts'
import { registerTriggerPreview } from './form/trigger-preview.ts'
import { registerTriggersPage } from './list/triggers-page.tsx'

export function registerTriggerPages(app: App): void {
  registerTriggersPage(app)
  registerTriggerNew(app)
  registerTriggerPreview(app)
  registerExpressionCheck(app)
  registerTriggerEdit(app)
  registerTriggerActions(app)
  registerTriggerPage(app)
  registerTriggerTest(app)
  registerRunsJson(app)
  registerTailJson(app)
}
