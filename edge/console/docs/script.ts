/** Adds a copy button to each code sample. Without this script, samples can still be selected and copied by hand. */

/** How long the button shows its result. */
const SAID_MS = 2_000

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
      () => say('Not copied'),
    )
    setTimeout(say, SAID_MS, 'Copy')
  })
  // Without this, screen readers do not announce the changed label of a button.
  button.setAttribute('aria-live', 'polite')
  sample.append(button)
}
