/** Shows and enables the buttons that copy the text of the element named by `data-copy`. */
export function enableCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const label = button.textContent
    button.hidden = false
    button.addEventListener('click', () => void copy(button, label))
  }
}

/** @param label label to restore after the result was shown */
async function copy(button: HTMLButtonElement, label: string): Promise<void> {
  const text = document.getElementById(button.dataset.copy!)?.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text.trim())
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Copy failed; select the text'
  }
  setTimeout(() => (button.textContent = label), 2_000)
}
