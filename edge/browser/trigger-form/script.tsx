import { startLiveCheck } from './live-check.tsx'
import { openEditorOnFocus } from './open-editor-on-focus.ts'
import { prefillForm } from './prefill-form.ts'

const form = document.querySelector<HTMLFormElement>('#trigger-form')!
prefillForm(form)
openEditorOnFocus(form)
startLiveCheck(form)
