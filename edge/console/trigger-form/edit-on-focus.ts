/**
 * Loads the source editor when the person focuses the textarea. It is not loaded earlier, because it is larger than the
 * rest of the page. If the editor cannot be loaded, the textarea remains.
 */
export function editOnFocus(form: HTMLFormElement): void {
  const textarea = form.querySelector<HTMLTextAreaElement>('#action_code')!
  textarea.addEventListener('focus', () => void open(textarea), { once: true })
}

/** URL path of the editor module. It has the type `string`, so that the compiler does not try to resolve the import. */
const EDITOR: string = '/scripts/editor.js'
type EditorScript = typeof import('../editor/module.ts')

async function open(textarea: HTMLTextAreaElement): Promise<void> {
  const loading: Promise<EditorScript> = import(EDITOR)
  const loaded = await loading.catch(() => undefined)
  if (!loaded) return
  loaded.mountEditor({ textarea })
}
