/** Searches the documents. Pages import this module from `/scripts/docs-search.js` when the search field is used. */
import index from 'svc:docs-index'
import { searchIn } from './search.ts'

export const searchDocs = searchIn(index)
