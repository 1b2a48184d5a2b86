/** Links of documents, which name files, as addresses of the pages that show those. */
import type { ResolveLink } from '../../shared/documents/markdown.ts'

/** Resolves paths; nobody is asked. */
const REPOSITORY = 'https://repository.invalid/'

/**
 * @param file of the document: `docs/deploy.md`
 * @param pageOf the address of a file's page (`/docs/deploy`), or of a folder's (`docs/decisions/`)
 */
export function linksOf(file: string, pageOf: (file: string) => string | undefined): ResolveLink {
  return (href) => {
    if (/^(https?:|mailto:|#)/.test(href) || href.startsWith('/')) return href
    const { pathname, hash } = new URL(href, REPOSITORY + file)
    const page = pageOf(decodeURIComponent(pathname.slice(1)))
    return page === undefined ? undefined : page + hash
  }
}
