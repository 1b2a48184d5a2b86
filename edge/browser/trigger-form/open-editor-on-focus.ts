/**
 * Replaces the textarea with the editor when it gets the focus. The editor is loaded on demand, because it is larger
 * than the rest of the page. If loading fails, the textarea remains.
 */
export function openEditorOnFocus(form: HTMLFormElement): void {
  const textarea = form.querySelector<HTMLTextAreaElement>('#action_code')!
  textarea.addEventListener('focus', () => void openEditor(textarea), { once: true })
}

async function openEditor(textarea: HTMLTextAreaElement): Promise<void> {
  const loaded = await import('/scripts/editor.js').catch(() => undefined)
  loaded?.mountEditor({ textarea })
}
