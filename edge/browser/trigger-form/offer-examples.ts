type Source = { text: () => string; replace: (text: string) => void }

/** Fills the list of examples when it is opened. If loading fails, the link to the documentation remains. */
export function offerExamples(form: HTMLFormElement, source: Source): void {
  const list = form.querySelector<HTMLDetailsElement>('#examples')
  const target = list?.querySelector<HTMLElement>('div')
  if (!list || !target) return
  const params = form.querySelector<HTMLTextAreaElement>('#default_params')!
  let isShown = false
  let filled = ''
  const open = async () => {
    if (!list.open || isShown) return
    const loaded = await import('/scripts/examples.js').catch(() => undefined)
    if (!loaded || isShown) return
    isShown = true
    loaded.showExamples({
      target,
      kind: form.dataset['kind']!,
      source: source.text,
      use: ({ code, defaultParams }) => {
        list.open = false
        if (['', filled].includes(params.value.trim())) {
          params.value = defaultParams
          filled = defaultParams
        }
        source.replace(code)
      },
    })
  }
  list.addEventListener('toggle', () => void open())
}
