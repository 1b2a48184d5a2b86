import type { App } from '../../http/app-env.ts'
import { registerRunActions } from './run-actions.ts'
import { registerRunPage } from './run-page.tsx'
import { registerRunStateJson } from './run-state-json.ts'

export function registerRunPages(app: App): void {
  registerRunPage(app)
  registerRunStateJson(app)
  registerRunActions(app)
}
