const RESULTS_MAX = 12

/** The module with the index is loaded when the field gets the focus. */
export function enableSearch(form: HTMLFormElement): void {
  const field = form.querySelector('input')!
  const list = form.querySelector('ul')!
  const status = form.querySelector('[role=status]')!
  const load = () => import('/scripts/docs-search.js')

  const show = async () => {
    const query = field.value
    const found =
      query.trim() === ''
        ? []
        : await load().then(({ searchDocs }) => searchDocs(query, RESULTS_MAX))
    // The person may have typed more while the module was loading.
    if (query !== field.value) return
    list.replaceChildren(...found.map(resultItem))
    status.textContent = query.trim() === '' ? '' : resultText(found.length)
  }
  const fail = () => {
    status.textContent = 'Search failed. Reload the page to try again.'
  }

  field.addEventListener('focus', () => void load().catch(() => {}), { once: true })
  field.addEventListener('input', () => void show().catch(fail))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    form.querySelector('a')?.click()
  })
  form.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    field.value = ''
    list.replaceChildren()
    status.textContent = ''
    field.focus()
  })
}

const resultText = (count: number): string => {
  if (count === 0) return 'No results'
  return count === 1 ? '1 result' : `${count} results`
}

type Result = { href: string; page: string; heading: string }

function resultItem({ href, page, heading }: Result): HTMLElement {
  const item = document.createElement('li')
  const link = document.createElement('a')
  link.href = href
  const name = document.createElement('strong')
  name.textContent = heading || page
  link.append(name)
  if (heading) link.append(page)
  item.append(link)
  return item
}
