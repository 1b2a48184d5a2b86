import { checkAsOneTypes } from './live-check.tsx'
import { editOnFocus } from './edit-on-focus.ts'
import { fillFromConsole } from './fill-from-console.ts'

const form = document.querySelector<HTMLFormElement>('#trigger-form')!
fillFromConsole(form)
editOnFocus(form)
checkAsOneTypes(form)
