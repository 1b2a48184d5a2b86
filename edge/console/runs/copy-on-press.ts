/** Buttons that name an element in `data-copy` copy its text. They are there only where a script is. */
export function copyOnPress(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    const said = button.textContent
    button.hidden = false
    button.addEventListener('click', () => void copy(button, said))
  }
}

/** @param said what the button says before and after */
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
