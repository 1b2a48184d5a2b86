/**
 * Loaded on focus, because the editor is larger than the rest of the page. If it fails to load, the textarea remains.
 */
export function openEditorOnFocus(form: HTMLFormElement): void {
  const textarea = form.querySelector<HTMLTextAreaElement>('#action_code')!
  textarea.addEventListener('focus', () => void openEditor(textarea), { once: true })
}

async function openEditor(textarea: HTMLTextAreaElement): Promise<void> {
  const loaded = await import('/scripts/editor.js').catch(() => undefined)
  loaded?.mountEditor({ textarea })
}
