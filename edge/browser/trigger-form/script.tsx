import { startLiveCheck } from './live-check.tsx'
import { prefillForm } from './prefill-form.ts'

const form = document.querySelector<HTMLFormElement>('#trigger-form')!
const source = form.querySelector<HTMLTextAreaElement>('#action_code')!

/** If loading fails, the textarea remains. */
async function openEditor(): Promise<void> {
  const loaded = await import('/scripts/editor.js').catch(() => undefined)
  loaded?.mountEditor({ textarea: source, language: 'javascript' })
}

prefillForm(form)
// The editor is loaded on demand, because it is larger than the rest of the page.
source.addEventListener('focus', () => void openEditor(), { once: true })
startLiveCheck(form)
