/**
 * Makes each button with `data-copy` copy the text of the element that the attribute names. The buttons are hidden
 * unless this script runs.
 */
export function copyOnPress(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const said = button.textContent
    button.hidden = false
    button.addEventListener('click', () => void copy(button, said))
  }
}

/** @param said label of the button, restored afterwards */
async function copy(button: HTMLButtonElement, said: string): Promise<void> {
  const text = document.getElementById(button.dataset.copy!)?.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text.trim())
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Select it, and copy it by hand'
  }
  setTimeout(() => (button.textContent = said), 2_000)
}
