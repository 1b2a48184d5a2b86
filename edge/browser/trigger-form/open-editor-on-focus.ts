/**
 * Loaded on focus, because the editor is larger than the rest of the page. If it fails to load, the textarea remains.
 */
export function openEditorOnFocus(form: HTMLFormElement): void {
  const textarea = form.querySelector<HTMLTextAreaElement>('#action_code')!
  textarea.addEventListener('focus', () => void openEditor(textarea), { once: true })
}

/** A `string`, so that the compiler does not resolve the import. */
const EDITOR: string = '/scripts/editor.js'
type EditorScript = typeof import('../editor/module.ts')

async function openEditor(textarea: HTMLTextAreaElement): Promise<void> {
  const loading: Promise<EditorScript> = import(EDITOR)
  const loaded = await loading.catch(() => undefined)
  if (!loaded) return
  loaded.mountEditor({ textarea })
}
