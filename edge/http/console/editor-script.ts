import type { App } from '../app-env.ts'
import { registerPageScript } from '../page-script.ts'

/** What pages import that have source to write; it goes into their policy's `modules`. */
export const EDITOR_SCRIPT_PATH = '/scripts/editor.js'

export function registerEditorScript(app: App): void {
  registerPageScript(app, EDITOR_SCRIPT_PATH, () => import('../../console/editor/script.txt'))
}
