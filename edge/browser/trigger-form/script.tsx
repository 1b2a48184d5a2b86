import type { Editor } from '../editor/mount-editor.ts'
import { startExpressionCheck } from './expression-check.tsx'
import { startLiveCheck } from './live-check.tsx'
import { offerExamples } from './offer-examples.ts'
import { prefillForm } from './prefill-form.ts'

const form = document.querySelector<HTMLFormElement>('#trigger-form')!
const source = form.querySelector<HTMLTextAreaElement>('#action_code')!

let editor: Editor | undefined

/** If loading fails, the textarea remains. */
async function openEditor(): Promise<void> {
  const loaded = await import('/scripts/editor.js').catch(() => undefined)
  editor = loaded?.mountEditor({ textarea: source, language: 'javascript' })
}

prefillForm(form)
// The editor is loaded on demand, because it is larger than the rest of the page.
source.addEventListener('focus', () => void openEditor(), { once: true })
startLiveCheck(form)
startExpressionCheck(form)
offerExamples(form, {
  text: () => source.value,
  replace: (text) => {
    if (editor) {
      editor.setText(text)
      editor.goTo(1)
    } else {
      source.value = text
      source.setSelectionRange(0, 0)
      source.focus()
    }
  },
})
