import type { App } from '../../http/app-env.ts'
import { registerPageScript } from '../scripts/page-scripts.ts'
import { registerTriggerDelete } from './actions/trigger-delete.ts'
import { registerTriggerEdit } from './form/trigger-edit.tsx'
import { FORM_SCRIPT_PATH } from './form/form-page.tsx'
import { registerTriggerNew } from './form/trigger-new.tsx'
import { registerTriggerPreview } from './form/trigger-preview.ts'
import { registerTriggersPage } from './list/triggers-page.tsx'
import { registerTriggerSwitch } from './actions/trigger-switch.ts'

export function registerTriggerPages(app: App): void {
  registerTriggersPage(app)
  registerTriggerNew(app)
  registerTriggerPreview(app)
  registerTriggerEdit(app)
  registerTriggerSwitch(app)
  registerTriggerDelete(app)
  registerPageScript(app, FORM_SCRIPT_PATH, () => import('../../browser/trigger-form/script.txt'))
}
