import type { App } from '../app-env.ts'
import { registerPageScript } from '../page-script.ts'
import { registerTriggerDelete } from './trigger-delete.ts'
import { registerTriggerEdit } from './trigger-edit.tsx'
import { FORM_SCRIPT_PATH } from './trigger-form/form-page.tsx'
import { registerTriggerNew } from './trigger-new.tsx'
import { registerTriggerPreview } from './trigger-preview.ts'
import { registerTriggersPage } from './triggers-page.tsx'
import { registerTriggerSwitch } from './trigger-switch.ts'

export function registerTriggerPages(app: App): void {
  registerTriggersPage(app)
  registerTriggerNew(app)
  registerTriggerPreview(app)
  registerTriggerEdit(app)
  registerTriggerSwitch(app)
  registerTriggerDelete(app)
  registerPageScript(app, FORM_SCRIPT_PATH, () => import('../../console/trigger-form/script.txt'))
}
