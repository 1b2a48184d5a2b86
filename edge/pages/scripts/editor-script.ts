import type { App } from '../../http/app-env.ts'
import { registerPageScript } from './page-scripts.ts'

/** Pages with an editor must list this path in the `modules` of their content security policy. */
export const EDITOR_SCRIPT_PATH = '/scripts/editor.js'

export function registerEditorScript(app: App): void {
  registerPageScript(app, EDITOR_SCRIPT_PATH, () => import('../../browser/editor/script.txt'))
}
