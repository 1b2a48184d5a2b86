import { inWords } from './in-words.ts'

/** Only one operation runs at a time. Progress and errors are shown in the page's live region. */
export function onPress(
  { button, status, waiting }: { button: HTMLButtonElement; status: HTMLElement; waiting: string },
  act: () => Promise<void>,
): () => Promise<void> {
  return async () => {
    if (button.disabled) return
    button.disabled = true
    status.textContent = waiting
    try {
      await act()
    } catch (failure) {
      status.textContent = inWords(failure)
      button.disabled = false
      button.focus()
    }
  }
}
