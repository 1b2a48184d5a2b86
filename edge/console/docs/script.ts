/** Puts a button for copying on each sample of code; without it one selects and copies by hand. */

/** How long the button says what it did. */
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
  // For screen readers: what a button says once it is pressed is not read by itself.
  button.setAttribute('aria-live', 'polite')
  sample.append(button)
}
