/** Adds a copy button to each code sample. */

/** Time for which a copy button shows its result. */
const RESULT_SHOWN_MS = 2_000

for (const sample of document.querySelectorAll('.sample')) {
  const code = sample.querySelector('code')
  if (!code || navigator.clipboard === undefined) continue
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'quiet'
  const say = (text: string) => {
    button.textContent = text
  }
  say('Copy')
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(code.textContent).then(
      () => say('Copied'),
      () => say('Copy failed'),
    )
    setTimeout(say, RESULT_SHOWN_MS, 'Copy')
  })
  // Without `aria-live`, screen readers do not announce the new label.
  button.setAttribute('aria-live', 'polite')
  sample.append(button)
}
