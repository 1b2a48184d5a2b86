import type { FC } from 'hono/jsx'
import { type DocumentLink, sections } from '../../docs/catalog.ts'

/**
 * Search, and links to all sections and to the documents of the current section. Links to all documents would exceed the
 * limit of the largest pages. On a small screen, the links are a popover, like the menu of the site. The search needs a
 * script, so it is hidden without one.
 */
export const DocsNavigation: FC<{ path: string }> = ({ path }) => (
  <aside aria-label="Documentation">
    <form id="search" role="search">
      <input
        type="search"
        aria-label="Search the documentation"
        placeholder="Search"
        autocomplete="off"
      />
      <p role="status" />
      <ul />
    </form>
    <button type="button" class="quiet" popovertarget="documents">
      All pages
    </button>
    <nav id="documents" popover="auto" aria-label="Documents">
      {sections().map(({ title, documents }) => (
        <>
          <a class="section" href={`/docs#${sectionId(title)}`}>
            {title}
          </a>
          {documents.some((each) => isCurrent(each, path)) && (
            <ul>
              {documents.map((each) => (
                <li>
                  <a
                    href={each.href}
                    {...(isCurrent(each, path) && { 'aria-current': 'page' as const })}
                  >
                    {each.title}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </>
      ))}
    </nav>
  </aside>
)

/** ID of a section's heading on the page `/docs`. */
export const sectionId = (title: string): string => title.toLowerCase().replaceAll(' ', '-')

/** A page that is not listed, such as `/docs/api/triggers`, belongs to the document above it. */
const isCurrent = ({ href }: DocumentLink, path: string): boolean =>
  path === href || path.startsWith(`${href}/`)
