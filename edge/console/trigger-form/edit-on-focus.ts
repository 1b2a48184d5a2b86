/**
 * Opens the editor where the person begins to write: it is larger than all the rest of the page. Where it does not come, the
 * textarea stays.
 */
export function editOnFocus(form: HTMLFormElement): void {
  const textarea = form.querySelector<HTMLTextAreaElement>('#action_code')!
  textarea.addEventListener('focus', () => void open(textarea), { once: true })
}

/** No literal: the compiler would look for it on this machine's disk. */
const EDITOR: string = '/scripts/editor.js'
type EditorScript = typeof import('../editor/module.ts')

async function open(textarea: HTMLTextAreaElement): Promise<void> {
  const loading: Promise<EditorScript> = import(EDITOR)
  const loaded = await loading.catch(() => undefined)
  if (!loaded) return
  loaded.mountEditor({ textarea })
}
